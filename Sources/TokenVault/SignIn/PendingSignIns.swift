internal import Configuration
internal import SecretMemory
internal import System

/// The account that a sign-in is for, as it was when the sign-in began.
///
/// The tokens never go to another account that has taken the name since.
struct LoginTarget: Sendable {
  let name: String
  /// The identifier that the account has or will get; a rename does not change it.
  let identifier: [UInt8]
  /// Whether the sign-in makes the account.
  let isNew: Bool
}

/// The consent that a person gave before a sign-in, by a presence check.
struct SignInTerms: Sendable {
  /// Whether the refresh token may be released later.
  let exportable: Bool
  /// The ownership digest of the protected account that may be replaced; `nil` if none may.
  let agreed: [UInt8]?
}

/// A sign-in that a person has yet to finish at the provider, with what only the engine knows.
struct PendingLogin: Sendable {
  /// The state that the flow needs.
  enum Flow: Sendable {
    case browser(BrowserLogin)
    case device(DeviceLogin)
  }

  let account: LoginTarget
  /// The whole provider, with the values that discovery filled in.
  let provider: Provider
  /// The consent that the person gave beforehand.
  let terms: SignInTerms
  /// The scopes to ask for, separated by spaces; `nil` for those of the provider.
  let scope: String?
  /// The connection that began it; no other connection can finish it.
  let connection: UInt64
  /// The instant from which it can no longer be finished.
  let deadline: BootInstant
  var flow: Flow
}

/// The values that the redirect of a browser sign-in is checked against.
struct BrowserLogin: Sendable {
  /// The redirect URI as it was sent to the provider.
  let redirect: String
  /// The value that comes back only in the redirect.
  let state: String
  /// The value that comes back in the ID token, if there is one.
  let nonce: String
  /// The PKCE verifier (RFC 7636), which is sent only to the token endpoint.
  let verifier: SharedSecret
}

/// The values for polling the provider until the person has approved or refused.
struct DeviceLogin: Sendable {
  let code: SharedSecret
  /// Seconds between two polls.
  var interval: Int64
  /// The earliest instant of the next poll.
  var next: BootInstant
  /// Consecutive polls that were not answered.
  var failures = 0
  /// The failure of the last poll; `nil` if it was answered.
  var failure: VaultFailure?
}

/// The pending sign-ins: each is bound to its connection, can be used once, and expires.
struct PendingSignIns {
  /// The limit for one connection.
  static let mostOfConnection = 4
  /// The limit for all connections together.
  static let most = 64

  private var logins: [String: PendingLogin] = [:]

  /// Adds a sign-in; `false` if there are too many.
  mutating func open(_ name: String, _ login: PendingLogin, at now: BootInstant) -> Bool {
    logins = logins.filter { $0.value.deadline > now }
    guard logins.count < Self.most,
      logins.values.count(where: { $0.connection == login.connection }) < Self.mostOfConnection
    else { return false }
    logins[name] = login
    return true
  }

  /// The result of looking up a name.
  enum Entry {
    case open(PendingLogin)
    /// The sign-in has expired.
    case over(PendingLogin)
    case unknown
  }

  /// Looks up a sign-in of this connection; a sign-in of another connection is unknown.
  func login(_ name: String, of connection: UInt64, at now: BootInstant) -> Entry {
    guard let login = logins[name], login.connection == connection else { return .unknown }
    return login.deadline > now ? .open(login) : .over(login)
  }

  /// Updates the progress of a device sign-in, if it still exists.
  mutating func update(_ name: String, _ flow: PendingLogin.Flow) { logins[name]?.flow = flow }

  /// Removes a sign-in that was used or cancelled.
  mutating func forget(_ name: String) { logins[name] = nil }

  /// Removes the sign-ins that a closed connection began.
  mutating func forget(connection: UInt64) {
    logins = logins.filter { $0.value.connection != connection }
  }
}
