#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

// HKDF-SHA256, extract and expand (EVP_KDF-HKDF(7)); 1 on success. It is in C because an OSSL_PARAM
// keeps pointers to its name and value, which must exist until the derivation ends.
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
  // HMAC treats an empty salt and no salt alike; the library refuses a NULL value.
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

// Makes a public key of a type from its parameters (EVP_PKEY_fromdata(3)); NULL if they are
// invalid. It is in C because the parameters must outlive the call, and because EVP_PKEY_PUBLIC_KEY
// is an expression.
static inline EVP_PKEY *copenssl_public_key(
    OSSL_LIB_CTX *library, const char *type, OSSL_PARAM *parameters) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(library, type, NULL);
  if (context != NULL && EVP_PKEY_fromdata_init(context) == 1 &&
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  return key;
}

// An RSA key from modulus and exponent, both big-endian (EVP_PKEY-RSA(7)).
static inline EVP_PKEY *copenssl_rsa_key(
    OSSL_LIB_CTX *library, const unsigned char *modulus, int modulus_count,
    const unsigned char *exponent, int exponent_count) {
  EVP_PKEY *key = NULL;
  BIGNUM *n = BN_bin2bn(modulus, modulus_count, NULL);
  BIGNUM *e = BN_bin2bn(exponent, exponent_count, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM *parameters = NULL;
  if (n != NULL && e != NULL && builder != NULL &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1 &&
      (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL) {
    key = copenssl_public_key(library, "RSA", parameters);
  }
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  BN_free(e);
  BN_free(n);
  return key;
}

// A key from a point of a curve, such as P-256: 4, x, y (EVP_PKEY-EC(7)). NULL if the point is not
// on the curve.
static inline EVP_PKEY *copenssl_ec_key(
    OSSL_LIB_CTX *library, const char *curve, const unsigned char *point, size_t count) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
      OSSL_PARAM_construct_end()};
  return copenssl_public_key(library, "EC", parameters);
}

// An Ed25519 key from its 32 bytes (EVP_PKEY-ED25519(7)).
static inline EVP_PKEY *copenssl_ed25519_key(
    OSSL_LIB_CTX *library, const unsigned char *bytes, size_t count) {
  OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)bytes, count),
      OSSL_PARAM_construct_end()};
  return copenssl_public_key(library, "ED25519", parameters);
}

// Verifies a signature in one call (EVP_DigestVerify(3)). `digest` is NULL for Ed25519, which
// hashes by itself. `pss` is 1 for RSA-PSS with MGF1 of the same digest and a salt of the digest's
// length (EVP_SIGNATURE-RSA(7)). Returns 1 for a valid signature, 0 for an invalid one, and less on
// an error.
static inline int copenssl_verify(
    OSSL_LIB_CTX *library, EVP_PKEY *key, const char *digest, int pss,
    const unsigned char *signature, size_t signature_count, const unsigned char *message,
    size_t message_count) {
  OSSL_PARAM padding[] = {
      OSSL_PARAM_construct_utf8_string(
          OSSL_SIGNATURE_PARAM_PAD_MODE, (char *)OSSL_PKEY_RSA_PAD_MODE_PSS, 0),
      OSSL_PARAM_construct_utf8_string(
          OSSL_SIGNATURE_PARAM_PSS_SALTLEN, (char *)OSSL_PKEY_RSA_PSS_SALT_LEN_DIGEST, 0),
      OSSL_PARAM_construct_end()};
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (context == NULL) return -1;
  int status = EVP_DigestVerifyInit_ex(
      context, NULL, digest, library, NULL, key, pss ? padding : NULL);
  if (status == 1) {
    status = EVP_DigestVerify(context, signature, signature_count, message, message_count);
  } else {
    status = -1;
  }
  EVP_MD_CTX_free(context);
  return status;
}
