internal import JSON
internal import VaultInterface

/// Why a verb failed: the exit status, and the message for the person.
struct CommandError: Error, Equatable {
  /// A reason by which programs can distinguish errors with the same exit status.
  enum Reason: String {
    /// There is no network connection, so the provider was not asked.
    case offline
    /// The settings do not match the provider.
    case misconfigured
    /// The provider's machine is there, and no program listens at its port.
    case notAnswering = "not-answering"
    /// The certificate is from an authority that is not trusted.
    case certificateAuthority = "certificate-authority"
    case certificateExpired = "certificate-expired"
    case certificateNotYetValid = "certificate-not-yet-valid"
    /// The certificate is for another host.
    case certificateName = "certificate-name"
    /// TLS failed for another reason.
    case certificate
    /// The key is not one of the pinned keys.
    case pin
    /// A program of another user listens at the loopback address.
    case listener
    /// The provider may have received the request.
    case uncertain
    /// The refresh token was refused once without a reason.
    case refusedOnce = "refused-once"
    /// The e-mail address or the password is wrong.
    case wrongCredentials = "wrong-credentials"
    /// The e-mail address has an account already.
    case addressTaken = "address-taken"
    /// The provider refused the value of a field.
    case invalidInput = "invalid-input"
    /// A token for fewer scopes may narrow the login until a new one.
    case mayNarrow = "may-narrow"
  }

  let code: ExitCode
  /// One clause, lower case, without a full stop.
  ///
  /// It may hold text from outside. `Output` escapes it.
  let message: String
  /// The advice for the person.
  let hint: String?
  /// The reason within the exit status; `nil` if there is none.
  let reason: Reason?
  /// The HTTP status of the provider's answer; `nil` if there is none.
  let status: Int?
  /// The provider's messages about single fields.
  let fields: [VaultFieldProblem]
  /// The members beside the error with `--json`.
  let facts: JSONObject
  /// Whether the result has said all of it, so that only the exit status is left.
  let isSaid: Bool
  /// Whether the engine may have carried out the call.
  let isInDoubt: Bool

  init(
    _ code: ExitCode,
    _ message: String,
    hint: String? = nil,
    reason: Reason? = nil,
    status: Int? = nil,
    fields: [VaultFieldProblem] = [],
    facts: JSONObject = JSONObject(),
    isSaid: Bool = false,
    isInDoubt: Bool = false
  ) {
    self.status = status
    self.fields = fields
    self.facts = facts
    self.code = code
    self.message = message
    self.hint = hint
    self.reason = reason
    self.isSaid = isSaid
    self.isInDoubt = isInDoubt
  }

  /// The error for a command that cannot be run as it was given.
  static func usage(
    _ message: String,
    hint: String? = nil,
    facts: JSONObject = JSONObject()
  ) -> Self {
    CommandError(.usage, message, hint: hint, facts: facts)
  }

  /// A person or a signal ended the program.
  static let interrupted = CommandError(.interrupted, "interrupted")
}
