// libfido2: security keys over hidraw. It is loaded on demand: linking it costs each start of the presence
// program more than 1 ms, and most checks use no key.
#pragma once
#include <dlfcn.h>
#include <fido.h>
#include <stdlib.h>

// The used functions, by their names without `fido_`.
#define CFIDO2_FUNCTIONS(each) \
  each(assert_allow_cred) each(assert_authdata_len) each(assert_authdata_ptr) \
  each(assert_count) each(assert_free) each(assert_hmac_secret_len) \
  each(assert_hmac_secret_ptr) each(assert_id_len) each(assert_id_ptr) \
  each(assert_new) each(assert_set_clientdata_hash) each(assert_set_extensions) \
  each(assert_set_hmac_salt) each(assert_set_rp) each(assert_set_up) \
  each(assert_set_uv) each(assert_sig_len) each(assert_sig_ptr) \
  each(cbor_info_extensions_len) each(cbor_info_extensions_ptr) each(cbor_info_free) \
  each(cbor_info_new) each(cred_exclude) each(cred_flags) each(cred_free) each(cred_id_len) each(cred_id_ptr) each(cred_new) \
  each(cred_pubkey_len) each(cred_pubkey_ptr) each(cred_set_clientdata_hash) \
  each(cred_set_extensions) \
  each(cred_set_rk) each(cred_set_rp) each(cred_set_type) each(cred_set_user) \
  each(cred_set_uv) each(cred_verify) each(cred_verify_self) each(cred_x5c_ptr) \
  each(dev_cancel) each(dev_close) each(dev_free) each(dev_get_assert) \
  each(dev_get_cbor_info) \
  each(dev_get_retry_count) each(dev_get_touch_begin) each(dev_get_touch_status) \
  each(dev_has_pin) each(dev_has_uv) each(dev_info_free) \
  each(dev_info_manifest) each(dev_info_new) each(dev_info_path) each(dev_info_ptr) \
  each(dev_is_fido2) each(dev_make_cred) each(dev_new) each(dev_open) each(init)

struct cfido2 {
#define CFIDO2_MEMBER(name) __typeof__(&fido_##name) name;
  CFIDO2_FUNCTIONS(CFIDO2_MEMBER)
#undef CFIDO2_MEMBER
};

// Loads the library until the process ends; NULL if it or one of the functions is missing. U2F
// is disabled: it has no PIN, and no request without a touch.
static inline const struct cfido2 *cfido2_load(void) {
  void *handle = dlopen("libfido2.so.1", RTLD_NOW | RTLD_LOCAL);
  struct cfido2 *found = handle == NULL ? NULL : (struct cfido2 *)calloc(1, sizeof *found);
  if (found == NULL) return NULL;
#define CFIDO2_TAKE(name) \
  found->name = (__typeof__(found->name))dlsym(handle, "fido_" #name); \
  if (found->name == NULL) goto missing;
  CFIDO2_FUNCTIONS(CFIDO2_TAKE)
#undef CFIDO2_TAKE
  found->init(FIDO_DISABLE_U2F_FALLBACK);
  return found;
missing:
  free(found);
  return NULL;
}
