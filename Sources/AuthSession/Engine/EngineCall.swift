internal import System
internal import Varlink
internal import VaultClient
internal import VaultInterface

/// One conversation with the engine, on a thread of its own.
struct EngineCall {
  let connection: Connection
  let interrupt: Int32

  /// The time limit for a call that the engine answers without a provider, in seconds.
  static let localLimit: Int64 = 30
  /// The time limit for a call that asks a provider: an orphaned exchange (at most 67 s), its own
  /// exchange (at most 65 s), and the start of their helpers.
  static let remoteLimit: Int64 = 150

  /// Connects, runs `body`, and hangs up, which cancels all work of the engine for it.
  ///
  /// If the engine leaves or is killed, `again` says whether `body` runs once more on the next
  /// engine.
  nonisolated(nonsending) static func run<Value: Sendable>(
    on threads: BlockingWork = .short,
    again: Repetition = .untilPrompted,
    _ body: @escaping @Sendable (EngineCall) throws(VaultClientError) -> Value
  ) async throws(AuthError) -> Value {
    try await threads.run { interrupt throws(AuthError) in
      do throws(VaultClientError) {
        return try converse(interrupt, again, body)
      } catch {
        throw AuthError(error, again)
      }
    }
  }

  /// The immediate answer of a running engine, read on the caller's thread; `nil` if it does not
  /// come.
  ///
  /// A hand-over to another thread and back takes three times as long as the call. This holds the
  /// caller's thread for at most 20 ms. After that, and after each failure, use `run`.
  static func atOnce<Method: VarlinkMethod>(_ content: Method) -> Method.Reply? {
    let deadline = BootInstant(nanoseconds: BootInstant.now.nanoseconds + 20_000_000)
    do throws(VaultClientError) {
      guard !Task.isCancelled,
        let connection = try VaultLocation(privately: false).connectAtOnce()
      else { return nil }
      let number = try connection.send(content)
      guard case .reply(let reply, of: number) = try connection.next(deadline: deadline) else {
        return nil
      }
      return try Connection.result(of: reply, to: Method.self)
    } catch {
      return nil
    }
  }

  private static func converse<Value>(
    _ interrupt: Int32,
    _ again: Repetition,
    _ body: (EngineCall) throws(VaultClientError) -> Value
  ) throws(VaultClientError) -> Value {
    let location = try VaultLocation(privately: false)
    var reconnection = Reconnection()
    while true {
      var connection: Connection?
      do throws(VaultClientError) {
        let opened = try location.connect(interrupt: interrupt)
        connection = opened
        return try body(EngineCall(connection: opened, interrupt: interrupt))
      } catch .disconnected where mayRepeat(again, on: connection) {
        guard try reconnection.waitForNextTry(interrupt: interrupt) else { throw .disconnected }
      }
    }
  }

  private static func mayRepeat(_ again: Repetition, on connection: Connection?) -> Bool {
    switch again {
    case .never: false
    // The first answer may have been a prompt.
    case .untilPrompted: connection?.hasAnswered != true
    case .always: true
    }
  }

  /// Makes a call, with one presence check if the engine asks for it.
  ///
  /// If a joined caller spent the proof, the check may be asked for again, but not without limit.
  private func converse<Method: VarlinkMethod>(
    within seconds: Int64,
    _ asking: PresenceAsking?,
    _ make: (String?) -> Method
  ) throws(VaultClientError) -> Method.Reply {
    var prompt: String?
    for _ in 0..<4 {
      do throws(VaultClientError) {
        return try connection.call(make(prompt), within: seconds)
      } catch .refused(.presenceNeeded(let request)) {
        guard let asking, !request.prompt.isEmpty else {
          throw .refused(.presenceNeeded(request))
        }
        try check(request, asking)
        prompt = request.prompt
      }
    }
    throw .timedOut
  }

  /// The same for a call that may need a check.
  ///
  /// It says whether a person can be asked, so that the engine opens no prompt that would not be
  /// seen.
  func call<Method: AskingMethod>(
    within seconds: Int64,
    _ asking: PresenceAsking? = nil,
    _ make: (String?) -> Method
  ) throws(VaultClientError) -> Method.Reply {
    try converse(within: seconds, asking) { prompt in
      var call = make(prompt)
      call.ask = asking?.isPossible ?? false
      return call
    }
  }

  /// Makes a call that needs no presence check.
  func call<Method: VarlinkMethod>(
    within seconds: Int64,
    _ make: (String?) -> Method
  ) throws(VaultClientError) -> Method.Reply {
    try converse(within: seconds, nil, make)
  }

  private func check(
    _ request: PresenceRequest,
    _ asking: PresenceAsking
  ) throws(VaultClientError) {
    let shown = PresencePrompt(request, asking)
    // Show no prompt if no answer would help. The run reports the reason.
    let isPossible = shown.allowsFingerprint || shown.allowsPassword
    guard !isPossible || asking.present(shown) else { throw .refused(.presenceNeeded(request)) }
    var hasPassed = false
    defer { shown.show(.ended(passed: hasPassed)) }
    let run = PresenceRun(
      request,
      allowed: asking.policy.methods,
      on: connection,
      view: PromptView(prompt: shown, interrupt: interrupt)
    )
    do throws(VaultClientError) { try run.run() } catch {
      // This was the last try, so no other event reports its failure.
      if isPossible, case .refused(.presenceFailed(let outcome, let message, _)) = error,
        outcome == .noMatch || outcome == .lockedOut
      {
        let sentence = AuthError.PresenceFailure(outcome).sentence
        shown.show(failure: message.isEmpty ? sentence : message)
      }
      throw error
    }
    hasPassed = true
  }
}
