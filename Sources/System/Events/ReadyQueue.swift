internal import CLinux
internal import Glibc

/// Waits for many descriptors at once (epoll(7)), and can be woken from other threads.
public final class ReadyQueue: Sendable {
  /// One descriptor that can be read or written.
  public struct Ready: Sendable, Equatable {
    /// What it was added under.
    public let token: UInt64
    /// Readable, ended, or in error: read(2) tells which.
    public let isReadable: Bool
    /// Writable.
    public let isWritable: Bool
    /// Ended in both directions: told again and again, whatever it is watched for (epoll_ctl(2)).
    public let hasHungUp: Bool
  }

  private static let wakeToken = UInt64.max
  private let epoll: Descriptor
  private let wake: Descriptor

  /// Makes an empty queue.
  public init() throws(SystemError) {
    epoll = Descriptor(owning: Int32(try check(Int(clinux_epoll_create()), "epoll_create1")))
    wake = Descriptor(owning: Int32(try check(Int(clinux_eventfd()), "eventfd")))
    try check(
      Int(clinux_epoll_set(epoll.number, wake.number, 1, Self.wakeToken, 1)),
      "epoll_ctl"
    )
  }

  /// Watches a descriptor under a token other than `UInt64.max`.
  public func add(
    _ descriptor: borrowing Descriptor,
    token: UInt64,
    writable: Bool = false
  ) throws(SystemError) {
    try check(
      Int(clinux_epoll_set(epoll.number, descriptor.number, writable ? 3 : 1, token, 1)),
      "epoll_ctl"
    )
  }

  /// Changes what a descriptor is watched for.
  public func change(
    _ descriptor: borrowing Descriptor,
    token: UInt64,
    readable: Bool,
    writable: Bool
  ) throws(SystemError) {
    let events: UInt32 = (readable ? 1 : 0) | (writable ? 2 : 0)
    try check(
      Int(clinux_epoll_set(epoll.number, descriptor.number, events, token, 0)),
      "epoll_ctl"
    )
  }

  /// Stops watching a descriptor, before it is closed.
  public func remove(_ descriptor: borrowing Descriptor) {
    _ = clinux_epoll_remove(epoll.number, descriptor.number)
  }

  /// Waits until something is ready, `wakeUp` was called, or the time has passed.
  public func wait(milliseconds: Int32) throws(SystemError) -> [Ready] {
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
  public func wakeUp() {
    var one: UInt64 = 1
    _ = unsafe write(wake.number, &one, 8)
  }
}

/// SIGINT, SIGTERM and SIGHUP as something to read (signalfd(2)).
public struct TerminationSignals: ~Copyable, Sendable {
  /// Readable once one of the signals has come.
  public let descriptor: Descriptor

  /// Blocks the signals for the whole process; call it before a second thread is started.
  public init() throws(SystemError) {
    descriptor = Descriptor(
      owning: Int32(try check(Int(clinux_termination_signals()), "signalfd"))
    )
  }
}
