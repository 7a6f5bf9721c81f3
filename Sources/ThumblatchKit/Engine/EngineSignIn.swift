internal import System
internal import VaultClient
internal import VaultInterface

/// A sign-in that the engine has begun.
///
/// It is valid only on this connection.
///
/// `@unchecked` is safe: `PendingLogin` ends it once, so that no other task uses the connection
/// then.
final class EngineSignIn: PendingVaultLogin, @unchecked Sendable {
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

  /// Makes the calls of this sign-in, on its connection.
  private var engine: EngineCall {
    EngineCall(on: connection, interrupt: wake.event.descriptor.number)
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
    // The engine's own limit, plus the time of its last request to the provider.
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
    // Uses a task of its own, because the caller's task may be cancelled.
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
        // A sign-in is completed only once, and the engine may have done it already.
        throw AuthError(error, .never)
      }
    }
  }

  /// Moves a step to its thread.
  ///
  /// `@unchecked` is safe for the same reason.
  private struct Step: @unchecked Sendable {
    let body: () throws(VaultClientError) -> VaultAccount
  }
}
