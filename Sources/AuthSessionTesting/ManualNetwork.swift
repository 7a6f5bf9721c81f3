public import AuthSession
internal import Synchronization

/// A network that changes when a test says so.
public final class ManualNetwork: NetworkMonitor {
  private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

  /// One that stays as it is.
  public init() {}

  /// One value for each change, from now on.
  public func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    listeners.withLock { $0.append(continuation) }
    return stream
  }

  /// How many listen, or have listened.
  public var listened: Int { listeners.withLock { $0.count } }

  /// Something has changed.
  public func change() {
    for listener in listeners.withLock(\.self) { listener.yield() }
  }
}
