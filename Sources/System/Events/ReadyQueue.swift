internal import CLinux
internal import Glibc

/// Waits for many descriptors at once (epoll(7)), and can be woken from other threads.
package final class ReadyQueue: Sendable {
  /// A descriptor that can be read or written.
  package struct Ready: Sendable, Equatable {
    /// The token given to `add`.
    package let token: UInt64
    /// Readable, at its end, or in error: read(2) tells which.
    package let isReadable: Bool
    package let isWritable: Bool
    /// Hung up in both directions; reported repeatedly, whatever the watched events are
    /// (epoll_ctl(2)).
    package let hasHungUp: Bool
  }

  private static let wakeToken = UInt64.max
  private let epoll: Descriptor
  private let wake: Descriptor

  package init() throws(SystemError) {
    epoll = Descriptor(owning: Int32(try check(Int(clinux_epoll_create()), "epoll_create1")))
    wake = Descriptor(owning: Int32(try check(Int(clinux_eventfd()), "eventfd")))
    try check(Int(clinux_epoll_set(epoll.number, wake.number, 1, Self.wakeToken, 1)), "epoll_ctl")
  }

  /// A descriptor that is readable when `wait` would return at once.
  package var number: Int32 { epoll.number }

  /// Watches a descriptor under a token other than `UInt64.max`.
  package func add(
    _ descriptor: borrowing Descriptor,
    token: UInt64,
    writable: Bool = false
  ) throws(SystemError) {
    try add(descriptor.number, token: token, writable: writable)
  }

  /// The same for a descriptor that belongs to another owner.
  package func add(_ number: Int32, token: UInt64, writable: Bool = false) throws(SystemError) {
    try check(Int(clinux_epoll_set(epoll.number, number, writable ? 3 : 1, token, 1)), "epoll_ctl")
  }

  /// Changes the watched events of a descriptor.
  package func change(
    _ descriptor: borrowing Descriptor,
    token: UInt64,
    readable: Bool,
    writable: Bool
  ) throws(SystemError) {
    let events: UInt32 = (readable ? 1 : 0) | (writable ? 2 : 0)
    try check(Int(clinux_epoll_set(epoll.number, descriptor.number, events, token, 0)), "epoll_ctl")
  }

  /// Stops watching a descriptor; call it before the descriptor is closed.
  package func remove(_ descriptor: borrowing Descriptor) {
    _ = clinux_epoll_remove(epoll.number, descriptor.number)
  }

  /// Waits until a descriptor is ready, `wakeUp` is called, or the time has passed.
  package func wait(milliseconds: Int32) throws(SystemError) -> [Ready] {
    var tokens = [UInt64](repeating: 0, count: 64)
    var events = [UInt32](repeating: 0, count: 64)
    let count = try check(
      Int(unsafe clinux_epoll_wait(epoll.number, &tokens, &events, 64, milliseconds)),
      "epoll_wait"
    )
    var ready: [Ready] = []
    for index in 0..<count {
      guard tokens[index] != Self.wakeToken else {
        var counter: UInt64 = 0
        _ = unsafe read(wake.number, &counter, 8)
        continue
      }
      ready.append(
        Ready(
          token: tokens[index],
          isReadable: events[index] & 1 != 0,
          isWritable: events[index] & 2 != 0,
          hasHungUp: events[index] & 4 != 0
        )
      )
    }
    return ready
  }

  /// Makes a `wait` in another thread return.
  package func wakeUp() {
    var one: UInt64 = 1
    _ = unsafe write(wake.number, &one, 8)
  }
}

/// SIGINT, SIGTERM and SIGHUP as a readable descriptor (signalfd(2)).
package struct TerminationSignals: ~Copyable, Sendable {
  /// Readable after one of the signals has arrived.
  package let descriptor: Descriptor

  /// Blocks the signals for the whole process; call it before the second thread starts.
  package init() throws(SystemError) {
    descriptor = Descriptor(owning: Int32(try check(Int(clinux_termination_signals()), "signalfd")))
  }
}
