internal import SecretMemory
internal import Synchronization
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// What the addition of a slot needs of the person.
enum SlotStep: Sendable {
  /// The recovery code, to be written down and typed back.
  case code(SharedSecret)
  /// The PIN of the security key, with what is said about it.
  case pin(String)
  /// A touch of the security key.
  case touch
}

/// A slot of the machine key that is added on its thread: its recovery code, if there is one, is
/// shown and typed back before anything changes.
final class SlotRun: Sendable {
  /// How long the engine may take, in seconds: it may re-encrypt the vault.
  private static let limit: Int64 = 600

  private let kind: SlotKind
  /// Gets each step; the answers to a code and a PIN come by `answer`.
  private let show: @Sendable (SlotStep) -> Void
  private let stop: SharedWake
  private let wake: WakeEvent
  private let typed = Mutex<SharedSecret?>(nil)

  init(
    _ kind: SlotKind,
    show: @escaping @Sendable (SlotStep) -> Void
  ) throws(VaultClientError) {
    (self.kind, self.show) = (kind, show)
    stop = try SharedWake.made()
    do throws(SystemError) { wake = try WakeEvent() } catch { throw .system(error) }
  }

  /// Ends it, from any thread.
  ///
  /// The connection closes: before the code was typed back, nothing has changed.
  func cancel() { stop.event.signal() }

  /// Takes the code that was typed back, or the PIN.
  func answer(_ secret: SharedSecret) {
    typed.withLock { $0 = secret }
    wake.signal()
  }

  /// Adds the slot.
  func run(over link: VaultLink) async throws(VaultClientError) -> AddSlotReply {
    try await link.onThread(interrupt: stop) { calls throws(VaultClientError) in
      var pin = KeyPIN()
      let reply = try self.call(nil, &pin, calls, asking: link.desk.asker)
      guard let code = reply.code else { return reply }
      self.show(.code(code))
      // Another engine does not know the code.
      let answer = try self.awaitAnswer(try calls.open())
      return try self.call(answer, &pin, calls, asking: link.desk.asker)
    }
  }

  /// Makes the call, and asks for the PIN of the security key if that wants one.
  private func call(
    _ code: SharedSecret?,
    _ pin: inout KeyPIN,
    _ calls: VaultCalls,
    asking asker: PresenceAsker
  ) throws(VaultClientError) -> AddSlotReply {
    try pin.repeating { known throws(VaultClientError) in
      try calls.run(again: code == nil ? .untilPrompted : .never, asking: asker) {
        connection,
        prompt throws(VaultClientError) in
        try call(code, known, prompt, on: connection)
      }
    } wanted: { error in
      SecurityKeyText.wanted(error)
    } ask: { wanted throws(VaultClientError) in
      show(.pin(wanted))
      return try awaitAnswer(try calls.open())
    }
  }

  private func call(
    _ code: SharedSecret?,
    _ pin: SharedSecret?,
    _ prompt: String?,
    on connection: Connection
  ) throws(VaultClientError) -> AddSlotReply {
    var result: AddSlotReply?
    try connection.stream(
      AddSlotCall(kind: kind, recovery: code, pin: pin, prompt: prompt, ask: true),
      within: Self.limit
    ) { reply in
      if reply.touch { show(.touch) } else { result = reply }
    }
    guard let result else { throw .disconnected }
    return result
  }

  private func awaitAnswer(_ connection: Connection) throws(VaultClientError) -> SharedSecret {
    while true {
      if let secret = typed.withLock({ $0.take() }) { return secret }
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
