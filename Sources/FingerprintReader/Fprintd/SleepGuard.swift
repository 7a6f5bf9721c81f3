internal import CFprint
internal import Glibc

/// Delays sleep until a reader is released.
///
/// A claim that survives a suspend leaves many readers in use for every program. The call to logind
/// runs in parallel with the arming of the reader, which never waits for it. If logind does not
/// answer, the reader is used anyway.
final class SleepGuard: @unchecked Sendable {
  private static let service = "org.freedesktop.login1"
  private static let path = "/org/freedesktop/login1"
  private static let interface = "org.freedesktop.login1.Manager"

  private let address: String
  private let asleep: () -> Void
  private let bus = SystemBus()
  private var inhibitor: Int32 = -1

  /// Makes a guard that reports when the computer wants to sleep; call `end` after the reader is
  /// released.
  init(_ address: String, asleep: @escaping () -> Void) {
    self.address = address
    self.asleep = asleep
  }

  /// Asks logind to delay sleep; returns at once.
  func begin() {
    bus.connect(address) { [self] fault in
      guard fault == nil else { return }
      bus.call(
        SystemBus.itself,
        "/",
        SystemBus.itself,
        "GetNameOwner",
        [.text(Self.service)],
        reply: "(s)"
      ) { [self] answer in
        if case .success(let reply) = answer, let owner = reply[0]?.string { watch(owner) }
      }
    }
  }

  /// Lets the computer sleep.
  func end() {
    bus.close()
    if inhibitor >= 0 { _ = close(inhibitor) }
    inhibitor = -1
  }

  private func watch(_ owner: String) {
    bus.subscribe(owner, Self.path, Self.interface, "PrepareForSleep") { [self] value in
      if value[0]?.isTrue == true { asleep() }
    }
    bus.call(
      owner,
      Self.path,
      Self.interface,
      "Inhibit",
      [
        .text("sleep"), .text("Thumblatch"), .text("The fingerprint reader is released first"),
        .text("delay"),
      ],
      reply: "(h)"
    ) { [self] answer in
      switch answer {
      case .success(let reply): inhibitor = reply.takeDescriptor()
      case .failure(let fault):
        // The computer is about to sleep, and announced it before this subscription.
        if fault.domain == "org.freedesktop.login1.OperationInProgress" { asleep() }
      }
    }
  }
}
