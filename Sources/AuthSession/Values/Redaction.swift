// What a session knows of a person is printed only where an app names it, such as `user.name`. These
// descriptions are what `print`, `dump`, a log line or a crash report shows of a whole value.

extension User: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing about the person.
  public var description: String { "User(redacted)" }
  /// Nothing about the person.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthState: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The name of the state, without the person; of an error its kind, without its message.
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
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The state, without the person.
  public var description: String { "AuthSession(\(facts.state))" }
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AccountSnapshot: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// How the account stands, without the person.
  public var description: String {
    let standing =
      switch self.standing {
      case .signedIn: "signedIn"
      case .signedOut: "signedOut"
      case .loginRequired: "loginRequired"
      }
    return "AccountSnapshot(\(standing), isProtected: \(isProtected))"
  }
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension VaultSnapshot: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// How the account and the window stand, without the person.
  public var description: String {
    let account = account.map { "\($0)" } ?? "none"
    return "VaultSnapshot(\(account), isUnlocked: \(isUnlocked))"
  }
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PresencePrompt: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// What it waits for, without what it is for and who asks.
  public var description: String { "PresencePrompt(\(phase.name))" }
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PresencePrompt.Phase: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Its name: a question may name the person.
  public var description: String { name }
  /// The same.
  public var debugDescription: String { name }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }

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

extension LoginPrompt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without the address and the code, which end a login.
  public var description: String { "LoginPrompt(redacted)" }
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the server: a path, a query and a body may name a person.
  public var description: String {
    "AuthRequest(\(method) \(url.split(separator: "/").prefix(2).joined(separator: "//")))"
  }
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthResponse: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The status and how long the body is.
  public var description: String { "AuthResponse(\(status), \(body.count) bytes)" }
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthError.FieldProblem: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The field, without the backend's words: it may name the person in them.
  public var description: String { "FieldProblem(\(field.rawValue))" }
  /// The same.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthError: CustomDebugStringConvertible, CustomReflectable {
  /// The kind alone, for a log: the message is for the person, and a backend may name them in it.
  public var debugDescription: String { "AuthError(\(kind))" }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
