internal import System
internal import VaultClient

/// Tells when the machine's network has changed, so that what failed may work now.
public protocol NetworkMonitor: Sendable {
  /// One value for each change, from now on; what nobody reads in time becomes one.
  func changes() -> AsyncStream<Void>
}

/// The kernel's word on links, addresses and routes (rtnetlink(7)); nothing is polled.
public struct SystemNetworkMonitor: NetworkMonitor {
  /// The machine's network.
  public init() {}

  /// One value for each change; it has a thread of its own while somebody listens.
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

  /// For the closure of the thread.
  private final class Changes: Sendable {
    let kernel: NetworkChanges

    init() throws(SystemError) {
      kernel = try NetworkChanges()
    }
  }
}
