/// Why something that was asked of a session did not happen.
///
/// It holds no token, password or key. `description` is for the person: a backend may have named them
/// in its message. A log takes `debugDescription`, or the kind.
public struct AuthError: Error, Sendable {
  /// What kind of failure it is: what a program decides by.
  public enum Kind: Sendable, Hashable {
    /// Nobody is signed in.
    case signedOut
    /// The provider does not take the login any more: only a new one helps.
    case loginRequired
    /// The session is locked, and was told to refuse while it is.
    case locked
    /// No connection to the provider could be made; it was not asked.
    case offline
    /// The provider fails, or does not answer; it may be asked again after this time.
    case providerUnavailable(retryAfter: Duration?)
    /// The provider said no, with this HTTP status: a wrong password, an address that is taken.
    case providerRefused(status: Int)
    /// The provider's settings do not fit what it answers.
    case misconfigured
    /// The presence check did not pass.
    case presence(PresenceFailure)
    /// The URL is none, or not one over https where that is needed.
    case invalidURL
    /// The account's tokens must not be sent to this host.
    case hostNotAllowed
    /// The server answered with this HTTP status, which is no success.
    case http(status: Int)
    /// An answer is not what was to be decoded from it.
    case undecodable
    /// Nobody ended the login in time.
    case timedOut
    /// No browser can be opened here.
    case noBrowser
    /// There is no terminal to ask at.
    case noTerminal
    /// Something else that excludes this is under way.
    case busy
    /// Whoever asked no longer wants it.
    case cancelled
    /// What was asked for is not possible like this.
    case invalidArgument
    /// Thumblatch's programs are not installed where they are looked for.
    case notInstalled
    /// The vault does not answer.
    case vaultUnavailable
    /// The vault is damaged, newer, or not safe to use; nothing was changed.
    case vaultUnsafe
    /// A failure that nobody foresaw.
    case unexpected
  }

  /// Why a presence check did not pass.
  public enum PresenceFailure: String, Sendable, Hashable, CaseIterable {
    /// The person gave it up.
    case cancelled
    /// The person would rather type the password, which the policy does not allow.
    case passwordChosen
    /// There is no reader, or it cannot be used.
    case notAvailable
    /// No finger is enrolled.
    case notEnrolled
    /// Too many fingers failed: only the password helps.
    case lockedOut
    /// Another finger, or a wrong password.
    case noMatch
    /// Nobody answered.
    case timedOut
    /// The reader, or the prompt, is in use.
    case busy
    /// The system does not let this person in.
    case denied
    /// There is nobody to be asked: no presenter is set.
    case nobodyToAsk
  }

  /// What kind it is.
  public let kind: Kind
  /// What happened, in one sentence for the person.
  public let message: String
  /// What the person can do about it, where something can be said.
  public let recoverySuggestion: String?
  /// The error that led to it.
  public let cause: (any Error)?

  /// Of these parts.
  public init(
    _ kind: Kind,
    _ message: String,
    recoverySuggestion: String? = nil,
    cause: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.cause = cause
  }
}

extension AuthError: CustomStringConvertible {
  /// The message, and what to do about it: for the person.
  public var description: String {
    recoverySuggestion.map { "\(message) (\($0))" } ?? message
  }
}

extension AuthError: Hashable {
  /// Whether both tell the same; their causes do not count.
  public static func == (left: AuthError, right: AuthError) -> Bool {
    left.kind == right.kind && left.message == right.message
      && left.recoverySuggestion == right.recoverySuggestion
  }

  /// Hashes what the comparison looks at.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(message)
    hasher.combine(recoverySuggestion)
  }
}

/// What an app does about an error.
public enum RecoveryAction: Sendable, Hashable {
  /// Nothing: the person gave up, and the session is as it was.
  case keepSession
  /// Ask whether to go on with the system password.
  case offerPassword
  /// Go on with the system password: the person chose it.
  case usePassword
  /// Show the login view.
  case signIn
  /// Show the lock view.
  case unlock
  /// Try again after this time; nil: when the person wants to.
  case retry(after: Duration?)
  /// Show the message.
  case showMessage
}

extension AuthError {
  /// What to do about it.
  ///
  /// A reader that fails leads to the password, and never to less than a presence check.
  public var recovery: RecoveryAction {
    switch kind {
    case .cancelled, .presence(.cancelled): .keepSession
    case .presence(.passwordChosen): .usePassword
    case .presence(.lockedOut), .presence(.notAvailable), .presence(.notEnrolled),
      .presence(.noMatch):
      .offerPassword
    case .presence(.timedOut), .presence(.busy), .busy, .offline, .timedOut,
      .vaultUnavailable:
      .retry(after: nil)
    case .providerUnavailable(let time): .retry(after: time)
    case .signedOut, .loginRequired: .signIn
    case .locked: .unlock
    case .presence(.denied), .presence(.nobodyToAsk), .providerRefused, .misconfigured,
      .invalidURL, .hostNotAllowed, .http, .undecodable, .invalidArgument, .noBrowser, .noTerminal,
      .notInstalled, .vaultUnsafe, .unexpected:
      .showMessage
    }
  }
}
