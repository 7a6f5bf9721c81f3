// The TPM 2.0 Software Stack: the enhanced system API (Esys_*), only over the device. Never call
// Tss2_TctiLdr_Initialize: it would also try a TCP port, where any user could pretend to be the
// TPM.
//
// The constants of the library are casts, which Swift does not import. So the templates are in C.
#pragma once
#include <stdlib.h>
#include <string.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_tcti_device.h>

// Opens a device (Tss2_Tcti_Device_Init(3)).
static inline TSS2_RC ctss_open(const char *path, TSS2_TCTI_CONTEXT **device) {
  size_t size = 0;
  TSS2_RC code = Tss2_Tcti_Device_Init(NULL, &size, NULL);
  if (code != TSS2_RC_SUCCESS) return code;
  *device = (TSS2_TCTI_CONTEXT *)calloc(1, size);
  if (*device == NULL) return TSS2_TCTI_RC_MEMORY;
  code = Tss2_Tcti_Device_Init(*device, &size, path);
  if (code == TSS2_RC_SUCCESS) return code;
  free(*device);
  *device = NULL;
  return code;
}

static inline void ctss_close(TSS2_TCTI_CONTEXT *device) {
  if (device == NULL) return;
  Tss2_Tcti_Finalize(device);
  free(device);
}

// The storage key: the same TPM makes the same key from it each time, until it is cleared.
static inline void ctss_storage_key(TPM2B_PUBLIC *key) {
  memset(key, 0, sizeof *key);
  TPMT_PUBLIC *area = &key->publicArea;
  area->type = TPM2_ALG_ECC;
  area->nameAlg = TPM2_ALG_SHA256;
  area->objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT |
      TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH | TPMA_OBJECT_NODA |
      TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT;
  area->parameters.eccDetail.symmetric.algorithm = TPM2_ALG_AES;
  area->parameters.eccDetail.symmetric.keyBits.aes = 128;
  area->parameters.eccDetail.symmetric.mode.aes = TPM2_ALG_CFB;
  area->parameters.eccDetail.scheme.scheme = TPM2_ALG_NULL;
  area->parameters.eccDetail.curveID = TPM2_ECC_NIST_P256;
  area->parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL;
}

// Whether a key protects as well as one from the template.
static inline int ctss_is_storage_key(const TPM2B_PUBLIC *key) {
  TPM2B_PUBLIC wanted;
  ctss_storage_key(&wanted);
  const TPMT_PUBLIC *area = &key->publicArea;
  return area->type == wanted.publicArea.type && area->nameAlg == wanted.publicArea.nameAlg &&
      (area->objectAttributes & wanted.publicArea.objectAttributes) ==
          wanted.publicArea.objectAttributes;
}

// A sealed secret. Only the policy opens it, and wrong answers do not count for the lockout.
static inline void ctss_sealed(TPM2B_PUBLIC *object) {
  // PolicyAuthValue: SHA-256 of 32 zero bytes and TPM2_CC_PolicyAuthValue.
  static const BYTE policy[] = {
      0x8f, 0xcd, 0x21, 0x69, 0xab, 0x92, 0x69, 0x4e, 0x0c, 0x63, 0x3f, 0x1a, 0xb7, 0x72, 0x84, 0x2b,
      0x82, 0x41, 0xbb, 0xc2, 0x02, 0x88, 0x98, 0x1f, 0xc7, 0xac, 0x1e, 0xdd, 0xc1, 0xfd, 0xdb, 0x0e};
  memset(object, 0, sizeof *object);
  TPMT_PUBLIC *area = &object->publicArea;
  area->type = TPM2_ALG_KEYEDHASH;
  area->nameAlg = TPM2_ALG_SHA256;
  area->objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_NODA;
  area->authPolicy.size = sizeof policy;
  memcpy(area->authPolicy.buffer, policy, sizeof policy);
  area->parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL;
}

