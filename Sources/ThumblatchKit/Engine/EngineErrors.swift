internal import PresenceTerms
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

extension AuthError {
  /// The session's error for a vault that cannot be reached, or that refused.
  init(_ error: VaultClientError) {
    switch error {
    case .refused(let refusal): self.init(refusal, cause: error)
    case .interrupted: self = .taskCancelled
    case .engineMissing, .exchangeHelperMissing:
      self.init(
        .notInstalled,
        "Thumblatch's programs cannot be used: \(error)",
        recoverySuggestion: Self.installation,
        cause: error
      )
    case .privateForbidden:
      self.init(.invalidArgument, "\(error)", recoverySuggestion: error.remedy, cause: error)
    case .unreachable:
      self.init(.vaultUnavailable, "\(error)", recoverySuggestion: "try again later", cause: error)
    case .engineUnsafe, .unsafeDirectory, .unsafeVault, .wrongServer:
      self.init(.vaultUnsafe, "\(error)", recoverySuggestion: error.remedy, cause: error)
    default:
      self.init(.vaultUnavailable, "\(error)", recoverySuggestion: error.remedy, cause: error)
    }
  }

  /// The error for a call that must not be repeated, because the engine may have carried it out.
  init(_ error: VaultClientError, _ again: Repetition) {
    guard error.leavesInDoubt(again) else {
      self.init(error)
      return
    }
    self.init(
      .vaultUnavailable,
      "\(error)",
      recoverySuggestion: "it may have succeeded anyway: check the account's state before"
        + " you try again",
      cause: error
    )
  }

  /// The advice if a program is missing.
  private static let installation =
    "install the Debian package of Thumblatch, or run Scripts/build --prefix ~/.local"

  /// The error for a call that needs a person when no person can be asked.
  ///
  /// `objection` says why the desktop shows no prompt; `nil` if the session has no presenter.
  static func cannotPrompt(_ objection: String? = nil, cause: any Error) -> AuthError {
    AuthError(
      .presence(.cannotPrompt),
      "a presence check is needed"
        + (objection.map { ", and no prompt can be shown at the desktop: \($0)" } ?? ""),
      recoverySuggestion: objection == nil ? PresenceFailure.cannotPrompt.suggestion : nil,
      cause: cause
    )
  }

  /// The advice if a provider was not reached, or is not trusted.
  private static func suggestion(
    _ reason: UnavailableReason?,
    isOffline: Bool,
    status: Int?
  ) -> String {
    switch reason {
    case let reason? where reason.isRefusal(status: status):
      "the login is kept; try again later"
    case _ where isOffline && reason != .notAnswering:
      (reason == .uncertain ? "the provider may have received the request" : "nothing is lost")
        + "; try again when there is a network"
    case nil, .notAnswering: "nothing is lost; try again later"
    case .uncertain: "the provider may have received the request; try again later"
    case .refusedOnce: "try again later, or sign in again"
    case .listener: "name its user in the provider's loopback_users, if it is the provider"
    case .notYetValid, .expired: "nothing was sent; check the clock and the server's certificate"
    case .authority, .name, .certificate, .pin:
      "nothing was sent; check the provider's authority and pins, or use another network"
    }
  }

