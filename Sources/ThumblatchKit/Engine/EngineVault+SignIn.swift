internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

extension EngineVault {
  /// Signs in by e-mail and password.
  public func login(
    _ account: String,
    at provider: AuthProvider?,
    email: String,
    password: Password,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    let reply = try await EngineCall.remote(again: .never, asking) { prompt in
      LoginCall(
        account: account,
        provider: provider.map(VaultProvider.init),
        email: email,
        password: password.secret,
        prompt: prompt
      )
    }
    return AccountSnapshot(reply.account)
  }

  /// Registers a new user at a password backend, and signs in.
  public func register(
    _ account: String,
    at provider: AuthProvider,
    email: String,
    name: String?,
    password: Password,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    let reply = try await EngineCall.remote(again: .never, asking) { prompt in
      RegisterCall(
        account: account,
        provider: VaultProvider(provider),
        email: email,
        name: name,
        password: password.secret,
        prompt: prompt
      )
    }
    return AccountSnapshot(reply.account)
  }

  /// The address to which the account's provider sends a browser back.
  public func redirectURI(of account: String) async throws(AuthError) -> String? {
    try await EngineCall.run { _ in AccountProviderCall(account: account) }
      .provider.settings["redirect_uri"]
  }

  /// Begins a sign-in that a person completes at the provider.
  public func beginLogin(
    _ account: String,
    at provider: AuthProvider?,
    way: LoginWay,
    scopes: [String]?,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> any PendingVaultLogin {
    let wake = try WakeEventBox.make()
    return try await BlockingWork.elsewhere.run(wake) { interrupt throws(AuthError) in
      do throws(VaultClientError) {
        let connection = try VaultLocation(privately: false).connect(interrupt: interrupt)
        var redirect: String?
        if case .browser(let url) = way { redirect = url }
        let flow: LoginFlow = redirect == nil ? .device : .browser
        let engine = EngineCall(on: connection, interrupt: interrupt)
        let reply = try engine.call(within: EngineCall.remoteLimit, asking) { prompt in
          BeginLoginCall(
            account: account,
            provider: provider.map(VaultProvider.init),
            flow: flow,
            redirect: redirect,
            scope: scopes?.joined(separator: " "),
            prompt: prompt
          )
        }
        return EngineSignIn(connection, wake, reply)
      } catch {
        throw AuthError(error)
      }
    }
  }
}

extension VaultProvider {
  init(_ provider: AuthProvider) {
    self.init(name: provider.name, settings: provider.settings, clientSecret: provider.clientSecret)
  }
}
