/// The error of a session: why a call did not succeed.
///
/// It holds no token, password or key. `description` is for the person, because a backend may name
/// that person in its message. Log `debugDescription` or the kind.
public struct AuthError: Error, Sendable {
  /// The kind of failure, by which a program decides.
  public enum Kind: Sendable, Hashable {
    /// No user is signed in.
    case signedOut
    /// The provider no longer accepts the sign-in.
    ///
    /// Only a new sign-in helps.
    case loginRequired
    /// The session is locked, and its configuration makes it refuse then.
    case locked
    /// No connection to the provider could be made.
    ///
    /// The provider received nothing.
    case offline
    /// The provider's machine is there, and no program answers.
    ///
    /// The provider received nothing. The session's state is `offline` as well.
    case notAnswering
    /// The other side is not the one that the provider's settings name.
    ///
    /// Its certificate, its key or its program is another. Nothing was sent, and the same call
    /// fails again until the server or the settings change.
    case providerNotTrusted
    /// The provider fails, or does not answer.
    ///
    /// Try again after this time. `status` is the HTTP status of its answer, and `nil` if no answer
    /// came.
    case providerUnavailable(retryAfter: Duration?, status: Int?)
    /// The e-mail address and the password do not match.
    ///
    /// A backend reports that with 401, or with 400 or 422 if it rejects no single field. If it
    /// names another obstacle, such as an unconfirmed address, the error is `providerRefused`
    /// instead. An OAuth provider says so with `invalid_grant` (RFC 6749, section 5.2).
    case wrongCredentials(status: Int)
    /// The e-mail address already has an account: 409, or 400 or 422 with words that say so.
    case addressTaken(status: Int)
    /// The provider rejected the input.
    ///
    /// `fields` has the problem of each field.
    case invalidInput(status: Int)
    /// The provider refused for another reason, with this HTTP status.
    case providerRefused(status: Int)
    /// The provider's settings do not match its answers.
    case misconfigured
    /// A token for these scopes may cost the sign-in its other scopes, until a new sign-in.
    ///
    /// Nothing was sent.
    ///
    /// Call again with `mayNarrowLogin: true` to accept that for the call, or ask for the usual
    /// token. If the provider is known to keep or to narrow a sign-in, its setting `refresh_scope`
    /// says so, and no call ends with this error.
    case mayNarrowLogin
    /// The presence check did not pass.
    case presence(PresenceFailure)
    /// The text is not a URL, or not an https URL although one is needed.
    case invalidURL
    /// The account's tokens may not be sent to this host.
    case hostNotAllowed
    /// The server answered with this HTTP status, which is not a success.
    case http(status: Int)
    /// An answer could not be decoded as the expected value, or is larger than the request allows.
    case undecodable
    /// The sign-in was not completed in time.
    case timedOut
    /// No browser can be opened here.
    case noBrowser
    /// There is no terminal for the question.
    case noTerminal
    /// Another action that excludes this one is under way.
    case busy
    /// The caller gave up.
    case cancelled
    /// The arguments are wrong or do not fit the state.
    case invalidArgument
    /// Thumblatch's programs are not installed at the expected paths.
    case notInstalled
    /// The vault does not answer.
    case vaultUnavailable
    /// The vault is damaged, newer, or not safe to use; nothing was changed.
    case vaultUnsafe
    /// An unexpected failure.
    case unexpected
  }

  /// Why a presence check did not pass.
  public enum PresenceFailure: String, Sendable, Hashable, CaseIterable {
    /// The person cancelled the check.
    case cancelled
    /// The person prefers the password, which the policy does not allow.
    case passwordChosen
    /// There is no usable reader.
    case notAvailable
    /// No finger is enrolled.
    case notEnrolled
    /// Too many fingers failed.
    ///
    /// Only the password helps.
    case lockedOut
    /// The finger is not enrolled, or the password is wrong.
    case noMatch
    /// The person did not answer.
    case timedOut
    /// The reader, or the prompt, is in use.
    case busy
    /// The system denies access to this person.
    case denied
    /// No person can be asked: the session has no presenter, or no prompt can be shown at the
    /// desktop.
    case cannotPrompt
  }

