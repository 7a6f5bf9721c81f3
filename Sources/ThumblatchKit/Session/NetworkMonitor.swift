internal import System
internal import VaultClient

/// Reports changes of the machine's network, so that a call that failed may be tried again.
public protocol NetworkMonitor: Sendable {
  /// One value for each change from now on.
  ///
  /// Changes that are not read in time become one value.
  func changes() -> AsyncStream<Void>
}

/// Watches the kernel's reports on links, addresses and routes (rtnetlink(7)).
///
/// It does not poll.
public struct SystemNetworkMonitor: NetworkMonitor {
  /// The machine's network.
  public init() {}

  /// One value for each change.
  ///
  /// A thread of its own runs as long as the stream has a reader.
  public func changes() -> AsyncStream<Void> {
    // Listen before the thread starts, so that the stream misses no change from now on.
    let changes = try? Changes()
    return .onThread { interrupt, continuation in
      while let changes,
        (try? Connection.wait(
          for: changes.kernel.descriptor.number,
          interrupt: interrupt,
          until: BootInstant(nanoseconds: .max)
        )) == true
      {
        changes.kernel.clear()
        continuation.yield()
      }
    }
  }

  /// Lets the closure of the thread share the descriptor.
  private final class Changes: Sendable {
    let kernel: NetworkChanges

    init() throws(SystemError) {
      kernel = try NetworkChanges()
    }
  }
}
