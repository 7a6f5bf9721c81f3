/// The engine's messages about calls with invalid or refused arguments.
extension StatedTexts {
  typealias Entry = (what: String, text: String)

  static let accounts: [Entry] = [
    ("several accounts, and none is named", "there are several accounts: name one"),
    ("a new name that another account has", "the account ‹work› already exists"),
    (
      "a finger with another name",
      "no such finger; use one of left-thumb, left-index, right-thumb, right-index"
    ),
    (
      "a security key with a name that is too long",
      "the name of a security key has 1 to 64 printable characters"
    ),
    ("a rule of one's own that there is not", "unknown rule; you can set remote"),
    (
      "a rule for callers in a private vault",
      "caller.ci.accounts has no effect in a private vault: it is a rule of the service"
    ),
    (
      "a rule for locations in a private vault",
      "remote has no effect in a private vault, where all callers have the same location:"
        + " it is a rule of the service"
    ),
    ("a reason that is too long", "the reason may have at most 200 characters"),
    ("an account that a rule does not allow", "name one of the accounts of the rule \"ci\": me"),
    (
      "a prompt for too many scopes",
      "the question is too long to be shown: 5000 characters, at most 1000;"
        + " ask for fewer scopes at a time"
    ),
  ]

  static let signIns: [Entry] = [
    (
      "a browser for a password backend",
      "dev is a password backend: sign in with e-mail and password"
    ),
    (
      "a redirect of another port",
      "the redirect is not http://127.0.0.1:8400/callback, as redirect_uri says"
    ),
    ("a redirect for a device login", "a device login completes by itself: wait for it"),
    ("a wait for a login in a browser", "a browser login does not complete by itself: finish it"),
    (
      "a refresh token for a provider of one token",
      "dev gives one token, and no refresh token"
    ),
    (
      "a login that another connection began",
      "there is no such login on this connection: begin it again"
    ),
    (
      "a login at a provider of static secrets",
      "keys has no login, only static secrets: thumblatch store me"
    ),
    (
      "a login for an account with a secret",
      "me keeps a static secret, and has no login: take another account name, or first:"
        + " thumblatch account remove me"
    ),
    (
      "scopes that the provider does not offer",
      "the provider does not grant the scopes that were asked for, admin (invalid_scope);"
        + " thumblatch provider test dev shows those that it offers"
    ),
    ("a browser without a redirect", "a browser login needs a redirect"),
    ("a device with a redirect", "a device login has no redirect"),
  ]

  static let tokens: [Entry] = [
    ("a lifetime of two years", "the minimum lifetime must be between 0 seconds and a year"),
    (
      "a scope that the login has not",
      "the login of me has no scope admin, only ‹openid›: ask for these, or log in again with"
        + " --scope; if dev grants more to a login, set refresh_scope = any"
    ),
    ("scopes at a password backend", "‹me› has neither scopes nor audiences"),
    ("another audience than the resource", "the tokens of me are only for their resource"),
    (
      "scopes at a provider of one token",
      "dev issues only one token, with the scopes of the login"
    ),
    (
      "scopes at a provider that narrows",
      "at ‹dev›, a refresh with fewer scopes permanently narrows the login of account '‹me›'"
        + " (refresh_scope = whole): sign in to a separate account for these scopes:"
        + " thumblatch login NAME --provider ‹dev› --scope SCOPES"
    ),
    (
      "a watch that looks back",
      "`refresh_ahead` must be 0 seconds or more"
    ),
  ]

  static let secrets: [Entry] = [
    ("a secret of nothing", "a secret has 1 to 65536 bytes, not 0"),
    ("a secret with a NUL", "a secret is UTF-8 text without NUL"),
    (
      "a secret with an escape character",
      "a secret may not contain control characters other than tabs and line ends: encode it as text"
    ),
    (
      "a secret of quotation marks",
      "the secret has too many control characters and quotation marks"
    ),
    ("an end in the year 10000", "expires_at is after the year 9999"),
    ("an end of yesterday", "the secret has expired already"),
    ("a label of two lines", "‹label› has 1 to ‹256› bytes without control characters"),
    ("claims that are too long", "claims have at most 4096 bytes, and are not nested deeply"),
    ("claims with a name of the token", "claims must not have a member named token"),
    (
      "a secret for a provider with a login",
      "only a provider of kind static keeps secrets without a login"
    ),
    (
      "a secret for an account with a login",
      "me signs in at dev, and keeps no static secret: take another name"
    ),
    (
      "a secret that is stored again without protection",
      "me is protected, and stays so: thumblatch presence disable me"
    ),
  ]