  /// A field of a form.
  public struct Field: RawRepresentable, Sendable, Hashable {
    /// The e-mail address.
    public static let email = Field(rawValue: "email")
    /// The person's name.
    public static let name = Field(rawValue: "name")
    /// The password, and its repetition.
    public static let password = Field(rawValue: "password")

    /// The backend's name of the field.
    public let rawValue: String

    /// Makes a field from its name.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  /// A backend's message about one field.
  public struct FieldProblem: Sendable, Hashable {
    /// The field.
    public let field: Field
    /// The backend's words, in one line of at most 200 characters.
    public let message: String

    /// Makes a message, as the stub of a test needs it.
    public init(_ field: Field, _ message: String) {
      self.field = field
      self.message = message
    }
  }

  /// The kind of failure.
  public let kind: Kind
  /// A description of the error, in one sentence for the person.
  public let message: String
  /// The advice for the person; `nil` if there is no advice.
  public let recoverySuggestion: String?
  /// The provider's messages about single fields: at most one for each field, and at most 16.
  public let fields: [FieldProblem]
  /// The error that caused this one.
  public let cause: (any Error)?

  /// Makes an error.
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

  /// The provider's message about a field.
  public func message(about field: Field) -> String? {
    fields.first { $0.field == field }?.message
  }

  /// Whether no connection could be made, so that the provider received nothing.
  var isUnreached: Bool { kind == .offline || kind == .notAnswering }

  /// The HTTP status of the answer that caused the error; `nil` if there was no answer.
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
  /// The message and the advice, for the person.
  public var description: String {
    recoverySuggestion.map { "\(message) (\($0))" } ?? message
  }
}

extension AuthError: Hashable {
  /// Whether both errors say the same.
  ///
  /// Causes are not compared.
  public static func == (left: AuthError, right: AuthError) -> Bool {
    left.kind == right.kind && left.message == right.message
      && left.recoverySuggestion == right.recoverySuggestion && left.fields == right.fields
  }

  /// Hashes the values that `==` compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(message)
    hasher.combine(recoverySuggestion)
    hasher.combine(fields)
  }
}

/// The next step of an app after an error.
public enum RecoveryAction: Sendable, Hashable {
  /// Do nothing.
  ///
  /// The person gave up, and the session is unchanged.
  case keepSession
  /// Ask whether to go on with the system password.
  case offerPassword
  /// Go on with the system password: the person chose it.
  case usePassword
  /// Show the sign-in view.
  case signIn
  /// Show the lock view.
  case unlock
  /// Show the form again with the message, and show `fields` at their fields.
  case correctInput
  /// Try again after this time; `nil` for the moment that the person chooses.
  case retry(after: Duration?)
  /// Show the message.
  case showMessage
}

extension AuthError {
  /// The step that the error calls for.
  ///
  /// A reader that fails leads to the password, never to less than a presence check.
  public var recovery: RecoveryAction {
    switch kind {
    case .cancelled, .presence(.cancelled): .keepSession
    case .presence(.passwordChosen): .usePassword
    case .presence(.lockedOut), .presence(.notAvailable), .presence(.notEnrolled),
      .presence(.noMatch):
      .offerPassword
    case .presence(.timedOut), .presence(.busy), .busy, .offline, .notAnswering,
      .timedOut, .vaultUnavailable, .providerUnavailable:
      .retry(after: retryAfter)
    case .wrongCredentials, .addressTaken, .invalidInput: .correctInput
    case .signedOut, .loginRequired: .signIn
    case .locked: .unlock
    case .presence(.denied), .presence(.cannotPrompt), .providerRefused, .providerNotTrusted,
      .misconfigured, .mayNarrowLogin, .invalidURL, .hostNotAllowed, .http, .undecodable,
      .invalidArgument,
      .noBrowser, .noTerminal, .notInstalled, .vaultUnsafe, .unexpected:
      .showMessage
    }
  }
}
