package import System
internal import SystemBus

/// Delays the computer's sleep until a reader is released, on a thread of its own.
///
/// A claim that survives a suspend leaves many readers in use for every program. The reader is
/// armed at the same time, and is used even if logind does not answer.
package final class SleepGuard: Sendable {
  private let ended: WakeEvent

  /// Asks logind to delay sleep, without waiting for it.
  ///
  /// `asleep` is called on the guard's thread when the computer wants to sleep.
  package init(address: String, asleep: @escaping @Sendable () -> Void) throws(SystemError) {
    ended = try WakeEvent()
    try startThread { [self] in
      // Without logind the computer does not wait.
      try? run(address, asleep)
    }
  }

  /// Lets the computer sleep.
  package func end() { ended.signal() }

  private func run(_ address: String, _ asleep: () -> Void) throws(BusError) {
    let logind = try Logind(address: address)
    try logind.subscribe(to: "PrepareForSleep")
    let inhibitor: Descriptor?
    do throws(BusError) {
      inhibitor = try logind.delaySleep(because: "The fingerprint reader is released first")
    } catch {
      inhibitor = nil
      // The computer is about to sleep, and announced it before the subscription.
      if case .refused(let refusal) = error,
        refusal.name == "org.freedesktop.login1.OperationInProgress"
      {
        asleep()
      }
    }
    let limit = BusLimit(interrupt: ended.descriptor.number)
    while let message = try logind.bus.next(within: limit) {
      if message.name == Logind.manager + ".PrepareForSleep", try message.boolean() { asleep() }
    }
    _ = consume inhibitor
  }
}