  static let machineKey: [Entry] = [
    (
      "a TPM with an owner password, for a counter",
      "the TPM has an owner password, so no counter can be defined: as root, remove the password"
    ),
    (
      "a TPM with an owner password, and a counter to be removed",
      "the TPM has an owner password, so the unused counter stays: as root, remove the password"
    ),
    (
      "a TPM with an owner password, for a slot",
      "the TPM has an owner password and no storage key at 0x81000001: as root, make that key"
        + " persistent, or remove the password"
    ),
    (
      "a TPM that the engine may not open",
      "the engine may not open the TPM (/dev/tpmrm0): let group tss open it,"
        + " and for a private vault add the user to that group and sign in again"
    ),
    (
      "the first slot is added twice",
      "the machine key was made before: thumblatch device-secret status"
    ),
    ("the TPM is added twice", "the TPM opens slot ‹tpm› already"),
    ("a slot that there is not", "there is no such slot: thumblatch device-secret status"),
    (
      "a recovery code of another vault",
      "this code opens no slot: it is the code of another vault, or was removed"
    ),
    (
      "too many slots",
      "there are 16 slots: remove one first (thumblatch device-secret remove)"
    ),
    (
      "a slot without a machine key",
      "the device secret is in a file: add the TPM or a security key first"
        + " (thumblatch device-secret add)"
    ),
    ("a touch without a security key", "the machine key has no security key"),
    (
      "two security keys are plugged in",
      "several security keys are plugged in: leave the one to add"
    ),
    ("a security key is added twice", "this security key has a slot already"),
    (
      "a security key without hmac-secret",
      "this security key cannot keep a secret for a slot (it has no hmac-secret): use another one"
    ),
    (
      "a security key that is blocked",
      "too many PINs were wrong: the security key must be reset first"
    ),
    (
      "a recovery code that is too short",
      "a recovery code has 34 letters and digits, and this has 3"
    ),
    ("a recovery code with another letter", "character 4 is never used in a recovery code"),
    (
      "the code is typed back on another connection",
      "no recovery code was shown to this caller: begin again"
    ),
  ]

  static let moving: [Entry] = [
    ("a header of a backup with more behind it", "bytes follow the header"),
    (
      "a backup under an old recovery code",
      "this code opens no slot of this vault: type the current recovery code"
    ),
    ("a key of another length", "a key of a backup has 32 bytes"),
    (
      "a passphrase for a recovery code",
      "this backup opens with its recovery code, not with a passphrase"
    ),
    (
      "a recovery code for a passphrase",
      "this backup opens with its passphrase, not with a recovery code"
    ),
    ("no memory for the key", "the key of the backup cannot be used: no memory"),
    (
      "an export of one account twice",
      "an export needs a digest of 32 bytes and different accounts"
    ),
    ("an export to a vault without a name", "a vault is named by 16 bytes"),
    ("a receipt of another vault", "this receipt does not belong to this handover"),
    ("a backup that was cut", "the backup is damaged; nothing was changed"),
    (
      "another passphrase",
      "‹this passphrase› does not open the backup, or the backup is damaged"
    ),
    ("a transfer without a name", "a transfer is named by 16 bytes"),
    ("a backup in one reply", "a backup comes in parts: call with `more`"),
    ("accounts in one reply", "accounts come in parts: call with `more`"),
    ("a key together with a code", "a backup needs either a key or a recovery code"),
  ]

  static let calls: [Entry] = [
    ("a rule for callers that there is not", "there is no rule of that name: thumblatch rule list"),
    ("a rule of a process that has ended", "there is no process 4211"),
    ("a rule of a process that is hidden", "/proc does not show process 4211"),
    ("a rule of a process and a unit", "either a process or a unit is needed"),
    ("the audit log in one reply", "audit records come one by one: call with `more`"),
    ("all accounts in one reply", "accounts come one by one: call with `more`"),
    ("all findings in one reply", "findings come one by one: call with `more`"),
    (
      "a user that had two uids",
      "several vaults were made for ada: name the uid (1001, 1002)"
    ),
  ]
}
