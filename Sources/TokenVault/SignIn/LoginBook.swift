internal import Configuration
internal import SecretMemory
internal import System

/// The account that a login is for, as it was when the login was begun: tokens for it go to no other
/// that has its name by then.
struct LoginTarget: Sendable {
  let name: String
  /// What the account has or is to have, whatever it is called meanwhile.
  let identifier: [UInt8]
  /// There was none.
  let isNew: Bool
}

/// What a person has agreed to before a login, by a presence check.
struct SignInTerms: Sendable {
  /// That its refresh token may be released later.
  let exportable: Bool
  /// Whose protected account it may replace; nil: nobody's.
  let agreed: [UInt8]?
}

/// A login that a person has yet to end at the provider: what the engine knows, and nobody else.
struct PendingLogin: Sendable {
  /// What the flow needs.
  enum Flow: Sendable {
    case browser(BrowserLogin)
    case device(DeviceLogin)
  }

  let account: LoginTarget
  /// The whole provider, with what discovery filled in.
  let provider: Provider
  /// What a person has agreed to beforehand.
  let terms: SignInTerms
  /// The scopes that it asks for, separated by spaces; nil for those of the provider.
  let scope: String?
  /// The connection that began it; no other can end it.
  let connection: UInt64
  /// Afterwards it is not there any more.
  let deadline: BootInstant
  var flow: Flow
}

/// What a redirect is judged by.
struct BrowserLogin: Sendable {
  /// The redirect URI as the provider was told it.
  let redirect: String
  /// Comes back in the redirect, and from nowhere else.
  let state: String
  /// Comes back in the ID token, where there is one.
  let nonce: String
  /// The secret of PKCE (RFC 7636), which goes to the token endpoint alone.
  let verifier: SharedSecret
}

/// What the provider is asked with until the person has said yes or no.
struct DeviceLogin: Sendable {
  let code: SharedSecret
  /// Seconds between two questions.
  var interval: Int64
  /// Not to be asked again before.
  var next: BootInstant
  /// Questions in a row that were not answered.
  var failures = 0
}

/// The logins that are under way, each bound to its connection, used once, and gone in time.
struct LoginBook {
  /// The most of one connection.
  static let mostOfConnection = 4
  /// The most of all.
  static let most = 64

  private var logins: [String: PendingLogin] = [:]

  /// Writes a login down; false where there are too many.
  mutating func open(_ name: String, _ login: PendingLogin, at now: BootInstant) -> Bool {
    logins = logins.filter { $0.value.deadline > now }
    guard logins.count < Self.most,
      logins.values.count(where: { $0.connection == login.connection }) < Self.mostOfConnection
    else { return false }
    logins[name] = login
    return true
  }

  /// What there is of a name.
  enum Entry {
    case open(PendingLogin)
    /// Its time is over.
    case over(PendingLogin)
    case unknown
  }

  /// A login of this connection; that of another one is as good as none.
  func login(_ name: String, of connection: UInt64, at now: BootInstant) -> Entry {
    guard let login = logins[name], login.connection == connection else { return .unknown }
    return login.deadline > now ? .open(login) : .over(login)
  }

  /// Writes down how far a device login is, where it is still there.
  mutating func update(_ name: String, _ flow: PendingLogin.Flow) { logins[name]?.flow = flow }

  /// It was used, or given up.
  mutating func forget(_ name: String) { logins[name] = nil }

  /// A connection has gone, and what it began.
  mutating func forget(connection: UInt64) {
    logins = logins.filter { $0.value.connection != connection }
  }
}
