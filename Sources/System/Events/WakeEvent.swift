internal import CLinux
internal import Glibc

/// A descriptor that one thread makes readable to end the wait of another (eventfd(2)).
package struct WakeEvent: ~Copyable, Sendable {
  /// Readable after `signal`, until `clear`.
  package let descriptor: Descriptor

  package init() throws(SystemError) {
    descriptor = Descriptor(owning: Int32(try check(Int(clinux_eventfd()), "eventfd")))
  }

  /// Makes it readable; callable from any thread, any number of times.
  package func signal() {
    var one: UInt64 = 1
    _ = unsafe write(descriptor.number, &one, 8)
  }

  /// Clears the signal; returns whether there was one.
  @discardableResult
  package func clear() -> Bool {
    var counter: UInt64 = 0
    return unsafe read(descriptor.number, &counter, 8) == 8
  }
}
