import Synchronization
import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// Streams whose readers are cancelled while their owner's lock is taken.
///
/// A cancellation of a reader that waits calls `onTermination` at once. If that took the owner's
/// lock, these tests would crash or never end. A reader may not wait yet, so there are many.
struct StreamListenersTests {
  private static let readers = 0..<100

  @Test
  func aReaderIsCancelledUnderTheLockOfTheOwner() async {
    let owner = Mutex(StreamListeners<Int>())
    let other = owner.withLock { $0.stream(from: 1, waiting: 1000) }
    for _ in Self.readers {
      let reader = await waitingReader(of: owner.withLock { $0.stream(from: 1, waiting: 8) })
      owner.withLock { listeners in
        reader.cancel()
        listeners.yield(2)
      }
      await reader.value
    }
    #expect(owner.withLock { $0.count } == 1)
    owner.withLock { $0.finish() }
    #expect(await values(of: other) == [1] + Self.readers.map { _ in 2 })
    #expect(owner.withLock { $0.count } == 0)
  }

  @Test
  func aSlowReaderMissesTheOldestValues() async {
    var listeners = StreamListeners<Int>()
    let stream = listeners.stream(from: 1, waiting: 2)
    for value in 2...4 { listeners.yield(value) }
    listeners.finish()
    #expect(await values(of: stream) == [3, 4])
  }

  @Test
  func aStreamWithoutAReaderIsForgotten() {
    var listeners = StreamListeners<Int>()
    do { _ = listeners.stream(from: 1, waiting: 2) }
    #expect(listeners.count == 0)
  }

  /// The test's closure runs under the lock of the stub.
  @Test
  func aFollowerOfTheStubIsCancelledDuringAChange() async {
    let vault = StubVault()
    for _ in Self.readers {
      let reader = await waitingReader(of: vault.changes(of: "me", ahead: nil))
      vault.set { _ in reader.cancel() }
      await reader.value
    }
    #expect(vault.listenerCount == 0)
  }

  /// A task that has read the first value, and waits for the next one or soon will.
  private func waitingReader<Value: Sendable>(
    of stream: AsyncStream<Value>
  ) async -> Task<Void, Never> {
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let reader = Task {
      for await _ in stream { beginning.yield() }
    }
    for await _ in begun { break }
    for _ in 0..<10 { await Task.yield() }
    return reader
  }

  private func values(of stream: AsyncStream<Int>) async -> [Int] {
    var values: [Int] = []
    for await value in stream { values.append(value) }
    return values
  }
}
