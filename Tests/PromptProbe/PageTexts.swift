/// Texts of pages that come in English from other rooms.
enum PageTexts {
  static let names = [
    "accounts", "audit-log", "certificates", "clock", "clock-audit", "device-secret", "engine",
    "environment", "free-space", "locale", "login-events", "memory", "open-files", "password",
    "policy", "programs", "providers", "proxy", "reader", "rollback-counter", "security-keys",
    "service-socket", "slots", "state-directory", "store", "store-files", "token-files",
    "tpm-counter", "transfer",
  ]
  static let messages =
    [
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
    ] + errors
  /// Errors of other rooms in findings, and some that are findings themselves.
  private static let errors = [
    "the slot of m7 cannot be used: slots/b7: has mode 0644, which lets others in",
    "the slot of m7 cannot be used: damaged: slots/b7",
    "tokens/m7: belongs to user 7, not to this one",
    "could not be examined: the store failed (SQLite result 11)",
    "could not be examined: the sealed token of m7 does not open: sealed for another account",
    "the policy cannot be read: /c7/c7.conf:7: c7: must be a whole number from 1 to 7, not \"d7\"",
    "/c7/d7.provider:7: d7: unknown key", "/c7/d7.provider: has no section [D7]",
    "/c7/d7.provider:7: issuer: must be an https:// URL with only host, port and path"
      + " (http:// only on localhost), not \"d7\"",
    "/c7/d7.provider holds a client_secret, and other users can read it",
    "the store is older than its rollback counter: an old copy was restored",
    "the device secret has 7 bytes in place of 32", "the machine key cannot be used: it is damaged",
    "the vault needs the TPM of this machine, and there is none (/dev/tpmrm0)",
    "the TPM has no rollback counter against old copies of the directory: the TPM has no room for a"
      + " counter: as root, remove an NV index that is not in use (tpm2_getcap handles-nv-index,"
      + " tpm2_nvundefine)",
    "the record of the security key 'k7' does not open: sealed for another vault",
    "/c7 cannot be used: other users may enter it (mode 755)",
    "the engine did not start: the vault is open in another process",
    "the account m7 needs another secret: its secret has expired",
    "the secret of m7 expires at 2027-01-15T08:00:00Z",
    "the accounts are on their way into the service, and a call was interrupted",
  ]
  static let remedies = [
    "unset it; the variables are B7 and C7", "find out who could use it; then: chmod 600 /b7",
    "restore it from a copy; or: thumblatch account remove m7 --local, then sign in again",
    "the login is kept, and the next use asks again, after a while; if d7 answers a dead"
      + " token like this, set e7 in its provider file, then run thumblatch provider apply d7. To sign"
      + " in now: thumblatch login m7",
    "find out who could read it, then chmod go= (directories 0700, files 0600); or: thumblatch"
      + " account remove m7 --local, then sign in again",
    "restore the directory machine-key from a copy; or open it with the recovery code: thumblatch"
      + " recover --code",
    "if you restored it yourself, accept it: thumblatch recover",
    "find out who changed it; then use chown, and chmod go-w",
  ]
  /// Why the machine key, the TPM or its counter cannot be used.
  static let keyProblems = [
    "this machine has no TPM (/dev/tpmrm0)", "it is damaged",
    "the engine may not open the TPM (/dev/tpmrm0): let group tss open it, and for a private vault"
      + " add the user to that group and sign in again",
    "the TPM's counter was removed or replaced: the vault may be an old copy",
  ]
  /// Why a reader cannot be used, or is not looked for.
  static let readers = [
    "no fingerprint reader is plugged in", "reader busy: another program has it (7)",
    "this user may not open the fingerprint reader", "not checked: no supported reader is on USB",
  ]
  /// Why a backup has no refresh token of an account.
  static let leftOut = [
    "its secret stays in the vault", "it needs a login", "it is signed out",
    "no refresh token may leave the vault (exportable, /c7:7)",
    "no refresh token may leave the vault", "it is not exportable",
    "it is on its way into a private vault",
    "the answer to its last refresh was lost; first run thumblatch token m7",
    "its last refresh had no clear answer (the provider answered 503); first run thumblatch token m7",
    "its last login is not finished; first run thumblatch token m7",
    "its provider replaces refresh tokens",
    "no refresh has shown yet whether its provider replaces refresh tokens",
  ]
  /// Details of audit records.
  static let details = [
    "generation 7", "generation 7, for https://c7.d7, expires at 2027-01-15T08:00:00Z",
    "as the access token", "was m7", "uncertain: the provider answered 503",
    "uncertain: the provider refused the refresh token without a reason (HTTP 7, an empty answer)",
    "generation 7, no usable access token", "kept here",
  ]
  /// Details of records of other events.
  static let eventDetails = [
    ("unlock", "all accounts, sliding"), ("unlock", "sliding, m7, sliding"),
    ("protection", "on"), ("protection", "off"), ("presence-check", "refresh: no_match"),
    ("presence-check", "unlock: not_available (no fingerprint reader is plugged in)"),
    ("enrollment", "right-index: timed_out"), ("enrollment", "left-thumb"),
    ("key-enrollment", "k7: cancelled"),
    ("fingers-changed", "enrolled fingers changed: added right-index"),
    ("refusal", "7 × too many prompts"), ("refusal", "7 × outside the user's rule \"c7\""),
    ("refusal", "7 × busy, 8 × check locked_out, by others"),
    ("logout", "erased here, unknown whether revoked"), ("logout", "revoked"),
    ("account-removed", "by root; erased here, not revoked"),
    ("account-moved", "into the service; it stays here"),
    ("lock", "the screen was locked"), ("lock", "the policy was changed"),
    ("access-token", "as the access token, 7 times without a check, of 8 accounts"),
    ("access-token", "as the access token, and 7 times before, rule \"c7\""),
    ("access-token", "7 times, with a reason"),
    ("refresh", "provider unavailable: certificate expired"), ("refresh", "offline"),
    ("refresh", "for https://c7.d7, scope c7 d7"),
    ("login", "generation 1, exportable, protection on, not granted: c7 d7"),
    ("rekey", "7 tokens, 8 prints; under the machine key now"),
    ("store-recovered", "older than the rollback counter; 7 accounts need a login"),
    ("machine-key", "added a slot: tpm"), ("machine-key", "opened with the recovery code"),
    ("audit-pruning", "7 records removed, up to number 8"),
  ]
  /// Values that are words of the doctor.
  static let hostile = [
    "the account private is uncertain: %s", "the account service cannot be used",
    "the account a is uncertain: b is uncertain: c",
  ]
}
