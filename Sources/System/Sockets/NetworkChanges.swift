internal import CLinux
internal import Glibc

/// The kernel's word that a link, an address or a route has changed (rtnetlink(7)).
public struct NetworkChanges: ~Copyable, Sendable {
  /// Readable once something has changed, until `clear`.
  public let descriptor: Descriptor

  /// Listens from now on.
  public init() throws(SystemError) {
    descriptor = Descriptor(owning: Int32(try check(Int(clinux_route_changes()), "bind")))
  }

  /// Passes over what was told: that something changed is all that counts.
  public func clear() {
    unsafe withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 8) { room in
      // ENOBUFS, for messages that did not fit, is a change as well: only an empty queue ends this.
      while unsafe recv(descriptor.number, room.baseAddress, room.count, 0) >= 0
        || errno == ENOBUFS || errno == EINTR
      {}
    }
  }
}
