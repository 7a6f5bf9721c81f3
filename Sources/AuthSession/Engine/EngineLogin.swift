internal import System
internal import VaultClient
internal import VaultInterface

/// A login that the engine has begun, on the connection that it is valid on.
///
/// Unchecked: `PendingLogin` ends it once, so that nobody else uses the connection at that time.
final class EngineLogin: PendingVaultLogin, @unchecked Sendable {
  let prompt: LoginPrompt
  private let connection: Connection
  private let wake: WakeEventBox
  private let login: String

  init(_ connection: Connection, _ wake: WakeEventBox, _ begun: BeginLoginReply) {
    self.connection = connection
    self.wake = wake
    login = begun.login
    prompt = LoginPrompt(
      url: begun.url,
      userCode: begun.userCode,
      verificationURL: begun.verificationURI,
      completeVerificationURL: begun.verificationURIComplete,
      lifetime: .seconds(begun.expiresIn)
    )
  }

  /// The calls of this login, on its connection.
  private var engine: EngineCall {
    EngineCall(connection: connection, interrupt: wake.event.descriptor.number)
  }

  func finish(
    query: RedirectQuery,
    _ asking: PresenceAsking
  ) async throws(AuthError) -> AccountSnapshot {
    try await run { [engine, login] () throws(VaultClientError) in
      try engine.call(within: EngineCall.remoteLimit, asking) { prompt in
        FinishLoginCall(login: login, query: query.secret, prompt: prompt)
      }.account
    }
  }

  func wait(_ asking: PresenceAsking) async throws(AuthError) -> AccountSnapshot {
    // The engine's own limit, and the time of its last question to the provider.
    let limit = Int64(wholeSeconds(prompt.lifetime)) + EngineCall.remoteLimit
    return try await run { [engine, login] () throws(VaultClientError) in
      let reply = try engine.call(within: limit, asking) { prompt in
        AwaitLoginCall(login: login, prompt: prompt)
      }
      guard let found = reply.account else { throw .disconnected }
      return found
    }
  }

  func cancel() async {
    wake.event.signal()
    // A task of its own: whoever gives it up may have been cancelled.
    await Task { [self] in
      _ = try? await run(on: .ending) { [connection, login] () throws(VaultClientError) in
        _ = try connection.send(CancelLoginCall(login: login))
        throw .interrupted
      }
    }.value
  }

  private func run(
    on threads: BlockingWork = .elsewhere,
    _ body: @escaping () throws(VaultClientError) -> VaultAccount
  ) async throws(AuthError) -> AccountSnapshot {
    let step = Step(body: body)
    return try await threads.run(wake) { _ throws(AuthError) in
      do throws(VaultClientError) {
        return AccountSnapshot(try step.body())
      } catch {
        // A login is finished once: the engine may have done it.
        throw AuthError(error, .never)
      }
    }
  }

  /// Carries a step to its thread; unchecked for the same reason.
  private struct Step: @unchecked Sendable {
    let body: () throws(VaultClientError) -> VaultAccount
  }
}
