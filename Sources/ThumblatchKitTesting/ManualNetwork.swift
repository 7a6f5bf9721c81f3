internal import Synchronization
public import ThumblatchKit

/// A network that changes only when a test says so.
public final class ManualNetwork: NetworkMonitor {
  private let listeners = Mutex<[AsyncStream<Void>.Continuation]>([])

  /// Makes a network.
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

  /// How many streams have been opened.
  public var listened: Int { listeners.withLock { $0.count } }

  /// Reports a change to all streams.
  public func change() {
    for listener in listeners.withLock(\.self) { listener.yield() }
  }
}
