internal import SecretMemory
internal import Synchronization
internal import System
internal import VaultClient
internal import VaultInterface

/// A slot of the machine key that is added on its thread: its recovery code, if there is one, is shown
/// and typed back before anything changes.
final class SlotRun: Sendable {
  /// How long the engine may take, in seconds: it may re-encrypt the vault.
  private static let limit: Int64 = 600

  private let kind: SlotKind
  /// Gets the new recovery code; its answer comes by `answer`.
  private let show: @Sendable (SharedSecret) -> Void
  private let stop: SharedWake
  private let wake: WakeEvent
  private let typed = Mutex<SharedSecret?>(nil)

  init(
    _ kind: SlotKind,
    show: @escaping @Sendable (SharedSecret) -> Void
  ) throws(VaultClientError) {
    (self.kind, self.show) = (kind, show)
    stop = try SharedWake.made()
    do throws(SystemError) { wake = try WakeEvent() } catch { throw .system(error) }
  }

  /// Ends it, from any thread.
  ///
  /// The connection closes: before the code was typed back, nothing has changed.
  func cancel() { stop.event.signal() }

  /// Takes the code that was typed back.
  func answer(_ code: SharedSecret) {
    typed.withLock { $0 = code }
    wake.signal()
  }

  /// Adds the slot.
  func run(over link: VaultLink) async throws(VaultClientError) -> AddSlotReply {
    try await link.onThread(interrupt: stop) { calls throws(VaultClientError) in
      let reply = try self.call(nil, calls, asking: link.desk.asker)
      guard let code = reply.code else { return reply }
      self.show(code)
      // Another engine does not know the code.
      let answer = try self.awaitAnswer(try calls.open())
      return try self.call(answer, calls, asking: link.desk.asker)
    }
  }

  private func call(
    _ code: SharedSecret?,
    _ calls: VaultCalls,
    asking asker: PresenceAsker
  ) throws(VaultClientError) -> AddSlotReply {
    let kind = kind
    return try calls.run(again: code == nil ? .untilPrompted : .never, asking: asker) {
      connection,
      prompt throws(VaultClientError) in
      try connection.call(
        AddSlotCall(kind: kind, recovery: code, prompt: prompt, ask: true),
        within: Self.limit
      )
    }
  }

  private func awaitAnswer(_ connection: Connection) throws(VaultClientError) -> SharedSecret {
    while true {
      if let code = typed.withLock({ $0.take() }) { return code }
      let isAwake = try Connection.wait(
        for: wake.descriptor.number,
        ending: connection.descriptor,
        interrupt: stop.event.descriptor.number,
        until: BootInstant.now.advanced(bySeconds: 3600)
      )
      // The engine has ended, or the person is gone.
      guard isAwake else { throw .disconnected }
      wake.clear()
    }
  }
}
