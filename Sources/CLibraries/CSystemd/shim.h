// sd-bus(3) of libsystemd, loaded on demand: linking it costs each engine 0.7 MB (PSS), and most
// engines never use it.
#pragma once
#include <dlfcn.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>

// The used functions, by their names without `sd_bus_`.
#define CSYSTEMD_FUNCTIONS(each) \
  each(new) each(set_address) each(set_bus_client) each(start) each(close_unref) \
  each(get_fd) each(get_events) each(process) each(send) \
  each(message_new_method_call) each(message_append_basic) each(message_unref) \
  each(message_is_signal) each(message_get_sender) each(message_get_path) \
  each(message_get_interface) each(message_get_member) each(message_get_reply_cookie) \
  each(message_get_error) each(message_get_errno) each(message_read_basic) \
  each(message_enter_container) each(message_exit_container) each(message_skip) \
  each(message_open_container) each(message_close_container) \
  each(message_is_method_call) each(message_get_expect_reply) each(message_new_method_return) \
  each(message_new_method_error) each(message_new_signal) each(message_set_destination) \
  each(message_append_array) each(message_read_array) each(message_peek_type) \
  each(message_sensitive)

struct csystemd {
#define CSYSTEMD_MEMBER(name) __typeof__(&sd_bus_##name) name;
  CSYSTEMD_FUNCTIONS(CSYSTEMD_MEMBER)
#undef CSYSTEMD_MEMBER
};

// Loads the library until the process ends; NULL if it or one of the functions is missing.
static inline const struct csystemd *csystemd_load(void) {
  void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  struct csystemd *found = handle == NULL ? NULL : calloc(1, sizeof *found);
  if (found == NULL) return NULL;
#define CSYSTEMD_TAKE(name) \
  found->name = (__typeof__(found->name))dlsym(handle, "sd_bus_" #name); \
  if (found->name == NULL) goto missing;
  CSYSTEMD_FUNCTIONS(CSYSTEMD_TAKE)
#undef CSYSTEMD_TAKE
  return found;
missing:
  free(found);
  return NULL;
}
