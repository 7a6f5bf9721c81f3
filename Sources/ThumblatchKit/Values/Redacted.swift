internal import Configuration

/// A value whose `description` is all that `print`, `dump`, a log line or a crash report shows of
/// it.
///
/// Personal data is printed only if an app names it, such as `user.name`.
public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
}

extension Redacted {
  /// The same as `description`.
  public var debugDescription: String { description }
  /// A mirror without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension User: Redacted {
  /// The type's name, without personal data.
  public var description: String { "User(redacted)" }
}

extension AuthState: Redacted {
  /// The name of the state without the user, and the kind of an error without its message.
  public var description: String {
    switch self {
    case .unauthenticated: "unauthenticated"
    case .authenticating: "authenticating"
    case .authenticated: "authenticated"
    case .presencePrompt(let prompt): "presencePrompt(\(prompt.phase.name))"
    case .locked: "locked"
    case .loginRequired: "loginRequired"
    case .offline: "offline"
    case .error(let error): "error(\(error.kind))"
    }
  }
}

extension AuthSession: Redacted {
  /// The state, without the user.
  public var description: String { "AuthSession(\(facts.state))" }
}

extension AccountSnapshot: Redacted {
  /// The status of the account, without the user.
  public var description: String {
    let status =
      switch self.status {
      case .signedIn: "signedIn"
      case .signedOut: "signedOut"
      case .loginRequired: "loginRequired"
      }
    return "AccountSnapshot(\(status), isProtected: \(isProtected))"
  }
}

extension VaultSnapshot: Redacted {
  /// The status of the account and the window, without the user.
  public var description: String {
    let account = account.map { "\($0)" } ?? "none"
    return "VaultSnapshot(\(account), isUnlocked: \(isUnlocked))"
  }
}

extension PresencePrompt: Redacted {
  /// The phase, without the purpose and the requester.
  public var description: String { "PresencePrompt(\(phase.name))" }
}

extension PresencePrompt.Phase: Redacted {
  /// The name of the phase.
  ///
  /// A question may name the person, so its text is left out.
  public var description: String { name }

  fileprivate var name: String {
    switch self {
    case .starting: "starting"
    case .queued: "queued"
    case .ready: "ready"
    case .finger: "finger"
    case .question: "question"
    case .waiting: "waiting"
    case .checking: "checking"
    case .ended(let passed): "ended, passed: \(passed)"
    }
  }
}

extension LoginPrompt: Redacted {
  /// The type's name, without the address and the code, which can complete a sign-in.
  public var description: String { "LoginPrompt(redacted)" }
}

extension AuthRequest: Redacted {
  /// The method and the server.
  ///
  /// A path, a query and a body may name a person.
  public var description: String {
    let start = url.rangeOfSchemeEnd?.upperBound ?? url.startIndex
    let authority = url[start...].prefix { !"/?#".contains($0) }
    // User information may be a password.
    let server = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] }
    return "AuthRequest(\(method) \(url[..<start])\(server ?? authority))"
  }
}

extension AuthResponse: Redacted {
  /// The status and the length of the body.
  public var description: String { "AuthResponse(\(status), \(body.count) bytes)" }
}

extension AuthError.FieldProblem: Redacted {
  /// The field, without the backend's message, which may name the person.
  public var description: String { "FieldProblem(\(field.rawValue))" }
}

extension AuthError: Redacted {
  /// Only the kind, for a log.
  ///
  /// The message is for the person, and a backend may name that person in it.
  public var debugDescription: String { "AuthError(\(kind))" }
}
