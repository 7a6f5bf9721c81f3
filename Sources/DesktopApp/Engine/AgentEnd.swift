internal import Synchronization
internal import System
internal import VaultClient

/// The end of the app, for the thread that is its agent.
final class AgentEnd: Sendable {
  /// How long the app waits for that thread, in seconds.
  private static let limit: Int64 = 1

  private let wanted: WakeEvent
  private let come: WakeEvent
  private let awaited = Mutex(false)

  init() throws(SystemError) {
    wanted = try WakeEvent()
    come = try WakeEvent()
  }

  /// Readable when the thread is to end.
  var interrupt: Int32 { wanted.descriptor.number }

  /// Whether there is a thread to wait for.
  var isAwaited: Bool {
    get { awaited.withLock { $0 } }
    set { awaited.withLock { $0 = newValue } }
  }

  /// Reports that the thread has ended.
  func hasCome() { come.signal() }

  /// Ends the thread, and waits until it has closed its notifications.
  func reach() {
    guard isAwaited else { return }
    wanted.signal()
    let deadline = BootInstant.now.advanced(bySeconds: Self.limit)
    _ = try? Connection.wait(for: come.descriptor.number, interrupt: nil, until: deadline)
  }
}
