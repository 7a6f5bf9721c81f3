internal import DesktopPrompt
internal import PresenceTerms
internal import System
internal import TerminalIO
internal import Varlink
internal import VaultClient
internal import VaultInterface

/// One conversation with the engine, on a thread of its own.
struct EngineCall {
  let calls: VaultCalls
  let interrupt: Int32
  let again: Repetition

  /// The time limit for a call that the engine answers without a provider, in seconds.
  static let localLimit: Int64 = 30
  /// The time limit for a call that asks a provider: an orphaned exchange (at most 67 s), its own
  /// exchange (at most 65 s), and the start of their helpers.
  static let remoteLimit: Int64 = 150

  /// Makes the calls of a sign-in, which is valid only on its connection.
  init(on connection: Connection, interrupt: Int32) {
    calls = VaultCalls(interrupt: interrupt) { connection }
    self.interrupt = interrupt
    again = .never
  }

  private init(_ calls: VaultCalls, interrupt: Int32, again: Repetition) {
    self.calls = calls
    self.interrupt = interrupt
    self.again = again
  }

  /// Connects, makes a call, and hangs up, which cancels all work of the engine for it.
  ///
  /// `make` gets the prompt whose check has passed, or `nil` at first. If the engine leaves or is
  /// killed, `again` says whether the call is sent to the next engine.
  nonisolated(nonsending) static func run<Method: VarlinkMethod>(
    on threads: BlockingWork = .short,
    within seconds: Int64 = localLimit,
    again: Repetition = .untilPrompted,
    _ asking: PresenceAsking? = nil,
    _ make: @escaping @Sendable (String?) -> Method
  ) async throws(AuthError) -> Method.Reply {
    try await threads.run { interrupt throws(AuthError) in
      do throws(VaultClientError) {
        let location = try VaultLocation(privately: false)
        let calls = VaultCalls(interrupt: interrupt) { () throws(VaultClientError) in
          try location.connect(interrupt: interrupt)
        }
        let call = EngineCall(calls, interrupt: interrupt, again: again)
        return try call.call(within: seconds, asking, make)
      } catch {
        throw AuthError(error, again)
      }
    }
  }

  /// The same for a call for which the engine may ask a person or a provider.
  nonisolated(nonsending) static func remote<Method: VarlinkMethod>(
    on threads: BlockingWork = .long,
    again: Repetition = .untilPrompted,
    _ asking: PresenceAsking,
    _ make: @escaping @Sendable (String?) -> Method
  ) async throws(AuthError) -> Method.Reply {
    try await run(on: threads, within: remoteLimit, again: again, asking, make)
  }

  /// The immediate answer of a running engine, read on the caller's thread; `nil` if it does not
  /// come.
  ///
  /// A hand-over to another thread and back takes three times as long as the call. This holds the
  /// caller's thread for at most 20 ms. After that, and after each failure, use `run`.
  ///
  /// - Throws: only if a rule forbids the method. A second try would be a second refusal in the
  ///   audit log.
  static func atOnce<Method: VarlinkMethod>(
    _ content: Method
  ) throws(AuthError) -> Method.Reply? {
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
      guard error.forbidsTheMethod else { return nil }
      throw AuthError(error)
    }
  }

  /// Makes a call, with a presence check if the engine asks for it.
  ///
  /// It says whether a person can be asked, so that the engine opens no prompt that would not be
  /// seen.
  func call<Method: VarlinkMethod>(
    within seconds: Int64,
    _ asking: PresenceAsking? = nil,
    _ make: (String?) -> Method
  ) throws(VaultClientError) -> Method.Reply {
    let asker = asking.map { asking in
      PresenceAsker(
        canAsk: asking.isPossible,
        openKey: { message, connection throws(VaultClientError) in
          try openKey(message, asking, on: connection)
        },
        check: { request, connection throws(VaultClientError) in
          try check(request, asking, on: connection)
        }
      )
    }
    return try calls.run(again: again, asking: asker) {
      connection,
      prompt throws(VaultClientError) in
      var call = make(prompt)
      call.tell(reason: asking?.statedReason, canAsk: asker?.canAsk ?? { false })
      return try connection.call(call, within: seconds)
    }
  }

  private func check(
    _ request: PresenceRequest,
    _ asking: PresenceAsking,
    on connection: Connection
  ) throws(VaultClientError) {
    guard !request.prompt.isEmpty else { throw .refused(.presenceNeeded(request)) }
    let shown = PresencePrompt(request, asking)
    // Show no prompt if no answer would help. The run reports the reason.
    let isPossible = shown.allowsFingerprint || shown.allowsPassword
    var hasPassed = false
    defer { shown.show(.ended(passed: hasPassed)) }
    do throws(VaultClientError) {
      if isPossible, try hasAgentShown(shown, request, asking, on: connection) {
        hasPassed = true
        return
      }
      guard !isPossible || asking.present(shown) else { throw .refused(.presenceNeeded(request)) }
      let view = PromptView(prompt: shown, ending: connection.descriptor, interrupt: interrupt)
      try PresenceRun(request, allowed: asking.policy.methods, on: connection, view: view).run()
    } catch {
      // This was the last try, so no other event reports its failure.
      if isPossible, case .refused(.presenceFailed(let outcome, let message, _)) = error,
        outcome == .noMatch || outcome == .lockedOut
      {
        shown.show(failure: message.isEmpty ? PresenceText.failure(outcome, "") : message)
      }
      throw error
    }
    hasPassed = true
  }

  /// Has an agent of the person show a prompt that would be shown at the desktop anyway.
  ///
  /// The agent offers each way that the engine offers, so only a policy that allows each way uses
  /// it. It shows the app's reason as not verified.
  ///
  /// - Returns: whether the check has passed; false if no agent shows the prompt.
  private func hasAgentShown(
    _ shown: PresencePrompt,
    _ request: PresenceRequest,
    _ asking: PresenceAsking,
    on connection: Connection
  ) throws(VaultClientError) -> Bool {
    guard let announce = asking.announce, asking.policy == .fingerprintOrPassword,
      request.purpose.allowsDevices,
      try VaultLocation(privately: false).mayHaveAgent(),
      Desktop.remoteVariable({ ThisProcess.environment($0) }) == nil,
      Terminal.controlling() == nil
    else { return false }
    guard announce(shown) else { throw .refused(.presenceNeeded(request)) }
    do throws(VaultClientError) {
      try calls.askAtDesktop(request, on: connection, cancel: shown.input) { shown.takeCancel() }
      return true
    } catch {
      guard case .refused(.noDesktop) = error else { throw error }
      return false
    }
  }
}
