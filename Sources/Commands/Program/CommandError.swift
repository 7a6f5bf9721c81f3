internal import JSON
internal import VaultInterface

/// Why a verb did not do what it was asked to: the exit status, and what is said about it.
struct CommandError: Error, Equatable {
  /// What a program may want to tell apart within one exit status.
  enum Reason: String {
    /// There is no connection from here: the provider was not asked, and has refused nothing.
    case offline
    /// Settings and provider do not go together.
    case misconfigured
    /// The provider's machine is there, and no program listens at its port.
    case notAnswering = "not-answering"
    /// The certificate is of an authority that is not trusted.
    case certificateAuthority = "certificate-authority"
    /// The certificate has expired.
    case certificateExpired = "certificate-expired"
    /// The certificate is not valid yet.
    case certificateNotYetValid = "certificate-not-yet-valid"
    /// The certificate is another host's.
    case certificateName = "certificate-name"
    /// TLS failed for another reason.
    case certificate
    /// The key is none of those that are pinned.
    case pin
    /// A program that is not the provider's listens at the loopback address.
    case listener
    /// The provider may have taken what was sent.
    case uncertain
    /// The refresh token was refused once without a reason.
    case refusedOnce = "refused-once"
    /// The e-mail address and the password do not belong together.
    case wrongCredentials = "wrong-credentials"
    /// The e-mail address has an account already.
    case addressTaken = "address-taken"
    /// The provider found fault with a field.
    case invalidInput = "invalid-input"
    /// A token for fewer scopes may narrow the login until a new one.
    case mayNarrow = "may-narrow"
  }

  let code: ExitCode
  /// One clause, lower case, without a full stop.
  ///
  /// It may hold text from elsewhere: it is made harmless where it is printed.
  let message: String
  /// What to do about it.
  let hint: String?
  /// More than the exit status says; `nil` if that is all.
  let reason: Reason?
  /// The HTTP status of the provider's answer; nil: none came, or it is of no interest.
  let status: Int?
  /// What the provider said of single fields.
  let fields: [VaultFieldProblem]
  /// What stands beside the error with `--json`.
  let facts: JSONObject
  /// Whether all of it stands in the result already, so that only the exit status is left.
  let isSaid: Bool

  init(
    _ code: ExitCode,
    _ message: String,
    hint: String? = nil,
    reason: Reason? = nil,
    status: Int? = nil,
    fields: [VaultFieldProblem] = [],
    facts: JSONObject = JSONObject(),
    isSaid: Bool = false
  ) {
    self.status = status
    self.fields = fields
    self.facts = facts
    self.code = code
    self.message = message
    self.hint = hint
    self.reason = reason
    self.isSaid = isSaid
  }

  /// A person or a signal ended the program.
  static let interrupted = CommandError(.interrupted, "interrupted")
}
