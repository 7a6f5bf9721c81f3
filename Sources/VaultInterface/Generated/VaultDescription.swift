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
  # The token vault of one user (private form) or of every user of the machine (service).
  # Messages are at most 65536 bytes with their NUL. Times are seconds since 1970, UTC; durations
  # are seconds. Methods and optional members are added, never changed.
  #
  # A method with a member `prompt` may need a presence check. It answers PresenceNeeded, and does its
  # work when it is called again with the prompt whose check has passed. `ask` tells whether the client
  # can ask the person. With true it shows the prompt at once, and the prompt counts against the limit
  # of prompts from its opening. With false no prompt is opened, and the `prompt` of PresenceNeeded is
  # empty. Without `ask` a prompt counts when its check begins. `reason` is why the program needs the
  # check, in at most 200 characters. The prompt shows it as not verified, and the audit log records it.
  # Both calls give the same `reason`.
  #
  # A call without `account` means the default account. Scopes are separated by spaces.
  #
  # A comment line in square brackets marks the member below it:
  # [secret]: the engine and its clients keep the value in locked memory, and never print it.
  # [base64]: the text stands for bytes (RFC 4648, section 4, with padding).
  # [secret KEY]: the same for the value of this key of a map.
  # [true if absent], [false if absent], [empty if absent]: what it means that the member is not there.
  # [always sent]: this version sends it even so.
  # [word of TYPE]: the text is a word of this type, or a word that a later version adds.
  # [word of TYPE or WORD]: the same, and a word that is not known is taken for this one.
  # [variant]: the value decides which of the marked members are there.
  # [of VALUE]: the member is there with this value. [maybe of VALUE]: it may be there.
  interface io.thumblatch.Vault

  # A place to sign in.
  type Provider (
    name: string,
    # The keys of the [Provider] section of a provider file. A certificate authority is given by its
    # contents (`ca`), never by a path.
    # [secret client_secret]
    settings: [string]string
  )

  # A presence check, as the person is to see it. The error PresenceNeeded has the same members.
  type DesktopPrompt (
    # What to call Check with.
    prompt: string,
    # The program that asks, as the person is to see it.
    requester: string,
    account: ?string,
    purpose: PresencePurpose,
    # Which finger, which accounts for how long, which provider: what the check allows, nothing else.
    detail: ?string,
    # How the check may be passed.
    methods: []PresenceMethod,
    timeout: int,
    # Why the password is needed where a finger would do else: show it.
    reason: ?string,
    # How the reader that was used last wants to be touched.
    scan: ?ScanType,
    # What the program says that it needs the token for. It is not verified: show it in quotes.
    stated_reason: ?string,
    # Whether only AskAtDesktop makes the check, because the connection is restricted.
    # [false if absent]
    at_desk: ?bool
  )

  # An account in a backup.
  type BackupAccount (
    name: string,
    # The name of its provider.
    provider: string,
    # Why the backup does not have its refresh token.
    reason: ?string
  )

  # An account that a backup brings.
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

  # What a notice tells.
  type NoticeKind (
    # A check, or the open unlock window, has allowed something.
    allowed,
    # An account needs a login from now on.
    login_required,
    # A static secret expires soon.
    secret_expires
  )

  # What the person is told afterwards.
  type DesktopNotice (
    kind: NoticeKind,
    account: string,
    # The program that asked, for `allowed`.
    requester: ?string,
    # What it asked for, for `allowed`.
    purpose: ?PresencePurpose,
    # What else the person was shown about it.
    detail: ?string,
    # How presence was shown: a method, or `unlock-window`.
    method: ?string,
    # Whether the person can sign in by a browser, for `login_required`.
    browser: ?bool,
    # When the secret expires, in seconds since 1970, for `secret_expires`.
    expires_at: ?int
  )

  # Which vault an engine keeps.
  type VaultForm (
    # That of one user, in an engine of their own.
    private,
    # Those of all users of the machine.
    service
  )

  # The memory that holds an engine's secrets.
  type SecretMemoryKind (
    # Memory that the kernel itself does not map: memfd_secret(2).
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
    # Accept a store that was restored from a backup.
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
    # Take refresh tokens into an encrypted backup.
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
    # The finger lies on the reader.
    press,
    # The finger moves over the reader.
    swipe
  )

  # Where the fingers come from that can pass a check, and how those of the desktop are seen.
  type FingerSource (
    # All fingers are enrolled in the vault.
    own,
    # The fingers of the desktop count too, by their prints.
    fprintd,
    # The fingers of the desktop count too, and only their names can be seen.
    names_only
  )

  # An enrolled security key.
  type SecurityKey (
    # The name that the user picked.
    name: string,
    # In seconds since 1970.
    enrolled_at: int
  )

  # What an enrollment does.
  type EnrollEvent (
    # The reader waits for a touch.
    waiting,
    # One more touch is done.
    stage,
    # The last touch does not count.
    retry,
    # The finger or the key is enrolled.
    done
  )

  # How it is known whether there is a reader.
  type ReaderKnowledge (
    # sysfs shows it, or shows that there is none.
    plugged,
    # It does not show in sysfs, and was used the last time.
    last_used,
    # It does not show in sysfs, and no such reader was used yet.
    not_looked
  )

  # What became of a refresh token at the provider.
  type GrantState (
    # The provider confirmed that it is void.
    ended,
    # It stays valid there.
    valid,
    # It may be valid there.
    unknown,
    # There was none, or the provider had ended it before.
    none
  )

  # How a person signs in at the provider.
  type LoginFlow (
    # In a browser, which brings the answer to `redirect`, or whose address is pasted.
    browser,
    # With a code, in a browser of any machine (RFC 8628).
    device
  )

  # What happens while a person signs in.
  type LoginEvent (
    # The provider has no answer yet.
    waiting,
    # The account is signed in.
    done
  )

  # The weakest way to open the vaults.
  type DeviceSecretTier (
    # A copy of the directory opens the vault.
    file,
    # The machine key is being added: some vaults still open by their file.
    adding,
    # The vault needs the TPM of this machine, or the recovery code.
    tpm,
    # The vault needs a security key, or the recovery code.
    security_key
  )

  # What the comparison with the TPM's counter has found, which tells an old copy of the whole directory.
  type CounterCheck (
    # The directory has no TPM counter: an old copy of the whole directory is not detected.
    none,
    # The directory is the newest one.
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

  # How bad a finding is.
  type FindingLevel (
    # As it should be.
    ok,
    # Works, but not as well as it could.
    warning,
    # Does not work, or is not safe.
    problem
  )

  # Why a provider is unavailable, where a caller may want to tell.
  type UnavailableReason (
    # The machine is there, and no program listens at the port, or none answers. Nothing was sent.
    not_answering,
    # The certificate is of an authority that is not trusted. Nothing was sent.
    certificate_authority,
    # The certificate has expired. Nothing was sent.
    certificate_expired,
    # The certificate is not valid yet. Nothing was sent.
    certificate_not_yet_valid,
    # The certificate is of another host. Nothing was sent.
    certificate_name,
    # TLS failed for another reason. Nothing was sent.
    certificate,
    # The key of the server is not pinned. Nothing was sent.
    pin,
    # A program of another user listens at the loopback address. Nothing was sent.
    listener,
    # The provider may have taken what was sent.
    uncertain,
    # The provider refused a refresh token without a reason. A second such refusal means a login.
    refused_once
  )

  # Why a provider refused what a person typed.
  type VaultRefusalReason (
    # The e-mail address and the password do not belong together.
    wrong_credentials,
    # The e-mail address has an account already.
    address_taken,
    # The provider found fault with a field.
    invalid_input
  )

  # An account, as the engine tells of it.
  type Account (
    name: string,
    # The name of its provider.
    provider: string,
    # The kind of its provider.
    kind: string,
    # Where its provider is.
    issuer: string,
    # What the provider calls this person: never used to find the account.
    subject: ?string,
    email: ?string,
    display_name: ?string,
    # What the provider says that the person may do there.
    role: ?string,
    # Whether the provider has seen that the e-mail address is the person's.
    email_verified: ?bool,
    # When the person registered there.
    created_at: ?int,
    # What else the provider told of the person: at most 4096 bytes.
    claims: ?object,
    # Whether its refresh token is used only after a presence check.
    presence_protection: bool,
    state: AccountState,
    # Why a login is required, or why the last refresh failed.
    cause: ?string,
    access_token_expires_at: ?int,
    # When the provider last gave tokens.
    refreshed_at: ?int,
    # Whether a call without `account` means this one.
    is_default: bool,
    # Whether its refresh token may be released. An earlier engine does not say.
    exportable: ?bool,
    # The scopes that its login was granted, if they are known.
    scope: ?string,
    # Those of them that the last refresh did not bring.
    missing_scope: ?string,
    # Of a login that has just taken the place of another: whether that one's refresh token was revoked
    # at its provider.
    replaced_revoked: ?bool,
    # Why it was not.
    replaced_reason: ?string
  )

  # What is known about the reader, which is not opened for this.
  type Reader (
    # Whether it can be used.
    available: bool,
    name: ?string,
    driver: ?string,
    # Why it cannot be used.
    reason: ?string,
    # Whether a program uses it now, if that is known.
    in_use: ?bool,
    # How this is known. An engine that asks the reader does not say.
    known: ?ReaderKnowledge
  )

  # What the provider said of one field of a form.
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
    # What was tried.
    event: string,
    # How it ended.
    outcome: string,
    account: ?string,
    # How presence was shown.
    method: ?string,
    # The program that asked.
    requester: ?string,
    # More about the event, never a secret.
    detail: ?string
  )

  # What a sign-out of all accounts came to for one of them.
  type EndedAccount (
    account: string,
    # The name of its provider.
    provider: string,
    # Whether its tokens are erased here.
    erased: bool,
    # What became of the refresh token.
    grant: GrantState,
    # Why the provider did not confirm, or why nothing was erased.
    reason: ?string,
    # Whether there was no connection from here.
    offline: ?bool,
    # The error of this interface that kept it from being erased, such as `VaultUnsafe`.
    error: ?string
  )

  # A rule of the policy. `window` is in minutes, `window-limit` in hours, `store` in MiB.
  type PolicyRule (
    # Its key in a policy file.
    key: string,
    # What the machine sets, else the default.
    machine: string,
    # What the user has set.
    own: ?string,
    # What holds: the stricter one. Absent if the rule has no effect in this vault.
    holds: ?string,
    # Whether a user may set a stricter one.
    for_users: bool,
    # The file and line of the machine's value. Absent if no file sets it.
    location: ?string
  )

  # A slot of the machine key.
  type MachineSlot (
    # Names it in commands.
    id: string,
    # Absent: it cannot be read.
    kind: ?SlotKind,
    # Why it cannot be read.
    problem: ?string
  )

  # The test of one slot.
  type SlotTest (
    slot: MachineSlot,
    # Absent: it was not tried.
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
    # Whether its `desktop` lets more prompts be shown than the policy of the machine.
    # [false if absent]
    loosens_desktop: ?bool
  )

  # The engine and the unlock window.
  method GetStatus() -> (
    form: VaultForm,
    # The version of Thumblatch.
    version: string,
    # The process id of the engine.
    process: int,
    # What guards the device secret: `file` or `tpm`.
    device_secret: string,
    memory: SecretMemoryKind,
    # Whether the unlock window is open.
    unlocked: bool,
    # Seconds until the unlock window closes.
    unlocked_for: ?int,
    # The accounts that it covers. Empty: all.
    unlocked_accounts: []string,
    # The fingers that are enrolled in the vault, such as `right-index`.
    enrolled_fingers: []string,
    # Whether only the password passes, because too many fingers failed.
    fingerprint_locked_out: bool,
    # Why the store is not used, such as an old copy that was put back.
    problem: ?string,
    # What to do about it.
    remedy: ?string,
    # The fingers that the desktop's settings have enrolled.
    desktop_fingers: ?[]string,
    finger_source: ?FingerSource,
    # Why no finger counts now although some are enrolled.
    finger_reason: ?string,
    # The names of the enrolled security keys.
    enrolled_keys: ?[]string,
    # Absent unless the machine key is open.
    counter: ?CounterCheck
  )

  # One reply for each account with `more`. Without `more` an account must be named if there are several.
  method GetAccount(account: ?string) -> (
    # Absent if there is no account at all.
    account: ?Account
  )

  # Asks a helper process, which looks and does not touch the reader: takes some milliseconds.
  method GetReader() -> (reader: Reader)

  # A new user at a password backend, signed in as well. Creates the account. An `exportable` one,
  # whose refresh token may be released, needs a prompt passed by password.
  method Register(
    # The account to create.
    account: string,
    provider: Provider,
    email: string,
    # What the person is called.
    name: ?string,
    # [secret]
    password: string,
    # Whether the refresh token may be released later.
    exportable: ?bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)

  # Signs in by password, in a new account or in one that is signed out or in again. An `exportable`
  # one needs a prompt passed by password.
  method Login(
    # The account. It is created if it does not exist.
    account: string,
    # Absent: the account's own.
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

  # Puts a password, a personal access token or an API key into the vault, under an account of kind
  # `static`, or replaces that account's. To replace the secret of a protected account needs a passed
  # prompt of its own; no unlock window counts.
  method StoreSecret(
    # The account. It is created if it does not exist.
    account: string,
    # The host that the secret belongs to: a provider of kind `static`.
    provider: Provider,
    # The secret: 1 to 32 KiB of UTF-8, without control characters but tabs and line ends.
    # [secret]
    secret: string,
    # The user name at the host. It becomes the account's `subject`.
    username: ?string,
    # How a person calls it. It becomes the account's `display_name`.
    label: ?string,
    # When the secret expires. Absent: it does not.
    expires_at: ?int,
    # What a client keeps beside the secret, at most 4096 bytes. It becomes the account's `claims`. It is
    # not secret, and no member may have the name of a secret of a reply.
    claims: ?object,
    # Whether each use needs a presence check from the start. Absent: an account that exists keeps its
    # protection. `false` is refused for a protected account.
    presence_protection: ?bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)

  # Imports a login that another program keeps: sends its refresh token to the provider at once. An
  # account that is signed in is refused, unless it already got this token. Then the engine sends nothing,
  # and returns the account. A protected account that is signed out needs a passed prompt of its own. If
  # the provider refuses, or if its answer is lost, no account is made. The other program's copy is then
  # the only one.
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
    # Whether the provider has replaced the refresh token. Otherwise the other program's copy stays valid.
    rotated: bool
  )

  # A valid access token, or the secret of an account of kind `static`.
  method AccessToken(
    account: ?string,
    # For how many seconds the token must be valid. Absent: 10.
    minimum_lifetime: ?int,
    # An access token that a server refused: a newer one is wanted.
    rejected: ?string,
    # A passed presence check, which this call spends.
    prompt: ?string,
    # Absent, with `audience` absent too: the account's usual scopes.
    scope: ?string,
    # The server that the token is for. Absent: the account's usual one.
    audience: ?string,
    ask: ?bool,
    # The caller accepts, for this call only, that a token for fewer scopes may narrow the login.
    narrow: ?bool,
    # With `narrow`: the person accepts it, until the next login and for every caller.
    remember: ?bool,
    # What the program needs the token for: at most 200 characters. It is shown to the person as not
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
    # Absent: the provider did not say.
    expires_at: ?int,
    # Whether even a new token does not live as long as `minimum_lifetime`.
    shorter_than_requested: bool,
    # The scopes that the provider granted, if it told them: they may be fewer.
    scope: ?string,
    # What is missing of the scopes of the call or of the login: told once, by the first reply with a
    # token that lacks it.
    missing_scope: ?string
  )

  # Runs the presence check of a prompt. fingerprint: call with `more`; replies `waiting` and
  # `retry`, then `passed`, or the error PresenceFailed. Any message cancels it first.
  # key: the same, and `ask` if the key wants its PIN.
  # With `also`, several devices are armed together, and the first that passes wins.
  # password: replies `ask`; answer with Respond. With `more`, `waiting` tells of a wait, and `says` what the
  # modules of the system say while they work.
  # With `more` and `wait`, while another prompt is armed: `queued`, and `free` once that is over.
  # Nothing is armed then: show the prompt, and call Check again. Else: the error Busy.
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
    # What to do differently.
    # [word of ScanHint or general, of retry]
    hint: ?string,
    # The question or the words to show.
    # [of ask, of says]
    text: ?string,
    # Whether the answer is hidden.
    # [of ask, true if absent, always sent]
    hidden: ?bool,
    # A password was wrong, and the next one is tried after so many seconds.
    # [maybe of waiting]
    seconds: ?int,
    # The one finger that can match now.
    # [maybe of waiting]
    finger: ?string,
    # How the reader wants to be touched.
    # [maybe of waiting]
    scan: ?ScanType,
    # The device that failed.
    # [of device_failed]
    method: ?PresenceMethod,
    # [of device_failed]
    reason: ?PresenceOutcome,
    # [maybe of device_failed]
    message: ?string,
    # The devices by which the check goes on.
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
  # Gives the prompt up. The callers that joined it fail as cancelled too.
  method Cancel(prompt: string) -> ()

  # Has the prompt shown at the person's desktop, by an agent of the same user. It answers when the
  # check has passed, or with PresenceFailed. No other call may name the prompt before that.
  method AskAtDesktop(prompt: string) -> ()
  # Waits for a prompt of another program of the same user, which this program is to show: it is an
  # agent from now on. It calls Check and Respond with the prompt within two seconds, and Cancel if the
  # person denies. The engine ends the connection if the prompt ends earlier. A notice needs no call.
  method NextPrompt(
    # Whether this agent shows notices too.
    notices: ?bool
  ) -> (
    prompt: ?DesktopPrompt,
    # Instead of a prompt.
    notice: ?DesktopNotice
  )

  # Restricts this connection until its end. An agent calls it before it lends the connection to another
  # program, such as one in a container. Afterwards only AccessToken, RequestTerms, GetAccount and
  # AskAtDesktop are answered, for these accounts. Each access token needs a presence check of its own,
  # unless the rule says otherwise. A connection that is restricted already stays as it is.
  method Restrict(
    # What the programs behind it are called in prompts and in the audit log. The rule for an account's
    # name applies.
    name: string,
    accounts: []string,
    # The scopes that may be asked for, and that are asked for if a call names none. Absent: any.
    scope: ?string,
    # The name of a rule that holds too, and says when a token needs a presence check. Absent: none.
    rule: ?string
  ) -> ()

  # The rules for callers.
  method ListRules() -> (
    # Where those of the machine stand. Absent in the private form, which has none.
    file: ?string,
    rules: []CallerRule
  )
  # The marks and the rules of a process or a unit, one of which is given.
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
    # Whether a sandbox marks the process.
    sandboxed: bool,
    # The names of the rules that hold, in the order of the file.
    rules: []string,
    # The key of each that decides for whom it holds, such as `unit = backup.service`.
    because: []string,
    # What holds together, by the keys of a rule. Empty: no rule holds.
    limits: [string]string
  )

  # Protects an account.
  method EnablePresence(account: ?string, prompt: ?string, ask: ?bool, reason: ?string) -> (account: Account)
  # Ends the protection of an account.
  method DisablePresence(account: ?string, prompt: ?string, ask: ?bool, reason: ?string) -> (account: Account)
  # A presence check that releases nothing.
  method TestPresence(prompt: ?string, ask: ?bool, reason: ?string) -> (
    # How the check was passed, such as `fingerprint`.
    method: string
  )
  # Opens the unlock window.
  method Unlock(
    # The accounts that it covers. Empty: all.
    accounts: []string,
    # For how many seconds, fixed. Absent: the window slides.
    duration: ?int,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Seconds until it closes.
    unlocked_for: int,
    # The accounts that it covers. Empty: all.
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
    # The fingers that the desktop's settings have enrolled.
    desktop_fingers: ?[]string,
    finger_source: ?FingerSource,
    # Why no finger counts now although some are enrolled.
    finger_reason: ?string
  )
  # Enrols a finger. Needs a prompt passed by password. With `more`: `waiting`, `stage`, `retry`, last
  # `done`.
  method EnrollFinger(
    # Such as `right-index`. Absent: the first that is free.
    finger: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    event: EnrollEvent,
    finger: string,
    # How many touches are done.
    stage: int,
    # How many touches there are.
    stages: int,
    # What to do differently, for `retry`.
    # [word of ScanHint or general]
    hint: ?string,
    # How the reader wants to be touched.
    scan: ?ScanType
  )
  # Removes a finger that was enrolled in the vault. Needs a prompt passed by password. A reader that
  # stores prints deletes this one too.
  method DeleteFinger(
    # Such as `right-index`.
    finger: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Those that are left.
    fingers: []string,
    # Why the reader could not delete the print that it stores. The next enrollment there does it then.
    on_reader: ?string
  )

  # The enrolled security keys.
  method ListKeys() -> (
    keys: []SecurityKey
  )
  # Enrolls the only security key that is plugged in. Needs a prompt passed by password. With `more`:
  # `waiting` when the key is lit, last `done`.
  method EnrollKey(
    # The name for it, of 1 to 64 characters.
    key: string,
    # The PIN of the key, in UTF-8. Absent: the key is only touched.
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
    # Those that are left.
    keys: []SecurityKey
  )

  # Signs out: ends the login at the provider unless `local`, and erases here. To end it takes the
  # refresh token, and so a passed prompt where the account is protected and no unlock window is open.
  # To erase a protected static secret takes that prompt too, `local` or not: there is no other copy.
  # The account keeps its name, its protection and whose it was.
  method Logout(
    account: string,
    # Whether the provider is not told.
    local: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Whether the provider confirmed.
    revoked: bool,
    # Why not.
    reason: ?string,
    # Whether there was no connection from here.
    offline: ?bool,
    # What became of the refresh token. An earlier engine does not say.
    grant: ?GrantState
  )
  # The same for every account: one reply for each, with `more`. One prompt names all that need a check.
  method LogoutAll(
    # Whether the providers are not told.
    local: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Absent if there is no account at all.
    ended: ?EndedAccount
  )
  # Asks the provider who this is.
  method WhoAmI(account: ?string, prompt: ?string, ask: ?bool, reason: ?string) -> (
    account: Account,
    # The provider's own object.
    profile: object
  )
  # Asks the provider whether it still accepts the access token that AccessToken hands out.
  method VerifyToken(account: ?string, prompt: ?string, ask: ?bool, reason: ?string) -> (
    account: Account,
    # Whether the provider accepts the token. A token that it refuses is not handed out again.
    accepted: bool,
    # The provider's, else the vault's, if either is known.
    expires_at: ?int
  )
  # The audit log: one record a reply with `more`, oldest first. With `follow` each new record comes
  # too, when it is written. That lasts until the connection ends, or any message comes, which brings
  # the last reply, without a record.
  method Audit(
    # Only of this account.
    account: ?string,
    # From this time on.
    since: ?int,
    # Whether new records follow. An earlier engine ends with the last record that there is.
    follow: ?bool
  ) -> (
    # Absent if there is no record at all.
    record: ?AuditRecord
  )
  # Whether the audit log is intact.
  method VerifyAudit() -> (
    # Whether it is intact: no record was changed, and none is missing.
    whole: bool,
    # How many records there are.
    records: int,
    # The number of the first one; 0 if there is none.
    first: int,
    # The number of the last one.
    last: int,
    # When the first one was written.
    first_time: ?int,
    # When the last one was written.
    last_time: ?int,
    # The first number whose record is not what was written, or is missing.
    bad: ?int,
    # The time that stands in the record of that number, if there is one.
    bad_time: ?int,
    # What is wrong there: altered, dropped, reordered, truncated, duplicated, added, head or checkpoint.
    problem: ?string,
    # The head of the last record in hexadecimal digits, to compare with the one in the journal.
    head: ?string
  )

  # A new device secret: every refresh token, print and audit record is brought under it.
  # Needs a prompt passed by password.
  method Rekey(prompt: ?string, ask: ?bool, reason: ?string) -> (
    # How many refresh tokens.
    accounts: int,
    # How many prints.
    prints: int,
    # How many audit records.
    records: int
  )
  # Accepts a store that was put back, or whose rollback counter is lost: until then every other method that
  # needs the store is refused. Needs a prompt passed by password.
  method Recover(prompt: ?string, ask: ?bool, reason: ?string) -> (
    # The accounts that need a login now.
    login_required: []string
  )
  # The slots of the machine key, and the weakest way in. Needs no open vault.
  method DeviceSecretStatus() -> (
    tier: DeviceSecretTier,
    slots: []MachineSlot,
    # Whether the machine key is open in this engine.
    open: bool,
    # The maker and the firmware of the TPM, if it may be used. Asked for root and in the private form.
    tpm: ?string,
    # Why the TPM cannot be used.
    tpm_problem: ?string,
    # Absent unless the machine key is open.
    counter: ?CounterCheck,
    # Why there is no counter or no check, or what is wrong.
    counter_problem: ?string
  )
  # Adds a slot of the machine key. In the service form only for root. In the private form it needs a
  # prompt that was passed by password. The first slot of a TPM or a security key makes the machine key, and
  # rekeys every vault. A repeated call resumes an interrupted one. A slot of a security key only in the
  # private form: it fails with KeyPINNeeded before the prompt is used, if the key wants its PIN.
  #
  # If a recovery code is needed, the first reply holds it in `code`. Nothing changes until the same
  # connection calls again with that code.
  method AddSlot(
    kind: SlotKind,
    # The code of an earlier reply, as a person has typed it back.
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
    # How many vaults were rekeyed.
    vaults: int,
    # Why the TPM has no counter, after its slot was added.
    counter_problem: ?string,
    # Whether the security key waits for a touch. Only with `more`, before the last reply.
    # [false if absent]
    touch: ?bool
  )
  # Removes a slot of the machine key: root or a passed prompt, as for AddSlot. The last slot that the TPM
  # opens and the last recovery code cannot be removed.
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
  # Tests whether the slots of the machine key open. In the service form only for root.
  method TestSlots(
    # A recovery code, to test its slot too.
    # [secret]
    code: ?string
  ) -> (tests: []SlotTest)
  # Opens the machine key with a recovery code, and seals a new slot with this machine's TPM if none opens.
  # Needs no open vault and no prompt. In the service form only for root.
  method RecoverWithCode(
    # [secret]
    code: string
  ) -> (
    # The new slot of the TPM.
    added: ?string,
    # Slots that this TPM did not open, and that are removed now.
    removed: []string,
    # Why the TPM opens no slot: the engine needs the code again at its next start.
    problem: ?string,
    # Why the TPM has no counter, or could not be compared with it.
    counter_problem: ?string
  )
  # Opens the machine key with the security key that is plugged in, after MachineKeyNeeded. Needs no open
  # vault and no prompt. With `more`: `waiting` when the key is lit, last `done`. Only in the private form.
  method OpenMachineKey(
    # The PIN of the security key, in UTF-8. Absent: it was not asked for.
    # [secret]
    pin: ?string
  ) -> (event: EnrollEvent)
  # An encrypted backup of all accounts: one reply for each part of the file, with `more`. It carries refresh
  # tokens only of exportable accounts at providers that are known to keep them. Needs a prompt passed by
  # password. Either `backup_key` or `code` is given, as `header` says.
  method Backup(
    # The first bytes of the file.
    # [base64]
    header: string,
    # The key that the client has made of a passphrase, 32 bytes.
    # [secret, base64]
    backup_key: ?string,
    # The recovery code of this machine.
    # [secret]
    code: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # The account that ends with these bytes, if one does.
    account: ?BackupAccount,
    # The next bytes of the file, at most 32 KiB.
    # [base64]
    bytes: string
  )
  # Sends a part of a backup, for Restore on the same connection.
  method SendBackup(
    # How many bytes were sent before; 0 begins another backup.
    offset: int,
    # At most 32 KiB.
    # [base64]
    bytes: string
  ) -> ()
  # Restores the accounts of the backup that was sent: one reply for each, with `more`. All become accounts
  # in one transaction, or none does. Needs a prompt passed by password if the vault has accounts.
  method Restore(
    # The key that the client has made of a passphrase, 32 bytes.
    # [secret, base64]
    backup_key: ?string,
    # A recovery code.
    # [secret]
    code: ?string,
    # Whether the reply only tells what is in the backup. Nothing is changed, and no prompt is needed.
    examine: bool,
    # Whether accounts of the same name stay as they are, and are left out. Otherwise they are refused.
    skip_existing: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Absent if the backup has no account.
    account: ?RestoredAccount
  )
  # Moves all accounts of a private vault into the service of the machine: one reply for each, with `more`.
  # The engine connects to the service itself, and sends it nothing unless root has bound its socket. Names that
  # the service has are refused before a check. If this is interrupted, the accounts are not usable until the same
  # call has finished it, or CancelServiceImport has succeeded.
  method ImportIntoService(
    # The path of the service's socket; absent for the usual one.
    socket: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Absent if there was no account.
    account: ?MovedAccount
  )
  # Frees the accounts of a private vault after an interrupted ImportIntoService. The service first says that it
  # has none of them and refuses that transfer from now on. It is refused if the service has them.
  method CancelServiceImport() -> (
    # Whether a transfer was open.
    cancelled: bool
  )
  # Takes over the accounts of a private vault, which its engine has sent by SendBackup on the same connection. All
  # become accounts in one transaction, or none does. A transfer that is done already is done.
  method TakeOver(
    # Sixteen bytes that name the transfer.
    # [base64]
    transfer: string,
    # The key of what was sent, 32 bytes.
    # [secret, base64]
    backup_key: string
  ) -> ()
  # Refuses a transfer from now on, unless it was taken over.
  method DropTransfer(
    # Sixteen bytes that name the transfer.
    # [base64]
    transfer: string
  ) -> (
    # Whether it was taken over before.
    taken: bool
  )
  # Says which accounts of the service may move into the private vault of the caller: one reply for each, with
  # `more`. It is refused if the policy lets no account out.
  method ListExportable() -> (
    # Absent if there is no account.
    account: ?ExportableAccount
  )
  # Lets the engine of the caller's private vault fetch these accounts from the service once, by HandOver, within a
  # short time. Needs a prompt passed by password, which names the accounts and is bound to `commitment`.
  method AllowExport(
    # Names of accounts that may move.
    accounts: []string,
    # The reply of PrepareExport. Only the key that was made there fetches the accounts.
    # [base64]
    commitment: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> ()
  # The accounts that AllowExport has allowed, sealed under this key, in parts: with `more`. From now on the service
  # uses none of them until EndHandOver.
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
  # The handover that is not known to have ended.
  method OpenHandOver() -> (
    # Sixteen bytes that name it; absent if there is none.
    # [base64]
    transfer: ?string,
    # Sixteen bytes that name the private vault.
    # [base64]
    vault: ?string
  )
  # Ends a handover. The service erases the accounts if the private vault has them, and uses them again otherwise.
  method EndHandOver(
    # Sixteen bytes that name the handover.
    # [base64]
    transfer: string,
    # The bytes that came with the accounts, which show that the private vault has them; absent if it has none of them.
    # [secret, base64]
    receipt: ?string
  ) -> (
    # Whether there was this handover.
    ended: bool
  )
  # Makes the key of an export into a private vault, for ExportFromService on the same connection. Names that the
  # vault has are refused.
  method PrepareExport(
    # The names of the accounts.
    accounts: []string
  ) -> (
    # The SHA-256 of the key.
    # [base64]
    commitment: string
  )
  # Fetches the accounts that AllowExport has allowed from the service into a private vault: one reply for each, with
  # `more`. The engine connects to the service itself. All become accounts in one transaction, or none does.
  method ExportFromService(
    # The path of the service's socket; absent for the usual one.
    socket: ?string
  ) -> (
    account: ?MovedAccount
  )
  # Ends an interrupted ExportFromService: the service erases accounts that the private vault has, and uses them again
  # otherwise. One reply for each account that has moved, with `more`.
  method EndServiceExport(
    # The path of the service's socket; absent for the usual one.
    socket: ?string,
    # Whether it is refused if the private vault has the accounts.
    cancel: bool
  ) -> (
    # Absent if none has moved.
    account: ?MovedAccount,
    # Whether the service uses the accounts again.
    freed: bool
  )
  # The refresh token itself, of an exportable account, always after a presence check of its own.
  method Release(
    account: ?string,
    # Whether the account stays signed in here. Refused where tokens rotate.
    keep: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # The token. From now on it lives where the caller puts it.
    # [secret]
    refresh_token: string,
    # Whether the account is signed out here.
    signed_out: bool
  )

  # Gives an account another name. Needs a passed prompt where the account is protected.
  method RenameAccount(
    account: string,
    # Its name from now on.
    name: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)
  # Makes an account the default: the one of each call that names none. To take that from a protected
  # account needs a passed prompt.
  method SetDefaultAccount(account: string, prompt: ?string, ask: ?bool, reason: ?string) -> (account: Account)
  # Signs out as Logout does, then removes the account. A protected one needs a passed prompt of its
  # own, signed in or signed out, `local` or not; no unlock window counts.
  method RemoveAccount(
    account: string,
    # Whether the provider is not told.
    local: bool,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (revoked: bool, reason: ?string, offline: ?bool, grant: ?GrantState)
  # Where the access token may be sent, and on which terms: as the provider was at login, whatever files
  # say today.
  method RequestTerms(account: ?string) -> (
    account: string,
    # Its origin is always allowed.
    issuer: string,
    # The other hosts that the provider file named, each as `host` or `host:port`.
    hosts: []string,
    # Certificates in PEM. Absent: those of the system.
    ca: ?string,
    # Each as `sha256//...`. Empty: any key.
    pins: []string,
    # Where the proxy is.
    proxy: ?string,
    # Users, besides root, whose programs may get a token over loopback in plain text.
    listeners: ?[]int,
    # Seconds that a connection may take. Absent: 10.
    connect_timeout: ?int,
    # The only URL that the token is for, and those below its path: neither the issuer nor the hosts get
    # it. Absent: they do.
    resource: ?string,
    # Whether the token may go to each host for which the person names the account, too: it comes from a
    # login, and is not for one resource.
    any_host: ?bool
  )
  # What the engine finds when it looks at its vault: one finding a reply with `more`.
  method Examine() -> (
    # What was looked at: a stable name.
    name: string,
    # How it is.
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

  # Where an account signs in, as it is bound to its tokens: whatever files say today.
  method AccountProvider(account: ?string) -> (account: string, provider: Provider)
  # Brings another provider to a signed-in account: its tokens go there from now on. Needs a prompt
  # passed by password, whose `detail` tells what changes.
  method ApplyProvider(account: string, provider: Provider, prompt: ?string, ask: ?bool, reason: ?string) -> (
    account: Account
  )
  # A login that a person ends at the provider. browser: open `url`; what comes back at `redirect`,
  # whose port is the caller's, goes to FinishLogin, once. device: the person types `user_code` at
  # `verification_uri`, and AwaitLogin waits for it. The login is valid on this connection for
  # `expires_in` seconds, and given up when the connection closes. An `exportable` account needs a
  # prompt passed by password.
  method BeginLogin(
    # The account. It is created if it does not exist.
    account: string,
    # Absent: the account's own.
    provider: ?Provider,
    flow: LoginFlow,
    # For `browser`: where the browser is sent to afterwards, with its port.
    redirect: ?string,
    # The scopes to ask for. Absent: those of the provider.
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
    # What to type at `verification_uri`, for `device`.
    user_code: ?string,
    # The page at which it is typed.
    verification_uri: ?string,
    # The same page with the code in it, as for a QR code.
    verification_uri_complete: ?string,
    # How long there is time.
    expires_in: int,
    # How long the engine waits between two questions to the provider.
    interval: ?int
  )
  # Ends a login with what the browser brought.
  method FinishLogin(
    login: string,
    # What stands behind the question mark of the redirect, as it came: it holds the code.
    # [secret]
    query: string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (account: Account)
  # Asks the provider until the person has said yes or no. With `more`: `waiting`, last `done`. Any
  # message stops the wait, not the login.
  method AwaitLogin(login: string, prompt: ?string, ask: ?bool, reason: ?string) -> (
    event: LoginEvent,
    # With `done`: the account.
    account: ?Account,
    # How long the engine waits before it asks the provider again.
    interval: ?int
  )
  # Gives the login up. What the provider said already is not undone.
  method CancelLogin(login: string) -> ()
  # Looks at a provider: its metadata, its keys, the connection.
  method TestProvider(
    provider: Provider,
    # Whether the engine tries, without a person, if the provider refuses the redirect URI or a
    # revocation.
    tries: ?bool
  ) -> (
    issuer: string,
    # Whether the provider told its endpoints itself.
    discovered: bool,
    # The whole URL of each endpoint that is known, by its key in a provider file.
    endpoints: [string]string,
    # How a person can sign in: browser, device, password.
    flows: []string,
    # How many keys for ID tokens can be used. Absent if none are needed.
    keys: ?int,
    # What may be wrong, a sentence each.
    warnings: []string,
    # The scopes that the provider offers, if it says so.
    scopes: ?[]string,
    # The scopes that a login asks for.
    asked_scopes: ?[]string,
    # Whether the provider says that it checks PKCE with S256. Absent: it does not say.
    pkce: ?bool,
    # Where it registers clients (RFC 7591), if it does.
    registration: ?string,
    # Whether the URL of a client's metadata may be its ID.
    # [false if absent]
    client_metadata: ?bool,
    # How clients may authenticate to the token endpoint (RFC 8414). Absent: it does not say.
    client_authentication: ?[]string
  )
  # Follows an account, and whether the unlock window covers it. With `more`: how they stand now, and
  # again each time that differs; a slow reader gets the latest only. It lasts until the connection
  # ends, or any message comes, which brings the last reply. Meanwhile the account's usual access token
  # counts as used, and is refreshed before its end if that needs no presence check.
  method Watch(
    account: ?string,
    # How many seconds before its end the token is refreshed: 60 to 3600, at most half of its life.
    # 0: it is not refreshed for this. Absent: the engine decides.
    refresh_ahead: ?int
  ) -> (
    # Absent: there is none of that name, now.
    account: ?Account,
    # Whether the unlock window covers it.
    unlocked: bool
  )

  # The policy, as it holds for the caller.
  method GetPolicy() -> (
    # Where the machine's rules stand. Absent in the private form: they are the defaults.
    file: ?string,
    rules: []PolicyRule
  )
  # Lays down a rule of the user's own, which may only be stricter than the machine's. Needs a prompt
  # passed by password, whose `detail` tells what changes. It locks the vault.
  method SetPolicy(
    key: string,
    # Absent: gives the rule up, and the machine's holds.
    value: ?string,
    prompt: ?string,
    ask: ?bool,
    reason: ?string
  ) -> (
    # Whether the user's own rules differ from before.
    changed: bool,
    # Where the machine's rules stand. Absent in the private form: they are the defaults.
    file: ?string,
    rules: []PolicyRule
  )

  # Removes the vault of a user, or one account of it, without a presence check: only for root, by the
  # service. No provider is told: refresh tokens stay valid there. It is recorded in the audit log of
  # the user for one account, and in the journal. With a whole vault its prints are deleted on the
  # readers that store them.
  method RemoveUser(
    # The user name that the vault was made for, or a uid, which need not be a user of the machine any
    # more.
    user: string,
    # Absent: the whole vault.
    account: ?string
  ) -> (
    # The uid.
    user: int,
    # The user name that the vault was made for.
    name: ?string,
    # Those that are gone. Absent: they could not be read.
    accounts: ?[]EndedAccount,
    # Which prints of the vault a reader may still have, and why. Absent: none.
    on_reader: ?string,
    # The uids whose directory cannot be read, so that its vault may have been made for the same user
    # name. Absent: none, or `user` was a uid.
    unread: ?[]int
  )

  # A presence check is needed: show `requester`, `account` and `purpose`, then Check(prompt).
  # The prompt is valid on this connection for `timeout` seconds. After a call with `ask` false it is
  # empty, and no method can be tried.
  error PresenceNeeded(
    # What to call Check with.
    prompt: string,
    # The program that asks, as the person is to see it.
    requester: string,
    account: ?string,
    purpose: PresencePurpose,
    # Which finger, which accounts for how long, which provider: what the check allows, nothing else.
    detail: ?string,
    # How the check may be passed.
    methods: []PresenceMethod,
    timeout: int,
    # Why the password is needed where a finger would do else: show it.
    reason: ?string,
    # How the reader that was used last wants to be touched.
    scan: ?ScanType,
    # What the program says that it needs the token for. It is not verified: show it in quotes.
    stated_reason: ?string,
    # Whether only AskAtDesktop makes the check, because the connection is restricted.
    # [false if absent]
    at_desk: ?bool
  )
  # The check did not pass.
  error PresenceFailed(
    outcome: PresenceOutcome,
    message: string,
    # Those that may still be tried with this prompt.
    methods: []PresenceMethod
  )
  # Another request has what this one needs.
  error Busy(
    message: string,
    # Too many prompts were opened, and the next one may be after so many seconds.
    retry_after: ?int
  )
  # The prompt cannot be shown at a desktop.
  error NoDesktop(
    # Why.
    message: string
  )
  # No account of this name.
  error NoSuchAccount(account: string)
  # No print of this finger.
  error NoSuchFinger(finger: string)
  # No security key of this name.
  error NoSuchKey(key: string)
  # No vault was made for this user.
  error NoSuchUser(user: string)
  # An argument that no state of the vault would make valid.
  error InvalidArgument(message: string)
  # Only a login helps.
  error LoginRequired(account: string, message: string)
  # Unreachable or failing: nothing is lost unless `reason` says so, try again later.
  error ProviderUnavailable(
    message: string,
    # In seconds.
    retry_after: ?int,
    # No connection could be made, which says nothing of the provider.
    offline: ?bool,
    # Where there is more to tell.
    # [word of UnavailableReason]
    reason: ?string,
    # The HTTP status of an answer that came.
    status: ?int
  )
  # The call needs the machine key, and a person has to open it with a security key: OpenMachineKey. Nothing
  # was changed.
  error MachineKeyNeeded(message: string)
  # The security key wants its PIN, or the PIN was wrong. Nothing was changed.
  error KeyPINNeeded(
    message: string,
    # How many wrong PINs the key still accepts, if it says so.
    retries: ?int
  )
  # The provider answered no: wrong password, e-mail taken, or another 4xx.
  error ProviderRefused(
    status: int,
    message: string,
    # If the answer says what was wrong with the input.
    # [word of VaultRefusalReason]
    reason: ?string,
    # What was wrong with which field, if the answer says so.
    # [empty if absent]
    fields: ?[]FieldProblem
  )
  # The provider's configuration does not fit what it answers.
  error Misconfigured(message: string)
  # Damaged, newer, or unsafe permissions; nothing was changed.
  error VaultUnsafe(message: string, hint: ?string)
  # The caller may not.
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
