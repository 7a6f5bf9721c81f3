#pragma once
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

// HKDF-SHA256, extract and expand (EVP_KDF-HKDF(7)). In C because an OSSL_PARAM keeps pointers to
// its name and value, which must live until the derivation is done. 1 on success.
static inline int copenssl_hkdf_sha256(
    EVP_KDF *kdf, const void *key, size_t key_count, const void *salt, size_t salt_count,
    const void *info, size_t info_count, unsigned char *output, size_t output_count) {
  // EVP_KDF_CTX_free(3) clears the copy of the key that the context holds.
  EVP_KDF_CTX *context = EVP_KDF_CTX_new(kdf);
  if (context == NULL) return 0;
  OSSL_PARAM parameters[5];
  int count = 0;
  parameters[count++] =
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0);
  parameters[count++] =
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)key, key_count);
  // "An empty salt" and "no salt" are the same to HMAC; the library refuses a NULL value.
  if (salt_count > 0) {
    parameters[count++] =
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count);
  }
  if (info_count > 0) {
    parameters[count++] =
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count);
  }
  parameters[count] = OSSL_PARAM_construct_end();
  int status = EVP_KDF_derive(context, output, output_count, parameters);
  EVP_KDF_CTX_free(context);
  return status;
}
