// libcrypto of OpenSSL, loaded on demand: linking it costs each run of the command-line program 3 ms,
// and few runs use it.
#pragma once
#include <dlfcn.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdlib.h>

// The used functions.
#define CLIBCRYPTO_FUNCTIONS(each) \
  each(BN_CTX_new) each(BN_CTX_free) each(BN_new) each(BN_bin2bn) each(BN_bn2binpad) \
  each(BN_clear_free) each(BN_cmp) each(BN_is_one) each(BN_is_zero) each(BN_sub_word) \
  each(BN_set_flags) each(BN_get_rfc2409_prime_1024) each(BN_mod_exp_mont_consttime) \
  each(OSSL_LIB_CTX_new) each(EVP_KDF_fetch) each(EVP_KDF_CTX_new) each(EVP_KDF_CTX_free) \
  each(EVP_KDF_derive) each(EVP_CIPHER_fetch) each(EVP_CIPHER_CTX_new) each(EVP_CIPHER_CTX_free) \
  each(EVP_CipherInit_ex2) each(EVP_CipherUpdate) each(EVP_CipherFinal_ex)

struct clibcrypto {
  EVP_KDF *hkdf;
  EVP_CIPHER *aes128_cbc;
#define CLIBCRYPTO_MEMBER(name) __typeof__(&name) name;
  CLIBCRYPTO_FUNCTIONS(CLIBCRYPTO_MEMBER)
#undef CLIBCRYPTO_MEMBER
};

// Loads the library until the process ends; NULL if it, a function or an algorithm is missing. The
// algorithms come from a context of their own, so that no openssl.cnf applies (OSSL_LIB_CTX(3)).
static inline const struct clibcrypto *clibcrypto_load(void) {
  void *handle = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
  struct clibcrypto *found = handle == NULL ? NULL : (struct clibcrypto *)calloc(1, sizeof *found);
  if (found == NULL) return NULL;
#define CLIBCRYPTO_TAKE(name) \
  found->name = (__typeof__(found->name))dlsym(handle, #name); \
  if (found->name == NULL) goto missing;
  CLIBCRYPTO_FUNCTIONS(CLIBCRYPTO_TAKE)
#undef CLIBCRYPTO_TAKE
  OSSL_LIB_CTX *context = found->OSSL_LIB_CTX_new();
  found->hkdf = found->EVP_KDF_fetch(context, "HKDF", NULL);
  found->aes128_cbc = found->EVP_CIPHER_fetch(context, "AES-128-CBC", NULL);
  if (found->hkdf != NULL && found->aes128_cbc != NULL) return found;
missing:
  free(found);
  return NULL;
}

// Bytes of a number modulo the prime of the second Oakley group (RFC 2409, 6.2).
#define CLIBCRYPTO_GROUP_COUNT 128

// A power modulo the prime of the second Oakley group, in constant time, as 128 bytes; 1 on success. It
// fails if the base is not between 1 and the prime less one: such a key shares no secret.
static inline int clibcrypto_power(
    const struct clibcrypto *library, const unsigned char *base, size_t base_count,
    const unsigned char *exponent, size_t exponent_count, unsigned char *output) {
  int status = 0;
  BN_CTX *context = library->BN_CTX_new();
  BIGNUM *prime = library->BN_get_rfc2409_prime_1024(NULL);
  BIGNUM *last = library->BN_get_rfc2409_prime_1024(NULL);
  BIGNUM *b = library->BN_bin2bn(base, (int)base_count, NULL);
  BIGNUM *e = library->BN_bin2bn(exponent, (int)exponent_count, NULL);
  BIGNUM *power = library->BN_new();
  if (context != NULL && prime != NULL && last != NULL && b != NULL && e != NULL && power != NULL &&
      library->BN_sub_word(last, 1) == 1 && !library->BN_is_zero(b) && !library->BN_is_one(b) &&
      library->BN_cmp(b, last) < 0) {
    library->BN_set_flags(e, BN_FLG_CONSTTIME);
    status = library->BN_mod_exp_mont_consttime(power, b, e, prime, context, NULL) == 1 &&
             library->BN_bn2binpad(power, output, CLIBCRYPTO_GROUP_COUNT) == CLIBCRYPTO_GROUP_COUNT;
  }
  library->BN_clear_free(power);
  library->BN_clear_free(e);
  library->BN_clear_free(b);
  library->BN_clear_free(last);
  library->BN_clear_free(prime);
  library->BN_CTX_free(context);
  return status;
}

// HKDF-SHA256 without salt and info (EVP_KDF-HKDF(7)); 1 on success.
static inline int clibcrypto_hkdf_sha256(
    const struct clibcrypto *library, const unsigned char *key, size_t key_count,
    unsigned char *output, size_t output_count) {
  EVP_KDF_CTX *context = library->EVP_KDF_CTX_new(library->hkdf);
  if (context == NULL) return 0;
  char digest[] = "SHA256";
  OSSL_PARAM parameters[] = {
      {OSSL_KDF_PARAM_DIGEST, OSSL_PARAM_UTF8_STRING, digest, sizeof digest - 1,
       OSSL_PARAM_UNMODIFIED},
      {OSSL_KDF_PARAM_KEY, OSSL_PARAM_OCTET_STRING, (void *)key, key_count, OSSL_PARAM_UNMODIFIED},
      {NULL, 0, NULL, 0, 0}};
  int status = library->EVP_KDF_derive(context, output, output_count, parameters);
  library->EVP_KDF_CTX_free(context);
  return status;
}

// AES-128 in CBC mode with the padding of PKCS 7 (EVP_EncryptInit(3)). Returns the number of
// written bytes, at most 16 more than the input has; -1 on failure.
static inline int clibcrypto_aes128_cbc(
    const struct clibcrypto *library, int encrypts, const unsigned char *key,
    const unsigned char *vector, const unsigned char *input, int input_count,
    unsigned char *output) {
  // EVP_CIPHER_CTX_free(3) clears the key.
  EVP_CIPHER_CTX *context = library->EVP_CIPHER_CTX_new();
  int written = 0, last = 0, total = -1;
  if (context != NULL &&
      library->EVP_CipherInit_ex2(context, library->aes128_cbc, key, vector, encrypts, NULL) == 1 &&
      library->EVP_CipherUpdate(context, output, &written, input, input_count) == 1 &&
      library->EVP_CipherFinal_ex(context, output + written, &last) == 1) {
    total = written + last;
  }
  library->EVP_CIPHER_CTX_free(context);
  return total;
}