  private init(_ error: VaultError, cause: any Error) {
    switch error {
    case .presenceNeeded: self = .cannotPrompt(cause: cause)
    case .noDesktop(let message, _): self = .cannotPrompt(message, cause: cause)
    case .presenceFailed(let outcome, let message, _):
      self.init(outcome, message, cause: cause)
    case .busy(let message, let seconds):
      let again = seconds.map { " in \($0) second\($0 == 1 ? "" : "s")" } ?? ""
      self.init(.busy, message, recoverySuggestion: "try again\(again)", cause: cause)
    case .noSuchAccount:
      self.init(.signedOut, Self.noUser, recoverySuggestion: "sign in", cause: cause)
    case .loginRequired(_, let message):
      self.init(
        .loginRequired,
        message.isEmpty ? "a new sign-in is required" : message,
        recoverySuggestion: "sign in again",
        cause: cause
      )
    case .providerUnavailable(let message, let seconds, let isOffline, let reason, let status):
      let other = Kind.providerUnavailable(retryAfter: seconds.map { .seconds($0) }, status: status)
      self.init(
        reason.flatMap { Kind($0) } ?? (isOffline == true ? .offline : other),
        message,
        recoverySuggestion: Self.suggestion(reason, isOffline: isOffline == true, status: status),
        cause: cause
      )
    case .providerRefused(let status, let message, let reason, let fields):
      self.init(
        Kind(reason, status: status),
        message,
        fields: fields.map { FieldProblem(Field(rawValue: $0.field), $0.message) },
        cause: cause
      )
    case .misconfigured(let message): self.init(.misconfigured, message, cause: cause)
    case .machineKeyNeeded(let message), .keyPINNeeded(let message, _):
      self.init(
        .vaultUnavailable,
        message,
        recoverySuggestion: "open the vault at a terminal: thumblatch status",
        cause: cause
      )
    case .vaultUnsafe(let message, let hint):
      self.init(.vaultUnsafe, message, recoverySuggestion: hint, cause: cause)
    case .refused(let message, narrows: true):
      self.init(
        .mayNarrowLogin,
        message,
        recoverySuggestion: "call with mayNarrowLogin: true, agree at a terminal with"
          + " thumblatch token --scope, or set the provider's refresh_scope",
        cause: cause
      )
    case .noSuchFinger, .noSuchKey, .noSuchUser, .invalidArgument:
      self.init(.invalidArgument, "\(error)", cause: cause)
    case .refused(let message, _): self.init(.invalidArgument, message, cause: cause)
    case .internal(let message): self.init(.unexpected, message, cause: cause)
    }
  }

  private init(_ outcome: PresenceOutcome, _ message: String, cause: any Error) {
    guard outcome != .notAvailable || EngineVault.presenceFlaw == nil else {
      self.init(
        .notInstalled,
        "Thumblatch's programs cannot be used: \(message)",
        recoverySuggestion: Self.installation,
        cause: cause
      )
      return
    }
    let failure = PresenceFailure(outcome)
    self.init(
      .presence(failure),
      message.isEmpty ? PresenceText.failure(outcome, "") : message,
      recoverySuggestion: failure.suggestion,
      cause: cause
    )
  }

  /// The error of a session without a user.
  static let noUser = "no user is signed in"
}

extension AuthError.Kind {
  /// The kind of error for a provider that received nothing; `nil` for any other reason.
  init?(_ reason: UnavailableReason) {
    switch reason {
    case .notAnswering: self = .notAnswering
    case .authority, .expired, .notYetValid, .name, .certificate, .pin, .listener:
      self = .providerNotTrusted
    case .uncertain, .refusedOnce: return nil
    }
  }

  /// The kind of error for a provider's refusal.
  init(_ reason: VaultRefusalReason?, status: Int) {
    self =
      switch reason {
      case .wrongCredentials: .wrongCredentials(status: status)
      case .addressTaken: .addressTaken(status: status)
      case .invalidInput: .invalidInput(status: status)
      case nil: .providerRefused(status: status)
      }
  }
}

extension AuthError.PresenceFailure {
  init(_ outcome: PresenceOutcome) {
    self =
      switch outcome {
      case .cancelled: .cancelled
      case .passwordChosen: .passwordChosen
      case .notAvailable: .notAvailable
      case .notEnrolled: .notEnrolled
      case .lockedOut: .lockedOut
      case .noMatch: .noMatch
      case .timedOut: .timedOut
      case .busy: .busy
      case .denied: .denied
      }
  }

  /// The advice for the failure.
  var suggestion: String? {
    switch self {
    case .lockedOut, .notAvailable: "use the system password"
    case .notEnrolled: "enroll one: thumblatch fingers enroll"
    case .timedOut, .busy, .noMatch: "try again"
    case .cannotPrompt: "give the session a presenter"
    case .cancelled, .passwordChosen, .denied: nil
    }
  }
}
