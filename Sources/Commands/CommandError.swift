internal import JSON

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
  }

  let code: ExitCode
  /// One clause, lower case, without a full stop.
  ///
  /// It may hold text from elsewhere: it is made harmless where it is printed.
  let message: String
  /// What to do about it.
  let hint: String?
  /// More than the exit status says; nil where that is all.
  let reason: Reason?
  /// What stands beside the error with `--json`.
  let facts: JSONObject
  /// Whether all of it stands in the result already, so that only the exit status is left.
  let isSaid: Bool

  init(
    _ code: ExitCode,
    _ message: String,
    hint: String? = nil,
    reason: Reason? = nil,
    facts: JSONObject = JSONObject(),
    isSaid: Bool = false
  ) {
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
