/// The installed file `io.thumblatch.Vault.varlink`, byte for byte.
let vaultDescription = vaultMethodsDescription + vaultErrorsDescription

private let vaultMethodsDescription = #"""
  # The token vault of one user (private form) or of every user of the machine (service).
  # Messages are at most 65536 bytes with their NUL. Times are seconds since 1970, UTC; durations
  # are seconds. Methods and optional members are added, never changed.
  #
  # A method with a member `prompt` may need a presence check. It answers PresenceNeeded, and does its
  # work when it is called again with the prompt whose check has passed. `ask` tells whether the client
  # can ask the person. With true it shows the prompt at once, and the prompt counts against the limit
  # of prompts from its opening. With false no prompt is opened, and the `prompt` of PresenceNeeded is
  # empty. Without `ask` a prompt counts when its check begins.
  interface io.thumblatch.Vault

  # A place to sign in. `settings` holds the keys of a provider file's [Provider] section, except
  # that a certificate authority is given by its contents (`ca`), never by a path.
  type Provider (
    name: string,
    settings: [string]string
  )

  type Account (
    name: string,
    provider: string,
    kind: string,
    issuer: string,
    # What the provider calls this person: never used to find the account.
    subject: ?string,
    email: ?string,
    display_name: ?string,
    # More about the person, as the provider tells it. `created_at` is when the person registered there.
    # At most 4096 bytes of `claims`.
    role: ?string,
    email_verified: ?bool,
    created_at: ?int,
    claims: ?object,
    presence_protection: bool,
    # locked: the next access token takes a presence check. expired is not sent any more.
    state: (ready, locked, expired, refreshing, uncertain, login_required, signed_out),
    # Why a login is required, or why the last refresh failed.
    cause: ?string,
    access_token_expires_at: ?int,
    # When the provider last gave tokens.
    refreshed_at: ?int,
    is_default: bool,
    # Whether its refresh token may be released.
    exportable: ?bool,
    # The scopes that its login was granted, and those of them that the last refresh did not bring.
    scope: ?string,
    missing_scope: ?string,
    # Of a login that has just taken the place of another: whether that one's refresh token was revoked
    # at its provider, else why not.
    replaced_revoked: ?bool,
    replaced_reason: ?string
  )

  # What is known about the reader, which is not opened for this. `reason` tells why it is not there.
  type Reader (
    available: bool,
    name: ?string,
    driver: ?string,
    reason: ?string,
    # Whether a program uses it now.
    in_use: ?bool,
    # plugged: as sysfs shows it. last_used: it does not show there, and was used the last time.
    known: ?(plugged, last_used, not_looked)
  )

  # What the provider said of one field of a form: `email`, `name`, `password`, or a name of its own.
  type FieldProblem (
    field: string,
    message: string
  )

  type AuditRecord (
    number: int,
    time: int,
    event: string,
    outcome: string,
    account: ?string,
    method: ?string,
    requester: ?string,
    detail: ?string
  )

  # What a sign-out of all accounts came to for one of them. `error`: the error of this interface that
  # kept it from being erased.
  type EndedAccount (
    account: string,
    provider: string,
    erased: bool,
    grant: (ended, valid, unknown, none),
    reason: ?string,
    offline: ?bool,
    error: ?string
  )

  # A rule of the policy: what the machine lays down (the default, where nothing is laid down), what the
  # user has laid down, and what holds: the stricter one, or nothing where the rule has no effect in
  # this vault. `window` is in minutes, `window-limit` in hours, `store` in MiB.
  type PolicyRule (
    key: string,
    machine: string,
    own: ?string,
    holds: ?string,
    # Whether a user may lay down a stricter one.
    for_users: bool
  )

  # The engine and the unlock window. With `account`, an unknown name is an error.
  method GetStatus() -> (
    form: (private, service),
    version: string,
    process: int,
    # What guards the device secret: `file`, later `tpm`.
    device_secret: string,
    memory: (secret, locked, ordinary),
    unlocked: bool,
    # Seconds until the unlock window closes, and the accounts that it covers (empty: all).
    unlocked_for: ?int,
    unlocked_accounts: []string,
    enrolled_fingers: []string,
    fingerprint_locked_out: bool,
    # Why the store is not used, such as an old copy that was put back, and what to do about it.
    problem: ?string,
    remedy: ?string,
    # What the desktop's settings have enrolled, how it is seen (own: nothing is), and why no finger
    # counts now although some are enrolled.
    desktop_fingers: ?[]string,
    finger_source: ?(own, fprintd, names_only),
    finger_reason: ?string
  )

  # One reply for each account with `more`; without it an account must be named.
  method GetAccount(account: ?string) -> (account: ?Account)

  # Asks a helper process, which looks and does not touch the reader: takes some milliseconds.
  method GetReader() -> (reader: Reader)

  # A new user at a password backend, signed in as well. Creates the account. An `exportable` one,
  # whose refresh token may be released, needs a prompt passed by password.
  method Register(
    account: string, provider: Provider, email: string, name: ?string, password: string,
    exportable: ?bool, prompt: ?string, ask: ?bool
  ) -> (account: Account)

  # Signs in by password, in a new account or in one that is signed out or in again. Without
  # `provider`, the account's own.
  method Login(
    account: string, provider: ?Provider, email: string, password: string,
    exportable: ?bool, prompt: ?string, ask: ?bool
  ) -> (account: Account)

  # A valid access token. `minimum_lifetime` defaults to 10. `rejected` is an access token that a
  # server refused: a newer one is wanted. `prompt` spends a passed presence check. `scope` is a list
  # of scopes apart by spaces, `audience` whom the token is for; without both: the account's usual one.
  # `narrow` accepts, for this call alone, that a token for fewer scopes may narrow the login. With
  # `remember` as well, the person accepts it: that is kept until the next login, for every caller.
  method AccessToken(
    account: ?string, minimum_lifetime: ?int, rejected: ?string, prompt: ?string,
    scope: ?string, audience: ?string, ask: ?bool, narrow: ?bool, remember: ?bool
  ) -> (
    account: string,
    access_token: string,
    token_type: string,
    expires_at: ?int,
    shorter_than_requested: bool,
    # The scopes that the provider granted, where it told them: they may be fewer. What is missing is
    # told once, by the first reply with a token that lacks it.
    scope: ?string,
    missing_scope: ?string
  )

  # Runs the presence check of a prompt. fingerprint: call with `more`; replies `waiting` and
  # `retry`, then `passed`, or the error PresenceFailed. Any message cancels it first.
  # password: replies `ask`; answer with Respond. With `more`, `waiting` tells of a wait.
  # With `more` and `wait`, while another prompt is armed: `queued`, and `free` once that is over.
  # Nothing is armed then: show the prompt, and call Check again. Else: the error Busy.
  method Check(prompt: string, method: (fingerprint, password), wait: ?bool) -> (
    event: (waiting, retry, ask, passed, queued, free),
    # What to do differently, for `retry`: too_short, center_finger, remove_finger, general.
    hint: ?string,
    # The question to show, for `ask`, and whether the answer is hidden.
    text: ?string,
    hidden: ?bool,
    # With `waiting`: a password was wrong, and the next one is tried after so many seconds.
    seconds: ?int,
    # With `waiting`: the one finger that can match now, and how the reader wants to be touched.
    finger: ?string,
    scan: ?(press, swipe)
  )
  method Respond(prompt: string, text: string) -> (
    event: (waiting, retry, ask, passed, queued, free), hint: ?string, text: ?string, hidden: ?bool,
    seconds: ?int
  )
  # Gives the prompt up; those who joined it fail as cancelled too.
  method Cancel(prompt: string) -> ()

  method EnablePresence(account: ?string, prompt: ?string, ask: ?bool) -> (account: Account)
  method DisablePresence(account: ?string, prompt: ?string, ask: ?bool) -> (account: Account)
  # A presence check that releases nothing. `method` is how it was passed.
  method TestPresence(prompt: ?string, ask: ?bool) -> (method: string)
  # Opens the unlock window. No accounts: all. `duration` makes it fixed; else it slides.
  method Unlock(accounts: []string, duration: ?int, prompt: ?string, ask: ?bool) -> (
    unlocked_for: int, unlocked_accounts: []string
  )
  method Lock() -> (was_unlocked: bool)

  method ListFingers() -> (
    fingers: []string,
    reader: Reader,
    desktop_fingers: ?[]string,
    finger_source: ?(own, fprintd, names_only),
    finger_reason: ?string
  )
  # Needs a prompt passed by password. With `more`: `waiting`, `stage`, `retry`, last `done`.
  method EnrollFinger(finger: ?string, prompt: ?string, ask: ?bool) -> (
    event: (waiting, stage, retry, done),
    finger: string,
    stage: int,
    stages: int,
    hint: ?string,
    # How the reader wants to be touched.
    scan: ?(press, swipe)
  )
  # Needs a prompt passed by password. `fingers` are those that are left. A reader that stores prints
  # deletes this one too; `on_reader` tells why it could not. The next enrolment there does it then.
  method DeleteFinger(finger: string, prompt: ?string, ask: ?bool) -> (
    fingers: []string, on_reader: ?string
  )

  # Signs out: ends the login at the provider unless `local`, and erases here. To end it takes the
  # refresh token, and so a passed prompt where the account is protected and no unlock window is open.
  # `revoked` says whether the provider confirmed, `reason` why not, `offline` that there was no
  # connection from here. `grant`: the refresh token is void (ended), stays valid at the provider, may
  # be valid there (unknown), or there was none. The account keeps its name, its protection and whose
  # it was.
  method Logout(account: string, local: bool, prompt: ?string, ask: ?bool) -> (
    revoked: bool, reason: ?string, offline: ?bool, grant: ?(ended, valid, unknown, none)
  )
  # The same for every account: one reply for each, with `more`. One prompt names all that need a check.
  method LogoutAll(local: bool, prompt: ?string, ask: ?bool) -> (ended: ?EndedAccount)
  # Asks the provider who this is. `profile` is the provider's own object.
  method WhoAmI(account: ?string, prompt: ?string, ask: ?bool) -> (account: Account, profile: object)
  # Asks the provider whether it still accepts the access token that AccessToken hands out. A token that
  # it refuses is not handed out again. `expires_at` is the provider's, else the vault's.
  method VerifyToken(account: ?string, prompt: ?string, ask: ?bool) -> (
    account: Account, accepted: bool, expires_at: ?int
  )
  # One record a reply with `more`, oldest first.
  method Audit(account: ?string, since: ?int) -> (record: ?AuditRecord)
  # Whether the trail is whole. `bad` is the first number whose record is not what was written,
  # or is missing; `problem` is altered, dropped, reordered, truncated, duplicated, added, head or
  # checkpoint.
  method VerifyAudit() -> (
    whole: bool, records: int, first: int, last: int, first_time: ?int, last_time: ?int,
    bad: ?int, bad_time: ?int, problem: ?string
  )

  # A new device secret: every refresh token, print and record of the trail is brought under it.
  # Needs a prompt passed by password. How many there were.
  method Rekey(prompt: ?string, ask: ?bool) -> (accounts: int, prints: int, records: int)
  # Accepts a store that was put back, or whose mark is lost: until then every other method that
  # needs the store is refused. Needs a prompt passed by password. The accounts that need a login.
  method Recover(prompt: ?string, ask: ?bool) -> (login_required: []string)
  # The refresh token itself, of an exportable account, always after a presence check of its own.
  # The account is then signed out here, unless `keep`, which is refused where tokens rotate.
  method Release(account: ?string, keep: bool, prompt: ?string, ask: ?bool) -> (
    refresh_token: string, signed_out: bool
  )

  # Needs a passed prompt where the account is protected.
  method RenameAccount(account: string, name: string, prompt: ?string, ask: ?bool) -> (account: Account)
  # The account that is meant where none is named. To take that from a protected account needs a passed
  # prompt.
  method SetDefaultAccount(account: string, prompt: ?string, ask: ?bool) -> (account: Account)
  # Signs out as Logout does, then removes the account. A protected one needs a passed prompt of its
  # own, signed in or signed out, `local` or not; no unlock window counts.
  method RemoveAccount(account: string, local: bool, prompt: ?string, ask: ?bool) -> (
    revoked: bool, reason: ?string, offline: ?bool, grant: ?(ended, valid, unknown, none)
  )
  # Where the access token may be sent, and on which terms: as the provider was at login. `hosts`
  # are `host` or `host:port`, besides the issuer's origin. `ca` holds certificates in PEM.
  method RequestTerms(account: ?string) -> (
    account: string,
    issuer: string,
    hosts: []string,
    ca: ?string,
    pins: []string,
    proxy: ?string,
    # Users, besides root, whose programs may get a token over loopback in plain text.
    listeners: ?[]int,
    # Seconds that a connection may take.
    connect_timeout: ?int
  )
  # What the engine finds when it looks at its vault: one finding a reply with `more`.
  method Examine() -> (
    name: string, level: (ok, warning, problem), message: string, remedy: ?string
  )

  # Where an account signs in, as it is bound to its tokens: whatever files say today.
  method AccountProvider(account: ?string) -> (account: string, provider: Provider)
  # Brings another provider to a signed-in account: its tokens go there from now on. Needs a prompt
  # passed by password, whose `detail` tells what changes.
  method ApplyProvider(account: string, provider: Provider, prompt: ?string, ask: ?bool) -> (
    account: Account
  )
  # A login that a person ends at the provider. browser: open `url`; what comes back at `redirect`,
  # whose port is the caller's, goes to FinishLogin, once. device: the person types `user_code` at
  # `verification_uri`, and AwaitLogin waits for it. The login is valid on this connection for
  # `expires_in` seconds, and given up when the connection closes. An `exportable` account needs a
  # prompt passed by password.
  method BeginLogin(
    account: string, provider: ?Provider, flow: (browser, device), redirect: ?string,
    scope: ?string, exportable: ?bool, prompt: ?string, ask: ?bool
  ) -> (
    login: string,
    url: ?string,
    user_code: ?string,
    verification_uri: ?string,
    verification_uri_complete: ?string,
    expires_in: int,
    # How long the engine waits between two questions to the provider, in seconds.
    interval: ?int
  )
  # `query` is what stands behind the question mark of the redirect, as it came.
  method FinishLogin(login: string, query: string, prompt: ?string, ask: ?bool) -> (account: Account)
  # Asks the provider until the person has said yes or no. With `more`: `waiting`, last `done`. Any
  # message stops the wait, not the login.
  method AwaitLogin(login: string, prompt: ?string, ask: ?bool) -> (
    event: (waiting, done), account: ?Account, interval: ?int
  )
  # Gives the login up; what the provider said already is not undone.
  method CancelLogin(login: string) -> ()
  # Looks at a provider: its metadata, its keys, the connection. `endpoints` by their keys in a
  # provider file; `flows` are browser, device and password; `keys` counts those for ID tokens. With
  # `tries` it is found out, without a person, whether it refuses the redirect URI and a revocation.
  # `scopes` are those that it offers, if it says so; `asked_scopes` those that a login asks for.
  method TestProvider(provider: Provider, tries: ?bool) -> (
    issuer: string, discovered: bool, endpoints: [string]string, flows: []string, keys: ?int,
    warnings: []string, scopes: ?[]string, asked_scopes: ?[]string
  )
  # Follows an account, and whether the unlock window covers it. With `more`: how they stand now, and
  # again each time that differs; a slow reader gets the latest only. No `account`: there is none of
  # that name, now. It lasts until the connection ends, or any message comes, which brings the last
  # reply. Meanwhile the account's usual access token counts as used, and is refreshed `refresh_ahead`
  # seconds before its end (60 to 3600, at most half of its life; 0: not for this), where nobody has
  # to be asked for that.
  method Watch(account: ?string, refresh_ahead: ?int) -> (account: ?Account, unlocked: bool)

  # The policy. `file` is where the machine's rules stand: nowhere in the private form.
  method GetPolicy() -> (file: ?string, rules: []PolicyRule)
  # Lays down a rule of the user's own, which may only be stricter than the machine's; no `value` gives
  # it up. Needs a prompt passed by password, whose `detail` tells what changes. It locks the vault.
  method SetPolicy(key: string, value: ?string, prompt: ?string, ask: ?bool) -> (
    changed: bool, file: ?string, rules: []PolicyRule
  )

  # Removes the vault of a user, or one account of it, without a presence check: for root alone, by the
  # service. `user` is the login name that the vault was made for, or a uid, which need not be a user of
  # the machine any more. No provider is told: refresh tokens stay valid there. `accounts` are those that
  # are gone; without it they could not be read. It is recorded in the trail of the user for one account,
  # and in the journal. With a whole vault its prints are deleted on the readers that store them;
  # `on_reader` tells which a reader may still have, and why.
  method RemoveUser(user: string, account: ?string) -> (
    user: int, name: ?string, accounts: ?[]EndedAccount, on_reader: ?string
  )


  """#
