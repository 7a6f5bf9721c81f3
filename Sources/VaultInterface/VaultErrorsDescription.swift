/// The end of the installed file `io.thumblatch.Vault.varlink`: its errors.
let vaultErrorsDescription = #"""
  # A presence check is needed: show `requester`, `account` and `purpose`, then Check(prompt).
  # The prompt is valid on this connection for `timeout` seconds. After a call with `ask` false it is
  # empty, and no method can be tried.
  error PresenceNeeded(
    prompt: string,
    requester: string,
    account: ?string,
    purpose: (refresh, enable, disable, unlock, enroll, delete_finger, release, exportable, rekey,
      recover, test, apply_provider, rename, policy, sign_out, remove, replace, set_default),
    # Which finger, which accounts for how long, which provider: what the check allows, nothing else.
    detail: ?string,
    methods: [](fingerprint, password),
    timeout: int,
    # Why the password is needed where a finger would do else: show it.
    reason: ?string,
    # How the reader that was used last wants to be touched.
    scan: ?(press, swipe)
  )
  # The check did not pass. `methods` are those that may still be tried with this prompt.
  error PresenceFailed(
    outcome: (cancelled, password_chosen, not_available, not_enrolled, locked_out, no_match,
      timed_out, busy, denied),
    message: string,
    methods: [](fingerprint, password)
  )
  # `retry_after`: too many prompts were opened, and the next one may be after so many seconds.
  error Busy(message: string, retry_after: ?int)
  error NoSuchAccount(account: string)
  error NoSuchFinger(finger: string)
  error NoSuchUser(user: string)
  error InvalidArgument(message: string)
  error LoginRequired(account: string, message: string)
  # Unreachable or failing: nothing is lost, try again later. `offline`: no connection could be made,
  # which says nothing of the provider. `reason`, where there is more to tell: not_answering (connection
  # refused), certificate_authority, certificate_expired, certificate_not_yet_valid, certificate_name,
  # certificate, pin, listener (another user's program has the loopback address): nothing was sent.
  # uncertain: the provider may have taken what was sent. refused_once: it refused a refresh token
  # without a reason; the second such refusal means a login. `status`: that of its answer.
  error ProviderUnavailable(
    message: string, retry_after: ?int, offline: ?bool, reason: ?string, status: ?int
  )
  # The provider answered no: wrong password, e-mail taken, or another 4xx. `reason` and `fields` are there
  # if the answer says what was wrong with the input. `reason` is wrong_credentials, address_taken,
  # invalid_input, or another word in a later version.
  error ProviderRefused(
    status: int, message: string, reason: ?string, fields: ?[]FieldProblem
  )
  # The provider's configuration does not fit what it answers.
  error Misconfigured(message: string)
  # Damaged, newer, or unsafe permissions; nothing was changed.
  error VaultUnsafe(message: string, hint: ?string)
  # `narrows`: a token for fewer scopes may narrow the login at its provider until a new login. The
  # same call with `narrow` accepts that.
  error Refused(message: string, narrows: ?bool)
  error Internal(message: string)

  """#
