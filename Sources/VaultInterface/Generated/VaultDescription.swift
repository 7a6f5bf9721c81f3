// Written by Scripts/interface from io.thumblatch.Vault.varlink: change that file instead.
// swift-format-ignore-file
package import Varlink
internal import PresenceTerms

extension VarlinkInterface {
  /// The interface `io.thumblatch.Vault`.
  package static let vault = VarlinkInterface(
    name: "io.thumblatch.Vault",
    description: vaultDescription,
    maximumMessage: 65536,
    callSecrets: ["backup_key", "client_secret", "code", "password", "pin", "query", "receipt", "recovery", "refresh_token", "secret", "text"],
    replySecrets: ["client_secret", "code", "refresh_token"]
  )
}

/// The file `io.thumblatch.Vault.varlink`, byte for byte.
let vaultDescription = #"""
  # The token vault of one user (private form) or of all users of the machine (service). Messages
  # are at most 65536 bytes with their NUL. Times are seconds since 1970, UTC; durations are seconds.
  # Methods and optional members are added, never changed.
  #
  # A method with a member `prompt` may need a presence check. It fails with PresenceNeeded. It does
  # its work when the client calls it again with the prompt whose check has passed. `ask` says whether
  # the client can show a prompt. If it is true, the client shows the prompt at once, and the prompt
  # counts against the rate limit of prompts from when it opens. If it is false, no prompt opens, and
  # the `prompt` of PresenceNeeded is empty. If it is absent, a prompt counts from when its check
  # begins. `reason` says why the program needs the check, in at most 200 characters. The prompt shows
  # it as not verified, and the audit log records it. Both calls must give the same `reason`.
  #
  # A call without `account` means the default account. Scopes are separated by spaces.
  #
  # A comment line in square brackets marks the member below it:
  # [secret]: the engine and its clients keep the value in locked memory, and never print it.
  # [base64]: the text encodes bytes (RFC 4648, section 4, with padding).
  # [secret KEY]: the same, for the value of this key in a map.
  # [true if absent], [false if absent], [empty if absent]: the meaning of an absent member.
  # [always sent]: this version always sends the member.
  # [word of TYPE]: the text is a value of this type, or a value that a later version adds.
  # [word of TYPE or WORD]: the same; an unknown value is read as this one.
  # [variant]: the value decides which of the marked members are present.
  # [of VALUE]: the member is present with this value. [maybe of VALUE]: it may be present.
  interface io.thumblatch.Vault

  # A provider: where accounts sign in.
  type Provider (
    name: string,
    # The keys of the [Provider] section of a provider file. A certificate authority is given as its
    # contents (`ca`), never as a path.
    # [secret client_secret]
    settings: [string]string
  )

  # A presence check, as a client shows it to the person. The error PresenceNeeded has the same
  # members.
  type DesktopPrompt (
    # The prompt to pass to Check.
    prompt: string,
    # The program that makes the request, as text to show to the person.
    requester: string,
    account: ?string,
    purpose: PresencePurpose,
    # Exactly what the check allows: the finger, the accounts and the time, or the provider.
    detail: ?string,
    # The methods that may pass the check.
    methods: []PresenceMethod,
    timeout: int,
    # Why the password is needed although a finger is usually enough: show it.
    reason: ?string,
    # How to touch the reader that was used last.
    scan: ?ScanType,
    # The program's own reason for needing the token. It is not verified: show it in quotes.
    stated_reason: ?string,
    # Whether the check is possible only by AskAtDesktop, because the connection is restricted.
    # [false if absent]
    at_desktop: ?bool
  )

  # An account in a backup.
  type BackupAccount (
    name: string,
    # The name of its provider.
    provider: string,
    # Why the backup does not have its refresh token.
    reason: ?string
  )

  # An account in a backup, as Restore adds it to the vault.
  type RestoredAccount (
    name: string,
    provider: Provider,
    # Whether it needs no login.
    signed_in: bool,
    # Whether the vault had an account of this name.
    exists: bool
  )

  # An account that has moved to another vault.
  type MovedAccount (
    name: string,
    # The name of its provider.
    provider: string,
    # Whether it needs no login.
    signed_in: bool
  )

  # An account of the service, and whether it may move into the private vault of its user.
  type ExportableAccount (
    name: string,
    # The name of its provider.
    provider: string,
    # Why it stays in the service; absent if it may move.
    reason: ?string
  )

  # The subject of a notice.
  type NoticeKind (
    # A check or the open unlock window has allowed a request.
    allowed,
    # An account needs a login from now on.
    login_required,
    # A static secret expires soon.
    secret_expires
  )

  # A message that an agent shows after an event, without a question.
  type DesktopNotice (
    kind: NoticeKind,
    account: string,
    # The program that made the request, for `allowed`.
    requester: ?string,
    # The purpose of its request, for `allowed`.
    purpose: ?PresencePurpose,
    # The further detail that the prompt showed.
    detail: ?string,
    # How presence was proven: a method, or `unlock-window`.
    method: ?string,
    # Whether the person can sign in with a browser, for `login_required`.
    browser: ?bool,
    # When the secret expires, in seconds since 1970, for `secret_expires`.
    expires_at: ?int
  )

  # The form of an engine.
  type VaultForm (
    # One engine for each user, with that user's vault.
    private,
    # One engine for the machine, with the vaults of all users.
    service
  )

  # The kind of memory that holds an engine's secrets.
  type SecretMemoryKind (
    # Memory that even the kernel does not map: memfd_secret(2).
    secret,
    # Memory that is not swapped: mlock(2).
    locked,
    # Memory without protection.
    ordinary
  )

  # The state of an account.
  type AccountState (
    # The next access token needs no presence check.
    ready,
    # The next access token needs a presence check.
    locked,
    # Only earlier engines send this: a refresh brings the next access token.
    expired,
    # A refresh is under way.
    refreshing,
    # A refresh was sent, and its answer has not come yet.
    uncertain,
    # Only a new sign-in helps.
    login_required,
    # The account has no tokens.
    signed_out
  )

  # A method of proving presence.
  type PresenceMethod (
    # A finger on the reader.
    fingerprint,
    # A touch of an enrolled security key.
    key,
    # The password of the system user.
    password
  )

  # The purpose of a presence check.
  type PresencePurpose (
    # Refresh an access token.
    refresh,
    # Turn presence protection on.
    enable,
    # Turn presence protection off.
    disable,
    # Open the unlock window.
    unlock,
    # Enroll a finger.
    enroll,
    # Delete a finger.
    delete_finger,
    # Release a refresh token from the vault.
    release,
    # Sign in to an account whose refresh token may be released.
    exportable,
    # Make a new device secret.
    rekey,
    # Change the slots of the machine key.
    machine_key,
    # Accept an old copy of the store that was restored.
    recover,
    # Test the reader or the password. Nothing is released.
    test,
    # Send the tokens of an account to another provider.
    apply_provider,
    # Rename a protected account.
    rename,
    # Change the rules of the policy.
    policy,
    # End a sign-in at its provider.
    sign_out,
    # Remove a protected account.
    remove,
    # Sign in to a protected account as another person, or at another provider.
    replace,
    # Make another account the default instead of a protected one.
    set_default,
    # Put refresh tokens into an encrypted backup.
    backup,
    # Add the accounts of a backup to a vault that has accounts.
    restore,
    # Move all accounts of a private vault into the service.
    move_to_service,
    # Move accounts of the service into the private vault of their user.
    move_to_private_vault
  )

  # Why a presence check was not passed.
  type PresenceOutcome (
    # The person cancelled, or the caller disconnected.
    cancelled,
    # The person chose the password instead.
    password_chosen,
    # There is no reader, or it cannot be used.
    not_available,
    # No finger is enrolled.
    not_enrolled,
    # Too many fingers did not match, so only the password is accepted.
    locked_out,
    # Another finger, or a wrong password.
    no_match,
    # The person did not answer in time.
    timed_out,
    # The reader or the prompt is in use.
    busy,
    # The system refuses this user even with the right password.
    denied
  )

  # What happens in a presence check.
  type CheckStep (
    # The reader waits, or another caller's check of the same thing goes on.
    waiting,
    # The reader could not see the finger well.
    retry,
    # A question to show. Answer it with Respond.
    ask,
    # What a module of the password's stack says while it works, or beside the right password: show it.
    says,
    # A device failed, and the check goes on by other devices, or once more by this one.
    device_failed,
    # The check passed: repeat the call with the prompt.
    passed,
    # Another prompt is armed. `free` follows when it is over.
    queued,
    # The other prompt is over. This one is not armed: show it, and call Check again.
    free
  )

  # What to do differently after a bad scan (FpDeviceRetry).
  type ScanHint (
    # Leave the finger on the reader longer.
    too_short,
    # Put the finger on the middle of the reader.
    center_finger,
    # Lift the finger and touch again.
    remove_finger,
    # Touch once more. A client takes an unknown word for this one.
    general
  )

  # How the person touches a reader (FpScanType).
  type ScanType (
    # The finger is placed on the reader.
    press,
    # The finger moves over the reader.
    swipe
  )

  # The source of the fingers that can pass a check, and how those of the desktop are known.
  type FingerSource (
    # All fingers are enrolled in the vault.
    own,
    # The desktop's fingers count too. Their prints can be read.
    fprintd,
    # The desktop's fingers count too. Only their names can be read.
    names_only
  )

  # An enrolled security key.
  type SecurityKey (
    # The name that the user gave it.
    name: string,
    # In seconds since 1970.
    enrolled_at: int
  )

  # A step of an enrollment.
  type EnrollEvent (
    # The reader waits for a touch.
    waiting,
    # Another touch is done.
    stage,
    # The last touch does not count.
    retry,
    # The finger or the key is enrolled.
    done
  )

  # How the engine knows whether there is a reader.
  type ReaderKnowledge (
    # From sysfs.
    plugged,
    # sysfs shows no reader, but one was used the last time.
    last_used,
    # sysfs shows no reader, and none that sysfs does not show was used yet.
    not_looked
  )

  # The state of a refresh token at the provider after a sign-out.
  type GrantState (
    # The provider confirmed that it is revoked.
    ended,
    # It is still valid there.
    valid,
    # It may still be valid there.
    unknown,
    # There was none, or the provider had ended it earlier.
    none
  )

  # How a person signs in at the provider.
  type LoginFlow (
    # In a browser, which is redirected to `redirect` with the answer. Its address may be pasted
    # instead.
    browser,
    # With a code, in a browser on any machine (RFC 8628).
    device
  )

  # A step of a sign-in.
  type LoginEvent (
    # The person has not decided yet.
    waiting,
    # The account is signed in.
    done
  )

  # How the vaults are protected, by the weakest way to open them.
  type DeviceSecretTier (
    # A copy of the directory opens the vault.
    file,
    # The machine key is being added: some vaults still open with only their file.
    adding,
    # The vault needs the TPM of this machine, or the recovery code.
    tpm,
    # The vault needs a security key, or the recovery code.
    security_key
  )

  # The result of the comparison with the TPM's counter, which detects an old copy of the whole
  # directory.
  type CounterCheck (
    # There is no TPM counter: an old copy of the whole directory is not detected.
    none,
    # The directory is the latest version.
    current,
    # No check is possible: a recovery code opened the machine key.
    unchecked,
    # The directory is an old copy, or may be one.
    refused
  )

  # What opens a slot of the machine key.
  type SlotKind (
    tpm,
    # A recovery code.
    recovery,
    # A FIDO2 security key.
    security_key
  )

  # The severity of a finding.
  type FindingLevel (
    # There is nothing to do.
    ok,
    # It works, but could work better.
    warning,
    # It does not work, or is not safe.
    problem
  )

  # Why a provider is unavailable, if the caller may want to act on the reason.
  type UnavailableReason (
    # The machine is reachable, but no program listens on the port, or none answers. Nothing was sent.
    not_answering,
    # The certificate is from an authority that is not trusted. Nothing was sent.
    certificate_authority,
    # The certificate has expired. Nothing was sent.
    certificate_expired,
    # The certificate is not valid yet. Nothing was sent.
    certificate_not_yet_valid,
    # The certificate is for another host. Nothing was sent.
    certificate_name,
    # TLS failed for another reason. Nothing was sent.
    certificate,
    # The key of the server is not pinned. Nothing was sent.
    pin,
    # A program of another user listens on the loopback address. Nothing was sent.
    listener,
    # The provider may have processed the request.
    uncertain,
    # The provider refused a refresh token without a reason. After a second such refusal a login is
    # required.
    refused_once
  )

  # Why no prompt is shown at a desktop, if the caller may want to act on the reason.
  type NoDesktopReason (
    # The policy, or the rule of the caller, forbids prompts at the desktop.
    off,
    # Only the system password counts, and an agent takes no password for another program.
    password_only,
    # No agent runs in the person's session.
    no_agent,
    # The screen of the session is locked.
    locked
  )

  # Why a provider refused the input of a person.
  type VaultRefusalReason (
    # The e-mail address or the password is wrong.
    wrong_credentials,
    # There is already an account with this e-mail address.
    address_taken,
    # The provider refused the value of a field.
    invalid_input
  )

  # An account, as the engine reports it.
  type Account (
    name: string,
    # The name of its provider.
    provider: string,
    # The kind of its provider.
    kind: string,
    # The URL of its provider.
    issuer: string,
    # The provider's identifier of this person. It is never used to find the account.
    subject: ?string,
    email: ?string,
    display_name: ?string,
    # The person's role at the provider.
    role: ?string,
    # Whether the provider has verified the e-mail address.
    email_verified: ?bool,
    # When the person registered there.
    created_at: ?int,
    # The provider's other claims about the person: at most 4096 bytes.
    claims: ?object,
    # Whether its refresh token is used only after a presence check.
    presence_protection: bool,
    state: AccountState,
    # Why a login is required, or why the last refresh failed.
    cause: ?string,
    access_token_expires_at: ?int,
    # When the provider last issued tokens.
    refreshed_at: ?int,
    # Whether a call without `account` uses this one.
    is_default: bool,
    # Whether its refresh token may be released. Earlier engines do not say.
    exportable: ?bool,
    # The scopes that were granted at its login, if they are known.
    scope: ?string,
    # Those of them that the last refresh did not grant.
    missing_scope: ?string,
    # After a login that replaced another one: whether the other one's refresh token was revoked at
    # its provider.
    replaced_revoked: ?bool,
    # Why it was not revoked.
    replaced_reason: ?string
  )

  # What is known about the reader without opening it.
  type Reader (
    # Whether it can be used.
    available: bool,
    name: ?string,
    driver: ?string,
    # Why it cannot be used.
    reason: ?string,
    # Whether a program uses it now, if that is known.
    in_use: ?bool,
    # How this is known. An engine that opens the reader does not say.
    known: ?ReaderKnowledge
  )

  # The provider's message about one field of a form.
  type FieldProblem (
    # `email`, `name`, `password`, or a name of the provider's own.
    field: string,
    # The provider's words.
    message: string
  )

  # One record of the audit log.
  type AuditRecord (
    # Its number in the chain.
    number: int,
    time: int,
    # The action.
    event: string,
    # Its result.
    outcome: string,
    account: ?string,
    # The method by which presence was proven.
    method: ?string,
    # The program that made the request.
    requester: ?string,
    # More about the event, never a secret.
    detail: ?string
  )

  # The result of a sign-out of all accounts, for one of them.
  type EndedAccount (
    account: string,
    # The name of its provider.
    provider: string,
    # Whether its tokens are erased here.
    erased: bool,
    # The state of the refresh token at the provider.
    grant: GrantState,
    # Why the provider did not confirm, or why nothing was erased.
    reason: ?string,
    # Whether no connection could be made.
    offline: ?bool,
    # The error of this interface because of which it was not erased, such as `VaultUnsafe`.
    error: ?string
  )

  # A rule of the policy. `window` is in minutes, `window-limit` in hours, `store` in MiB.
  type PolicyRule (
    # Its key in a policy file.
    key: string,
    # The machine's value, or the default if it sets none.
    machine: string,
    # The value that the user has set.
    own: ?string,
    # The value in effect: the stricter of the two. Absent if the rule has no effect in this vault.
    holds: ?string,
    # Whether a user may set a stricter one.
    for_users: bool,
    # The file and line of the machine's value. Absent if no file sets it.
    location: ?string
  )

  # A slot of the machine key.
  type MachineSlot (
    # Its name in commands.
    id: string,
    # Absent if it cannot be read.
    kind: ?SlotKind,
    # Why it cannot be read.
    problem: ?string
  )

  # The test of one slot.
  type SlotTest (
    slot: MachineSlot,
    # Absent if it was not tried.
    opens: ?bool,
    # Why it does not open, or was not tried.
    detail: ?string
  )

  # A rule for callers, of the machine or of the user.
  type CallerRule (
    name: string,
    # Its settings by key.
    settings: [string]string,
    # Whether it is the user's own.
    # [false if absent]
    own: ?bool,
    # Whether its `desktop` allows more prompts than the policy of the machine.
    # [false if absent]
    loosens_desktop: ?bool
  )

  # The state of the engine and of the unlock window.
  method GetStatus() -> (
    form: VaultForm,
    # The version of Thumblatch.
    version: string,
    # The process id of the engine.
    process: int,
    # How the device secret is protected: `file` or `tpm`.
    device_secret: string,
    memory: SecretMemoryKind,
    # Whether the unlock window is open.
    unlocked: bool,
    # Seconds until the unlock window closes.
    unlocked_for: ?int,
    # The accounts that it covers; empty if it covers all.
    unlocked_accounts: []string,
    # The fingers that are enrolled in the vault, such as `right-index`.
    enrolled_fingers: []string,
    # Whether only the password is accepted, because too many fingers did not match.
    fingerprint_locked_out: bool,
    # Why the store is not used, such as because an old copy was restored.
    problem: ?string,
    # What to do about it.
    remedy: ?string,
    # The fingers that are enrolled in the desktop's settings.
    desktop_fingers: ?[]string,
    finger_source: ?FingerSource,
    # Why no finger counts now, although some are enrolled.
    finger_reason: ?string,
    # The names of the enrolled security keys.
    enrolled_keys: ?[]string,
    # Absent if the machine key is not open.
    counter: ?CounterCheck
  )

  # With `more`: one reply for each account. Without `more`, a call must name the account if there are
  # several.
  method GetAccount(account: ?string) -> (
    # Absent if there is no account at all.
    account: ?Account
  )

  # Asks a helper process about the reader, which takes some milliseconds. The helper does not open
  # the reader.
  method GetReader() -> (reader: Reader)

  # Registers a new user at a password backend, signs in, and creates the account. An `exportable`
  # account, whose refresh token may be released, needs a prompt passed by password.
  method Register(
    # The account to create.
    account: string,
    provider: Provider,
    email: string,
    # The person's name.
    name: ?string,
    # [secret]
    password: string,
    # Whether the refresh token may be released later.
    exportable: ?bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)

  # Signs in by password, to a new account or again to an existing one. An `exportable` account needs
  # a prompt passed by password.
  method Login(
    # The account. It is created if it does not exist.
    account: string,
    # If absent, the account's own.
    provider: ?Provider,
    email: string,
    # [secret]
    password: string,
    # Whether the refresh token may be released later.
    exportable: ?bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)

  # Stores a password, a personal access token or an API key in an account of kind `static`, or
  # replaces that account's secret. Replacing the secret of a protected account needs a passed prompt
  # of its own. The unlock window does not count.
  method StoreSecret(
    # The account. It is created if it does not exist.
    account: string,
    # The host that the secret belongs to: a provider of kind `static`.
    provider: Provider,
    # The secret: at least 1 byte and at most 32 KiB of UTF-8. Its only control characters are tabs
    # and line ends.
    # [secret]
    secret: string,
    # The user name at the host. It becomes the account's `subject`.
    username: ?string,
    # A name for people. It becomes the account's `display_name`.
    label: ?string,
    # When the secret expires. Absent if it does not.
    expires_at: ?int,
    # A client's own data about the secret, at most 4096 bytes. It becomes the account's `claims`. It
    # is not secret. No member may be named `refresh_token` or `client_secret`.
    claims: ?object,
    # Whether each use needs a presence check from the start. If absent, an existing account keeps its
    # protection. `false` is refused for a protected account.
    presence_protection: ?bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)

  # Imports the login of another program: sends its refresh token to the provider at once. The call is
  # refused if the account is signed in, unless the account already got this token. Then the engine
  # sends nothing, and returns the account. A protected account that is signed out needs a passed
  # prompt of its own. If the provider refuses, or if its answer is lost, no account is made. The
  # other program's copy is then the only one.
  method ImportLogin(
    # The account. It is created if it does not exist.
    account: string,
    # The other program's client at its provider.
    provider: Provider,
    # [secret]
    refresh_token: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    account: Account,
    # Whether the provider has replaced the refresh token. If not, the other program's copy stays
    # valid.
    rotated: bool
  )

  # A valid access token, or the secret of an account of kind `static`.
  method AccessToken(
    account: ?string,
    # How long the token must stay valid, in seconds. If absent, 10.
    minimum_lifetime: ?int,
    # An access token that a server refused. The call then returns a newer one.
    rejected: ?string,
    # A passed presence check. This call uses it up.
    prompt: ?string,
    # The scopes of the token. If this and `audience` are absent, the account's usual scopes.
    scope: ?string,
    # The server that the token is for. If absent, the account's usual one.
    audience: ?string,
    ask: ?bool,
    # The caller accepts, for this call only, that a token for fewer scopes may narrow the login.
    narrow: ?bool,
    # With `narrow`: the person accepts it, until the next login and for every caller.
    remember: ?bool,
    # Why the program needs the token, in at most 200 characters. It is shown to the person as not
    # verified, and recorded.
    reason: ?string,
    # The caller is a helper that a tool runs again after a 401, and cannot say which token was refused.
    # If the same tool got the same token 5 to 60 seconds ago, the provider is asked whether it still
    # accepts it.
    helper: ?bool
  ) -> (
    account: string,
    # The token. It is never logged.
    access_token: string,
    # Such as `Bearer`.
    token_type: string,
    # Absent if the provider did not say.
    expires_at: ?int,
    # Whether even a new token expires earlier than `minimum_lifetime` asks for.
    shorter_than_requested: bool,
    # The scopes that the provider granted, if it said so. They may be fewer than requested.
    scope: ?string,
    # The scopes of the call or of the login that were not granted. Only the first reply with such a
    # token has them.
    missing_scope: ?string
  )

  # Runs the presence check of a prompt.
  # fingerprint: call with `more`. The replies are `waiting` and `retry`, then `passed` or the error
  # PresenceFailed. Any message before that cancels the check.
  # key: the same, and `ask` if the key needs its PIN.
  # With `also`, several devices are armed together, and the first one that passes decides.
  # password: the reply is `ask`; answer it with Respond. With `more`, `waiting` reports a wait, and
  # `says` has messages of the system's PAM modules while they work.
  # If another prompt is armed, the call fails with Busy. With `more` and `wait`, the replies are
  # `queued`, and `free` when the other prompt has ended. This prompt is not armed then: show it, and
  # call Check again.
  method Check(
    prompt: string,
    method: PresenceMethod,
    # With `more`: whether to wait while another prompt is armed.
    wait: ?bool,
    # Devices that may answer as well as the device `method`.
    also: ?[]PresenceMethod
  ) -> (
    # [variant]
    event: CheckStep,
    # What to do differently after the bad scan.
    # [word of ScanHint or general, of retry]
    hint: ?string,
    # The question or the words to show.
    # [of ask, of says]
    text: ?string,
    # Whether the answer is hidden.
    # [of ask, true if absent, always sent]
    hidden: ?bool,
    # After a wrong password: the seconds until the next one is tried.
    # [maybe of waiting]
    seconds: ?int,
    # The only finger that can match now.
    # [maybe of waiting]
    finger: ?string,
    # How to touch the reader.
    # [maybe of waiting]
    scan: ?ScanType,
    # The device that failed.
    # [of device_failed]
    method: ?PresenceMethod,
    # [of device_failed]
    reason: ?PresenceOutcome,
    # [maybe of device_failed]
    message: ?string,
    # The devices with which the check continues.
    # [of device_failed]
    methods: ?[]PresenceMethod
  )
  # Answers a question of a check. The events are those of Check.
  method Respond(
    prompt: string,
    # The answer, in UTF-8.
    # [secret]
    text: string
  ) -> (
    # [variant]
    event: CheckStep,
    # [word of ScanHint or general]
    hint: ?string,
    text: ?string,
    hidden: ?bool,
    seconds: ?int
  )
  # Cancels the prompt. The calls of joined waiters fail as cancelled too.
  method Cancel(prompt: string) -> ()

  # Lets an agent of the same user show the prompt at the desktop. It returns when the check has
  # passed, or fails with PresenceFailed. No other call may use the prompt before that.
  method AskAtDesktop(prompt: string) -> ()
  # Makes the caller an agent, and waits for a prompt of another program of the same user. The agent
  # shows the prompt. It calls Check and Respond with it within two seconds, or Cancel if the person
  # denies the request. The engine closes the connection if the prompt ends earlier. A notice needs no
  # further call.
  method NextPrompt(
    # Whether this agent shows notices too.
    notices: ?bool
  ) -> (
    prompt: ?DesktopPrompt,
    # A notice instead of a prompt.
    notice: ?DesktopNotice
  )

  # Restricts this connection until it closes. An agent calls this before it lends the connection to
  # another program, such as one in a container. Afterwards only AccessToken, RequestTerms, GetAccount
  # and AskAtDesktop are allowed, for these accounts. Each access token needs a presence check of its
  # own, unless the rule says otherwise. On a connection that is already restricted, the call changes
  # nothing.
  method Restrict(
    # The name of the programs behind the connection, in prompts and in the audit log. It must be
    # valid as the name of an account.
    name: string,
    accounts: []string,
    # The scopes that may be requested. A call that names none requests these. If absent, all are
    # allowed.
    scope: ?string,
    # The name of a rule that applies too, and says when a token needs a presence check. If absent,
    # none.
    rule: ?string
  ) -> ()

  # The rules for callers.
  method ListRules() -> (
    # The file of the machine's rules. Absent in the private form, which has none.
    file: ?string,
    rules: []CallerRule
  )
  # The marks of a process or a unit, and the rules that apply to it. The call names one of the two.
  method TestRule(
    # A process of the caller's user.
    process: ?int,
    # A unit of the system's manager or of the user's.
    unit: ?string
  ) -> (
    # The unit of the system's manager that the process is in.
    unit: ?string,
    # The unit of its user's manager.
    user_unit: ?string,
    # Whether the process is marked as sandboxed.
    sandboxed: bool,
    # The names of the rules that apply, in the order of the file.
    rules: []string,
    # For each rule, the key that matched, such as `unit = backup.service`.
    because: []string,
    # The combined limits, by the keys of a rule; empty if no rule applies.
    limits: [string]string
  )

  # Turns an account's presence protection on.
  method EnablePresence(account: ?string, prompt: ?string, ask: ?bool, reason: ?string) -> (account: Account)
  # Turns an account's presence protection off.
  method DisablePresence(account: ?string, prompt: ?string, ask: ?bool, reason: ?string) -> (account: Account)
  # A presence check that releases nothing.
  method TestPresence(prompt: ?string, ask: ?bool, reason: ?string) -> (
    # How the check was passed, such as `fingerprint`.
    method: string
  )
  # Opens the unlock window.
  method Unlock(
    # The accounts that it covers; empty if it covers all.
    accounts: []string,
    # A fixed time in seconds. If absent, each use extends the window.
    duration: ?int,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Seconds until it closes.
    unlocked_for: int,
    # The accounts that it covers; empty if it covers all.
    unlocked_accounts: []string
  )
  # Closes the unlock window.
  method Lock() -> (
    # Whether it was open.
    was_unlocked: bool
  )

  # The enrolled fingers.
  method ListFingers() -> (
    # The fingers that are enrolled in the vault, such as `right-index`.
    fingers: []string,
    reader: Reader,
    # The fingers that are enrolled in the desktop's settings.
    desktop_fingers: ?[]string,
    finger_source: ?FingerSource,
    # Why no finger counts now, although some are enrolled.
    finger_reason: ?string
  )
  # Enrolls a finger. Needs a prompt passed by password. With `more`, the replies are `waiting`,
  # `stage`, `retry`, and `done` last.
  method EnrollFinger(
    # Such as `right-index`. If absent, the first finger that is not enrolled.
    finger: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    event: EnrollEvent,
    finger: string,
    # How many touches are done.
    stage: int,
    # How many touches the enrollment needs.
    stages: int,
    # What to do differently, for `retry`.
    # [word of ScanHint or general]
    hint: ?string,
    # How to touch the reader.
    scan: ?ScanType
  )
  # Deletes a finger that was enrolled in the vault. Needs a prompt passed by password. A reader that
  # stores prints deletes its print too.
  method DeleteFinger(
    # Such as `right-index`.
    finger: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Those that remain.
    fingers: []string,
    # Why the reader could not delete the print that it stores. The next enrollment on that reader
    # deletes it.
    on_reader: ?string
  )

  # The enrolled security keys.
  method ListKeys() -> (
    keys: []SecurityKey
  )
  # Enrolls the only security key that is plugged in. Needs a prompt passed by password. With `more`,
  # the replies are `waiting` when the key is lit, and `done` last.
  method EnrollKey(
    # Its name, 1 to 64 characters.
    key: string,
    # The PIN of the key, in UTF-8. If absent, the key is only touched.
    # [secret]
    pin: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    event: EnrollEvent,
    key: string
  )
  # Removes a security key. Needs a prompt passed by password. The key itself stores nothing.
  method RemoveKey(
    key: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Those that remain.
    keys: []SecurityKey
  )

  # Signs out: ends the grant at the provider unless `local` is true, and erases the tokens here.
  # Ending the grant needs the refresh token, and therefore a passed prompt if the account is
  # protected and no unlock window is open. Erasing a protected static secret needs that prompt too,
  # also with `local`, because there is no other copy. The account keeps its name, its protection and
  # its identity.
  method Logout(
    account: string,
    # Whether the provider is not contacted.
    local: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Whether the provider confirmed.
    revoked: bool,
    # Why it did not.
    reason: ?string,
    # Whether no connection could be made.
    offline: ?bool,
    # The state of the refresh token at the provider. Earlier engines do not say.
    grant: ?GrantState
  )
  # Signs out all accounts: with `more`, one reply for each. One prompt names all accounts that need a
  # check.
  method LogoutAll(
    # Whether the providers are not contacted.
    local: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Absent if there is no account at all.
    ended: ?EndedAccount
  )
  # Asks the provider about the person of the account.
  method WhoAmI(account: ?string, prompt: ?string, ask: ?bool, reason: ?string) -> (
    account: Account,
    # The provider's answer, unchanged.
    profile: object
  )
  # Asks the provider whether it still accepts the access token that AccessToken hands out.
  method VerifyToken(account: ?string, prompt: ?string, ask: ?bool, reason: ?string) -> (
    account: Account,
    # Whether the provider accepts the token. A refused token is not handed out again.
    accepted: bool,
    # As the provider says, or else as the vault knows. Absent if neither is known.
    expires_at: ?int
  )
  # The audit log: with `more`, one reply for each record, oldest first. With `follow`, each new
  # record follows when it is written. The call lasts until the connection closes or the client sends
  # any message. Such a message brings the last reply, without a record.
  method Audit(
    # Only records of this account.
    account: ?string,
    # Only records from this time on.
    since: ?int,
    # Whether new records follow. Earlier engines end after the latest record.
    follow: ?bool
  ) -> (
    # Absent if there is no record at all.
    record: ?AuditRecord
  )
  # Checks whether the audit log is intact.
  method VerifyAudit() -> (
    # Whether it is intact: no record was changed, and none is missing.
    whole: bool,
    # How many records there are.
    records: int,
    # The number of the first one; 0 if there is none.
    first: int,
    # The number of the last one.
    last: int,
    # When the first record was written.
    first_time: ?int,
    # When the last record was written.
    last_time: ?int,
    # The first number whose record was changed, or is missing.
    bad: ?int,
    # The time in the record of that number, if there is such a record.
    bad_time: ?int,
    # What is wrong with that record: altered, dropped, reordered, truncated, duplicated, added, head
    # or checkpoint.
    problem: ?string,
    # The head of the last record in hexadecimal digits, to compare with the one in the journal.
    head: ?string
  )

  # Makes a new device secret, and re-encrypts every refresh token, print and audit record with it.
  # Needs a prompt passed by password.
  method Rekey(prompt: ?string, ask: ?bool, reason: ?string) -> (
    # How many refresh tokens were re-encrypted.
    accounts: int,
    # How many prints were re-encrypted.
    prints: int,
    # How many audit records were re-encrypted.
    records: int
  )
  # Accepts an old copy of the store that was restored, or a store whose rollback counter is lost.
  # Until then, every other method that needs the store is refused. Needs a prompt passed by password.
  method Recover(prompt: ?string, ask: ?bool, reason: ?string) -> (
    # The accounts for which a login is now required.
    login_required: []string
  )
  # The slots of the machine key, and the tier. Needs no open vault.
  method DeviceSecretStatus() -> (
    tier: DeviceSecretTier,
    slots: []MachineSlot,
    # Whether the machine key is open in this engine.
    open: bool,
    # The manufacturer and the firmware of the TPM, if it can be used. Only for root, and in the
    # private form.
    tpm: ?string,
    # Why the TPM cannot be used.
    tpm_problem: ?string,
    # Absent if the machine key is not open.
    counter: ?CounterCheck,
    # Why there is no counter or no check, or what the check found.
    counter_problem: ?string
  )
  # Adds a slot of the machine key. In the service, only root may call it. In the private form, it
  # needs a prompt passed by password. The first slot of a TPM or a security key creates the machine
  # key and re-encrypts every vault. A repeated call resumes an interrupted one. A slot of a security
  # key is possible only in the private form. If that key needs its PIN, the call fails with
  # KeyPINNeeded before it uses the prompt.
  #
  # If a recovery code is needed, the first reply has it in `code`. Nothing changes until the client
  # calls again with that code on the same connection.
  method AddSlot(
    kind: SlotKind,
    # The code of an earlier reply, as the person has typed it.
    # [secret]
    recovery: ?string,
    # The PIN of the security key, in UTF-8.
    # [secret]
    pin: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # A new recovery code, to be shown once.
    # [secret]
    code: ?string,
    # The slots afterwards.
    slots: []MachineSlot,
    # How many vaults were re-encrypted.
    vaults: int,
    # Why the TPM has no counter, although its slot was added.
    counter_problem: ?string,
    # Whether the security key is waiting for a touch. Only with `more`, before the last reply.
    # [false if absent]
    touch: ?bool
  )
  # Removes a slot of the machine key. It needs root or a passed prompt, as AddSlot does. The last
  # slot that the TPM opens and the last recovery code cannot be removed.
  method RemoveSlot(
    # Its `id`.
    slot: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # The slots afterwards.
    slots: []MachineSlot
  )
  # Tests whether the slots of the machine key open. In the service, only root may call it.
  method TestSlots(
    # A recovery code, to test its slot too.
    # [secret]
    code: ?string
  ) -> (tests: []SlotTest)
  # Opens the machine key with a recovery code, and seals a new slot with this machine's TPM if the
  # TPM opens none. Needs no open vault and no prompt. In the service, only root may call it.
  method RecoverWithCode(
    # [secret]
    code: string
  ) -> (
    # The new slot of the TPM.
    added: ?string,
    # The slots that this TPM did not open, and that were removed.
    removed: []string,
    # Why the TPM opens no slot. If present, the engine needs the code again at its next start.
    problem: ?string,
    # Why there is no TPM counter, or no comparison with it.
    counter_problem: ?string
  )
  # Opens the machine key with the security key that is plugged in, after MachineKeyNeeded. Needs no
  # open vault and no prompt. With `more`, the replies are `waiting` when the key is lit, and `done`
  # last. Only in the private form.
  method OpenMachineKey(
    # The PIN of the security key, in UTF-8. Absent if the key did not need it.
    # [secret]
    pin: ?string
  ) -> (event: EnrollEvent)
  # Makes an encrypted backup of all accounts: with `more`, one reply for each part of the file. It
  # has refresh tokens only of exportable accounts at providers that are known not to rotate them.
  # Needs a prompt passed by password. The call has either `backup_key` or `code`, as `header` says.
  method Backup(
    # The first bytes of the file.
    # [base64]
    header: string,
    # The key that the client has derived from a passphrase, 32 bytes.
    # [secret, base64]
    backup_key: ?string,
    # The recovery code of this machine.
    # [secret]
    code: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # The account whose data ends with these bytes, if any.
    account: ?BackupAccount,
    # The next bytes of the file, at most 32 KiB.
    # [base64]
    bytes: string
  )
  # Sends a part of a backup, for Restore on the same connection.
  method SendBackup(
    # How many bytes were sent before this part; 0 begins a new backup.
    offset: int,
    # At most 32 KiB.
    # [base64]
    bytes: string
  ) -> ()
  # Restores the accounts of the backup that was sent: with `more`, one reply for each. All of them
  # are added in one transaction, or none is. Needs a prompt passed by password if the vault has
  # accounts.
  method Restore(
    # The key that the client has derived from a passphrase, 32 bytes.
    # [secret, base64]
    backup_key: ?string,
    # A recovery code.
    # [secret]
    code: ?string,
    # Whether the replies only list the accounts in the backup. Then nothing changes, and no prompt is
    # needed.
    examine: bool,
    # Whether accounts whose names the vault has are left out. Otherwise the call is refused.
    skip_existing: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Absent if the backup has no account.
    account: ?RestoredAccount
  )
  # Moves all accounts of a private vault into the service of the machine: with `more`, one reply for
  # each. The engine connects to the service itself, and sends nothing unless root has bound its
  # socket. Names that the service already has are refused before a check. After an interruption, the
  # accounts cannot be used until the same call has finished the move, or CancelServiceImport has
  # succeeded.
  method ImportIntoService(
    # The path of the service's socket. If absent, the usual one.
    socket: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Absent if there was no account.
    account: ?MovedAccount
  )
  # Makes the accounts of a private vault usable again after an interrupted ImportIntoService. The
  # service must first confirm that it has none of them and refuses that transfer from now on. The
  # call is refused if the service has them.
  method CancelServiceImport() -> (
    # Whether a transfer was open.
    cancelled: bool
  )
  # Accepts the accounts of a private vault, which its engine has sent by SendBackup on the same
  # connection. All of them are added in one transaction, or none is. The call succeeds again for a
  # transfer that is already done.
  method TakeOver(
    # Sixteen bytes that name the transfer.
    # [base64]
    transfer: string,
    # The key of the sent accounts, 32 bytes.
    # [secret, base64]
    backup_key: string
  ) -> ()
  # Refuses a transfer from now on, unless its accounts were accepted.
  method DropTransfer(
    # Sixteen bytes that name the transfer.
    # [base64]
    transfer: string
  ) -> (
    # Whether its accounts were accepted earlier.
    taken: bool
  )
  # Lists the accounts of the service, and whether each may move into the caller's private vault: with
  # `more`, one reply for each. It is refused if the policy does not allow any export.
  method ListExportable() -> (
    # Absent if there is no account.
    account: ?ExportableAccount
  )
  # Allows the engine of the caller's private vault to fetch these accounts from the service once, by
  # HandOver, within a short time. Needs a prompt passed by password, which names the accounts and is
  # bound to `commitment`.
  method AllowExport(
    # Names of accounts that may move.
    accounts: []string,
    # The reply of PrepareExport. Only the key that was made there can fetch the accounts.
    # [base64]
    commitment: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> ()
  # Returns the accounts that AllowExport has allowed, sealed with this key, in parts, with `more`.
  # The service does not use them from then on until EndHandOver.
  method HandOver(
    # The key whose digest was allowed, 32 bytes.
    # [secret, base64]
    backup_key: string,
    # Sixteen bytes that name the private vault.
    # [base64]
    vault: string
  ) -> (
    # The next bytes, at most 32 KiB.
    # [base64]
    bytes: string
  )
  # The handover that has begun, and whose end the service does not know.
  method OpenHandOver() -> (
    # Sixteen bytes that name it; absent if there is none.
    # [base64]
    transfer: ?string,
    # Sixteen bytes that name the private vault.
    # [base64]
    vault: ?string
  )
  # Ends a handover. The service erases the accounts if the private vault has them. Otherwise it uses
  # them again.
  method EndHandOver(
    # Sixteen bytes that name the handover.
    # [base64]
    transfer: string,
    # The bytes that came with the accounts, as proof that the private vault has them. Absent if it
    # has none of them.
    # [secret, base64]
    receipt: ?string
  ) -> (
    # Whether there was such a handover.
    ended: bool
  )
  # Makes the key of an export into a private vault, for ExportFromService on the same connection.
  # Names that the vault already has are refused.
  method PrepareExport(
    # The names of the accounts.
    accounts: []string
  ) -> (
    # The SHA-256 of the key.
    # [base64]
    commitment: string
  )
  # Fetches the accounts that AllowExport has allowed from the service into a private vault: with
  # `more`, one reply for each. The engine connects to the service itself. All of them are added in
  # one transaction, or none is.
  method ExportFromService(
    # The path of the service's socket. If absent, the usual one.
    socket: ?string
  ) -> (
    account: ?MovedAccount
  )
  # Ends an interrupted ExportFromService. The service erases accounts that the private vault has.
  # Otherwise it uses them again. With `more`, there is one reply for each account that has moved.
  method EndServiceExport(
    # The path of the service's socket. If absent, the usual one.
    socket: ?string,
    # Whether the call is refused if the private vault has the accounts.
    cancel: bool
  ) -> (
    # Absent if none has moved.
    account: ?MovedAccount,
    # Whether the service uses the accounts again.
    freed: bool
  )
  # Releases the refresh token of an exportable account. It always needs a presence check of its own.
  method Release(
    account: ?string,
    # Whether the account stays signed in here. Refused if the provider rotates tokens.
    keep: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # The token. From now on the caller is responsible for it.
    # [secret]
    refresh_token: string,
    # Whether the account is signed out here.
    signed_out: bool
  )

  # Renames an account. Needs a passed prompt if the account is protected.
  method RenameAccount(
    account: string,
    # Its new name.
    name: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)
  # Makes an account the default: each call that names none uses it. Needs a passed prompt if the
  # present default is protected.
  method SetDefaultAccount(account: string, prompt: ?string, ask: ?bool, reason: ?string) -> (account: Account)
  # Signs out as Logout does, then removes the account. A protected account always needs a passed
  # prompt of its own, also if it is signed out or `local` is true. The unlock window does not count.
  method RemoveAccount(
    account: string,
    # Whether the provider is not contacted.
    local: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (revoked: bool, reason: ?string, offline: ?bool, grant: ?GrantState)
  # Where the access token may be sent, and on which terms. They are those of the provider at login,
  # even if its file has changed since.
  method RequestTerms(account: ?string) -> (
    account: string,
    # Its origin is always allowed.
    issuer: string,
    # The other hosts that the provider file named, each as `host` or `host:port`.
    hosts: []string,
    # Certificates in PEM. If absent, those of the system.
    ca: ?string,
    # Each as `sha256//...`. If empty, any key is accepted.
    pins: []string,
    # The URL of the proxy.
    proxy: ?string,
    # Users, besides root, whose programs may get a token over loopback in plain text.
    listeners: ?[]int,
    # The seconds that a connection may take. If absent, 10.
    connect_timeout: ?int,
    # The only URL that the token is for, with those below its path. The issuer and the hosts do not
    # get it. If absent, they do.
    resource: ?string,
    # Whether the token may also be sent to any host for which the person names the account. It is
    # true for a token that comes from a login and is not for one resource.
    any_host: ?bool
  )
  # Checks the engine's vault: with `more`, one reply for each finding.
  method Examine() -> (
    # The stable name of the check.
    name: string,
    # Its severity.
    level: FindingLevel,
    # What was found.
    message: string,
    # What to do about it.
    remedy: ?string,
    # The account whose sign-in is the remedy.
    sign_in: ?string,
    # The account whose presence protection is the remedy.
    protect: ?string,
    # The command that is the remedy.
    command: ?string
  )

  # The provider that is bound to an account's tokens, even if its file has changed since.
  method AccountProvider(account: ?string) -> (account: string, provider: Provider)
  # Changes the provider of a signed-in account: its tokens are sent to the new one from now on. Needs
  # a prompt passed by password, whose `detail` says what changes.
  method ApplyProvider(account: string, provider: Provider, prompt: ?string, ask: ?bool, reason: ?string) -> (
    account: Account
  )
  # Begins a login that the person completes at the provider. browser: open `url`. Pass the query that
  # arrives at `redirect`, on the caller's own port, to FinishLogin once. device: the person types
  # `user_code` at `verification_uri`, and AwaitLogin waits for that. The login is valid on this
  # connection for `expires_in` seconds. It is cancelled when the connection closes. An `exportable`
  # account needs a prompt passed by password.
  method BeginLogin(
    # The account. It is created if it does not exist.
    account: string,
    # If absent, the account's own.
    provider: ?Provider,
    flow: LoginFlow,
    # For `browser`: the redirect URI, with its port.
    redirect: ?string,
    # The scopes to request. If absent, those of the provider.
    scope: ?string,
    # Whether the refresh token may be released later.
    exportable: ?bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Names the login on this connection.
    login: string,
    # The page to open, for `browser`.
    url: ?string,
    # The code to type at `verification_uri`, for `device`.
    user_code: ?string,
    # The page on which to type it.
    verification_uri: ?string,
    # The same page, with the code in its URL, such as for a QR code.
    verification_uri_complete: ?string,
    # How long the login is valid, in seconds.
    expires_in: int,
    # How long the engine waits between two requests to the provider, in seconds.
    interval: ?int
  )
  # Completes a login with the query of the redirect.
  method FinishLogin(
    login: string,
    # The part after the question mark of the redirect, unchanged. It has the code.
    # [secret]
    query: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)
  # Asks the provider repeatedly until the person has decided. With `more`, the replies are `waiting`,
  # and `done` last. Any message ends the wait, but not the login.
  method AwaitLogin(login: string, prompt: ?string, ask: ?bool, reason: ?string) -> (
    event: LoginEvent,
    # With `done`: the account.
    account: ?Account,
    # How long the engine waits before it asks the provider again, in seconds.
    interval: ?int
  )
  # Cancels the login. An answer that the provider has already given is not undone.
  method CancelLogin(login: string) -> ()
  # Tests a provider: its metadata, its keys and the connection.
  method TestProvider(
    provider: Provider,
    # Whether the engine also tests, without a person, if the provider refuses the redirect URI or a
    # revocation.
    tries: ?bool
  ) -> (
    issuer: string,
    # Whether the provider published its endpoints.
    discovered: bool,
    # The full URL of each known endpoint, by its key in a provider file.
    endpoints: [string]string,
    # How a person can sign in: browser, device, password.
    flows: []string,
    # How many of its keys for ID tokens can be used. Absent if none is needed.
    keys: ?int,
    # Possible problems, one sentence each.
    warnings: []string,
    # The scopes that the provider offers, if it says so.
    scopes: ?[]string,
    # The scopes that a login requests.
    asked_scopes: ?[]string,
    # Whether the provider says that it supports PKCE with S256. Absent if it does not say.
    pkce: ?bool,
    # Its endpoint for the registration of clients (RFC 7591), if it has one.
    registration: ?string,
    # Whether the URL of a client's metadata may be its ID.
    # [false if absent]
    client_metadata: ?bool,
    # How clients may authenticate at the token endpoint (RFC 8414). Absent if it does not say.
    client_authentication: ?[]string
  )
  # Watches an account, and whether the unlock window covers it. With `more`, the first reply has the
  # current state, and each change brings another reply. A slow client gets only the latest state. The
  # call lasts until the connection closes or the client sends any message, which brings the last
  # reply. During the call, the account's usual access token counts as used. It is refreshed before it
  # expires if that needs no presence check.
  method Watch(
    account: ?string,
    # How many seconds before it expires the token is refreshed: 60 to 3600, at most half of its
    # lifetime. With 0, this call causes no refresh. If absent, the engine decides.
    refresh_ahead: ?int
  ) -> (
    # Absent if there is no account of that name now.
    account: ?Account,
    # Whether the unlock window covers it.
    unlocked: bool
  )

  # The policy that applies to the caller.
  method GetPolicy() -> (
    # The file of the machine's rules. Absent in the private form, whose rules are the defaults.
    file: ?string,
    rules: []PolicyRule
  )
  # Sets a rule of the user, which may only be stricter than the machine's. Needs a prompt passed by
  # password, whose `detail` says what changes. It locks the vault.
  method SetPolicy(
    key: string,
    # If absent, the user's value is removed, and the machine's applies.
    value: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Whether the user's own rules have changed.
    changed: bool,
    # The file of the machine's rules. Absent in the private form, whose rules are the defaults.
    file: ?string,
    rules: []PolicyRule
  )

  # Removes the vault of a user, or one account of it, without a presence check. Only the service has
  # this method, and only root may call it. Providers are not contacted, so refresh tokens stay valid
  # there. The removal is recorded in the journal. The removal of one account is also recorded in the
  # user's audit log. With a whole vault, its prints are deleted on the readers that store them.
  method RemoveUser(
    # The user name that the vault was made for, or a uid. The machine need not have such a user any
    # more.
    user: string,
    # If absent, the whole vault.
    account: ?string
  ) -> (
    # The uid.
    user: int,
    # The user name that the vault was made for.
    name: ?string,
    # The removed accounts. Absent if they could not be read.
    accounts: ?[]EndedAccount,
    # The prints of the vault that a reader may still have, and why. Absent if there are none.
    on_reader: ?string,
    # The uids whose directory cannot be read, so that its vault may have been made for the same user
    # name. Absent if there are none, or if `user` was a uid.
    unread: ?[]int
  )

  # A presence check is needed: show `requester`, `account` and `purpose`, then call Check(prompt).
  # The prompt is valid on this connection for `timeout` seconds. If `ask` was false, it is empty, and
  # no method can be tried.
  error PresenceNeeded(
    # The prompt to pass to Check.
    prompt: string,
    # The program that makes the request, as text to show to the person.
    requester: string,
    account: ?string,
    purpose: PresencePurpose,
    # Exactly what the check allows: the finger, the accounts and the time, or the provider.
    detail: ?string,
    # The methods that may pass the check.
    methods: []PresenceMethod,
    timeout: int,
    # Why the password is needed although a finger is usually enough: show it.
    reason: ?string,
    # How to touch the reader that was used last.
    scan: ?ScanType,
    # The program's own reason for needing the token. It is not verified: show it in quotes.
    stated_reason: ?string,
    # Whether the check is possible only by AskAtDesktop, because the connection is restricted.
    # [false if absent]
    at_desktop: ?bool
  )
  # The check was not passed.
  error PresenceFailed(
    outcome: PresenceOutcome,
    message: string,
    # The methods that may still be tried with this prompt.
    methods: []PresenceMethod
  )
  # Another request uses a resource that this one needs.
  error Busy(
    message: string,
    # Present if too many prompts were opened: the seconds until the next one is allowed.
    retry_after: ?int
  )
  # The prompt cannot be shown at a desktop.
  error NoDesktop(
    # Why.
    message: string,
    # The reason, if the caller may want to act on it.
    # [word of NoDesktopReason]
    reason: ?string
  )
  # There is no account of this name.
  error NoSuchAccount(account: string)
  # There is no print of this finger.
  error NoSuchFinger(finger: string)
  # There is no security key of this name.
  error NoSuchKey(key: string)
  # There is no vault of this user.
  error NoSuchUser(user: string)
  # An argument is invalid, independently of the state of the vault.
  error InvalidArgument(message: string)
  # A login is required.
  error LoginRequired(account: string, message: string)
  # The provider is unreachable or failing. Nothing is lost unless `reason` says so. Try again later.
  error ProviderUnavailable(
    message: string,
    # In seconds.
    retry_after: ?int,
    # Whether no connection could be made, which says nothing about the provider.
    offline: ?bool,
    # The reason, if the caller may want to act on it.
    # [word of UnavailableReason]
    reason: ?string,
    # The HTTP status of the answer, if there was one.
    status: ?int
  )
  # The call needs the machine key. The person must open it with a security key: OpenMachineKey.
  # Nothing was changed.
  error MachineKeyNeeded(message: string)
  # The security key needs its PIN, or the PIN was wrong. Nothing was changed.
  error KeyPINNeeded(
    message: string,
    # How many wrong PINs the key still accepts, if it says so.
    retries: ?int
  )
  # The provider refused the request: a wrong password, an e-mail address with an account, or another
  # status 4xx.
  error ProviderRefused(
    status: int,
    message: string,
    # If the answer says what was wrong with the input.
    # [word of VaultRefusalReason]
    reason: ?string,
    # The fields that were wrong, if the answer says so.
    # [empty if absent]
    fields: ?[]FieldProblem
  )
  # The provider's configuration does not match its answers.
  error Misconfigured(message: string)
  # The vault is damaged, was written by a newer version, or has unsafe permissions. Nothing was
  # changed.
  error VaultUnsafe(message: string, hint: ?string)
  # The caller is not allowed to do this.
  error Refused(
    message: string,
    # A token for fewer scopes may narrow the login at its provider until a new login. The same call
    # with `narrow` accepts that.
    # [false if absent]
    narrows: ?bool
  )
  # A fault of the engine.
  error Internal(message: string)

  """#
