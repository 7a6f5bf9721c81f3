// Linux-PAM, and the parts of it that Swift does not import.
#pragma once
#include <security/pam_appl.h>
#include <shadow.h>
#include <stdlib.h>
#include <string.h>

// pam_fail_delay(3): the item is a function, but pam_set_item(3) takes an object pointer.
static inline int cpam_set_fail_delay(
    pam_handle_t *handle, void (*callback)(int, unsigned, void *)) {
  return pam_set_item(handle, PAM_FAIL_DELAY, (const void *)callback);
}

// Whether the password in shadow(5) is locked, as by passwd(1) -l (a leading "!"): 1 or 0, or -1 if
// this process may not read it.
static inline int cpam_password_is_locked(const char *user) {
  struct spwd entry, *found = NULL;
  char buffer[4096];
  if (getspnam_r(user, &entry, buffer, sizeof buffer, &found) != 0 || found == NULL) return -1;
  int locked = entry.sp_pwdp[0] == '!';
  explicit_bzero(buffer, sizeof buffer);
  return locked;
}
