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
    /// The provider fails, or does not answer; it may be asked again after this time. `status` is the
    /// HTTP status of its answer, and `nil` if none came.
    case providerUnavailable(retryAfter: Duration?, status: Int?)
    /// The e-mail address and the password do not belong together.
    ///
    /// A backend says so with 401, or with 400 or 422 if it finds no fault with a single field. If
    /// it names another obstacle, such as an unconfirmed address, it is `providerRefused` instead.
    /// A provider of OAuth says so with `invalid_grant` (RFC 6749, section 5.2).
    case wrongCredentials(status: Int)
    /// The e-mail address has an account already: 409, or 400 or 422 with words that say so.
    case addressTaken(status: Int)
    /// The provider found fault with what was typed; `fields` says with what.
    case invalidInput(status: Int)
    /// The provider said no for another reason, with this HTTP status.
    case providerRefused(status: Int)
    /// The provider's settings do not fit what it answers.
    case misconfigured
    /// A token for these scopes may cost the login its other scopes, until a new login. Nothing was
    /// sent.
    ///
    /// Call again with `mayNarrowLogin: true` to accept that for the call, or ask for the usual token.
    /// If the provider is known to keep or to narrow a login, its setting `refresh_scope` says so, and
    /// no call ends like this.
    case mayNarrowLogin
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

  /// A field of a form.
  public struct Field: RawRepresentable, Sendable, Hashable {
    /// The e-mail address.
    public static let email = Field(rawValue: "email")
    /// The person's name.
    public static let name = Field(rawValue: "name")
    /// The password, and its repetition.
    public static let password = Field(rawValue: "password")

    /// The backend's own name for any other field.
    public let rawValue: String

    /// A field by its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// What a backend said of one field.
  public struct FieldProblem: Sendable, Hashable {
    /// The field.
    public let field: Field
    /// The backend's words, in one line of at most 200 characters.
    public let message: String

    /// Of these parts, as a stub of a test needs it.
    public init(_ field: Field, _ message: String) {
      self.field = field
      self.message = message
    }
  }

  /// What kind it is.
  public let kind: Kind
  /// What happened, in one sentence for the person.
  public let message: String
  /// What the person can do about it, where something can be said.
  public let recoverySuggestion: String?
  /// What the provider said of single fields, each at most once and at most 16.
  public let fields: [FieldProblem]
  /// The error that led to it.
  public let cause: (any Error)?

  /// Of these parts.
  public init(
    _ kind: Kind,
    _ message: String,
    recoverySuggestion: String? = nil,
    fields: [FieldProblem] = [],
    cause: (any Error)? = nil
  ) {
    self.kind = kind
    self.message = message
    self.recoverySuggestion = recoverySuggestion
    self.fields = fields
    self.cause = cause
  }

  /// What the provider said of a field.
  public func message(about field: Field) -> String? {
    fields.first { $0.field == field }?.message
  }

  /// The HTTP status of the answer that led to it; `nil` if there was none.
  public var httpStatus: Int? {
    switch kind {
    case .wrongCredentials(let status), .addressTaken(let status), .invalidInput(let status),
      .providerRefused(let status), .http(let status):
      status
    case .providerUnavailable(_, let status): status
    default: nil
    }
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
      && left.recoverySuggestion == right.recoverySuggestion && left.fields == right.fields
  }

  /// Hashes what the comparison looks at.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(message)
    hasher.combine(recoverySuggestion)
    hasher.combine(fields)
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
  /// Show the form again, with the message, and `fields` at their fields.
  case correctInput
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
    case .providerUnavailable(let time, _): .retry(after: time)
    case .wrongCredentials, .addressTaken, .invalidInput: .correctInput
    case .signedOut, .loginRequired: .signIn
    case .locked: .unlock
    case .presence(.denied), .presence(.nobodyToAsk), .providerRefused, .misconfigured,
      .mayNarrowLogin, .invalidURL, .hostNotAllowed, .http, .undecodable, .invalidArgument,
      .noBrowser, .noTerminal, .notInstalled, .vaultUnsafe, .unexpected:
      .showMessage
    }
  }
}