// A counter. The authorization value permits reads and increments. The policy permits its
// replacement.
static inline void ctss_counter(TPM2B_NV_PUBLIC *counter, TPM2_HANDLE index) {
  // PolicyAuthValue, then PolicyCommandCode of TPM2_CC_NV_ChangeAuth: SHA-256 of the digest of a sealed
  // secret, TPM2_CC_PolicyCommandCode and TPM2_CC_NV_ChangeAuth.
  static const BYTE policy[] = {
      0x36, 0x3a, 0xc9, 0x45, 0xb6, 0x45, 0x7c, 0x47, 0xc3, 0x1f, 0x33, 0x55, 0xdb, 0xa0, 0xdb, 0x27,
      0xde, 0x8d, 0xb2, 0x13, 0xd6, 0x25, 0x0c, 0x6b, 0xf7, 0x96, 0x85, 0x00, 0x3f, 0x9f, 0xe7, 0xab};
  memset(counter, 0, sizeof *counter);
  TPMS_NV_PUBLIC *area = &counter->nvPublic;
  area->nvIndex = index;
  area->nameAlg = TPM2_ALG_SHA256;
  area->attributes = TPMA_NV_AUTHREAD | TPMA_NV_AUTHWRITE | TPMA_NV_NO_DA |
      ((TPMA_NV)TPM2_NT_COUNTER << TPMA_NV_TPM2_NT_SHIFT);
  area->authPolicy.size = sizeof policy;
  memcpy(area->authPolicy.buffer, policy, sizeof policy);
  area->dataSize = 8;
}

// Satisfies the counter's policy in a session, so that TPM2_NV_ChangeAuth succeeds.
static inline TSS2_RC ctss_change_policy(ESYS_CONTEXT *context, ESYS_TR session) {
  TSS2_RC code =
      Esys_PolicyAuthValue(context, session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE);
  if (code != TSS2_RC_SUCCESS) return code;
  return Esys_PolicyCommandCode(
      context, session, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, TPM2_CC_NV_ChangeAuth);
}

// Whether an index is a counter of this kind.
static inline int ctss_is_counter(const TPM2B_NV_PUBLIC *found) {
  TPM2B_NV_PUBLIC wanted;
  ctss_counter(&wanted, found->nvPublic.nvIndex);
  return (found->nvPublic.attributes & ~TPMA_NV_WRITTEN) == wanted.nvPublic.attributes &&
      found->nvPublic.dataSize == wanted.nvPublic.dataSize;
}

// A session that is salted with a key, so that only the holder of the key reads its messages.
static inline TSS2_RC ctss_start_session(
    ESYS_CONTEXT *context, ESYS_TR key, int with_policy, ESYS_TR *session) {
  TPMT_SYM_DEF cipher = {
      .algorithm = TPM2_ALG_AES, .keyBits = {.aes = 128}, .mode = {.aes = TPM2_ALG_CFB}};
  TSS2_RC code = Esys_StartAuthSession(
      context, key, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, NULL,
      with_policy ? TPM2_SE_POLICY : TPM2_SE_HMAC, &cipher, TPM2_ALG_SHA256, session);
  if (code != TSS2_RC_SUCCESS) return code;
  code = Esys_TRSess_SetAttributes(
      context, *session,
      TPMA_SESSION_DECRYPT | TPMA_SESSION_ENCRYPT | TPMA_SESSION_CONTINUESESSION, 0xff);
  if (code != TSS2_RC_SUCCESS) Esys_FlushContext(context, *session);
  return code;
}

// The fixed properties: maker and firmware.
static inline TSS2_RC ctss_properties(ESYS_CONTEXT *context, TPMS_CAPABILITY_DATA **data) {
  TPMI_YES_NO more;
  return Esys_GetCapability(
      context, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, TPM2_CAP_TPM_PROPERTIES, TPM2_PT_FIXED,
      TPM2_MAX_TPM_PROPERTIES, &more, data);
}

// One of the properties; 0 if it is missing.
static inline UINT32 ctss_property(const TPMS_CAPABILITY_DATA *data, UINT32 property) {
  const TPML_TAGGED_TPM_PROPERTY *list = &data->data.tpmProperties;
  for (UINT32 i = 0; i < list->count && i < TPM2_MAX_TPM_PROPERTIES; i++) {
    if (list->tpmProperty[i].property == property) return list->tpmProperty[i].value;
  }
  return 0;
}
enum {
  ctss_maker = 0x105,            // TPM2_PT_MANUFACTURER
  ctss_firmware_version_1 = 0x10b,  // TPM2_PT_FIRMWARE_VERSION_1
  ctss_firmware_version_2 = 0x10c,  // TPM2_PT_FIRMWARE_VERSION_2
};
