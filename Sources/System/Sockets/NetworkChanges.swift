internal import CLinux
internal import Glibc

/// Notifications from the kernel that a link, an address or a route has changed (rtnetlink(7)).
package struct NetworkChanges: ~Copyable, Sendable {
  /// Readable after a change, until `clear`.
  package let descriptor: Descriptor

  package init() throws(SystemError) {
    descriptor = Descriptor(owning: Int32(try check(Int(clinux_route_changes()), "bind")))
  }

  /// Discards the messages: only the fact of a change matters.
  package func clear() {
    unsafe withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { room in
      // ENOBUFS, for messages that did not fit, is a change too. Only an empty queue ends the loop.
      while unsafe recv(descriptor.number, room.baseAddress, room.count, 0) >= 0
        || errno == ENOBUFS || errno == EINTR
      {}
    }
  }
}
