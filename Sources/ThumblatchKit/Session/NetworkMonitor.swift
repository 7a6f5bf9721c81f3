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
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    guard let wake = try? WakeEventBox.make(), let changes = try? Changes() else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { _ in wake.event.signal() }
    do {
      try startThread {
        let interrupt = wake.event.descriptor.number
        while (try? Connection.wait(
          for: changes.kernel.descriptor.number,
          interrupt: interrupt,
          until: BootInstant(nanoseconds: .max)
        )) == true {
          changes.kernel.clear()
          continuation.yield()
        }
        continuation.finish()
      }
    } catch {
      continuation.finish()
    }
    return stream
  }

  /// Lets the closure of the thread share the descriptor.
  private final class Changes: Sendable {
    let kernel: NetworkChanges

    init() throws(SystemError) {
      kernel = try NetworkChanges()
    }
  }
}
