/// Texts of pages that come in English from other rooms.
enum PageTexts {
  static let names = [
    "accounts", "audit-log", "certificates", "clock", "clock-audit", "device-secret", "engine",
    "environment", "free-space", "locale", "login-events", "memory", "open-files", "password",
    "policy", "programs", "providers", "proxy", "reader", "rollback-counter", "security-keys",
    "service-socket", "slots", "state-directory", "store", "store-files", "token-files",
    "tpm-counter", "transfer",
  ]
  static let messages = [
    "private, version 7, process 8", "service, version 7, process 8",
    "no more files can be created: nothing can be refreshed",
    "b7 is missing: it is not in /c7 or /d7", "b7 is missing: it is not in /c7",
    "the vault needs the TPM of this machine, a security key or the recovery code",
    "the vault needs a security key or the recovery code",
    "the vault needs a touch of its security key",
    "/b7 is not used: others may write to it or to its directory",
    "no fingerprint reader can be used: no fingerprint reader is plugged in",
    "the account m7 is uncertain: the provider answered 503", "not checked",
    "r7, in use by a program now",
    "2 security keys are enrolled: 'k7', 'l7'; each must verify its person",
  ]
  static let remedies = [
    "unset it; the variables are B7 and C7", "find out who could use it; then: chmod 600 /b7",
    "restore it from a copy; or: thumblatch account remove m7 --local, then sign in again",
    "the login is kept, and the next use asks again, after a while; if d7 answers so to a dead"
      + " token: e7 in its provider file, then thumblatch provider apply d7. To sign in now:"
      + " thumblatch login m7",
  ]
  /// Values that are words of the doctor.
  static let hostile = [
    "the account private is uncertain: %s", "the account service cannot be used",
    "the account a is uncertain: b is uncertain: c",
  ]
}
