import Synchronization
import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// Streams whose readers are cancelled while their owner's lock is taken.
///
/// A cancellation calls the end of a stream at once. If that waited for the owner's lock, these tests
/// would never end.
struct StreamListenersTests {
  @Test
  func aReaderIsCancelledUnderTheLockOfTheOwner() async {
    let owner = Mutex(StreamListeners<Int>())
    let stream = owner.withLock { $0.stream(from: 1, waiting: 8) }
    let other = owner.withLock { $0.stream(from: 1, waiting: 8) }
    let reader = Task { for await _ in stream {} }
    owner.withLock { listeners in
      reader.cancel()
      listeners.yield(2)
    }
    await reader.value
    #expect(owner.withLock { $0.count } == 1)
    owner.withLock { $0.finish() }
    #expect(await values(of: other) == [1, 2])
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
    let changes = vault.changes(of: "me", ahead: nil)
    let reader = Task { for await _ in changes {} }
    vault.set { _ in reader.cancel() }
    await reader.value
    #expect(vault.joinedWaiters == 0)
  }

  private func values(of stream: AsyncStream<Int>) async -> [Int] {
    var values: [Int] = []
    for await value in stream { values.append(value) }
    return values
  }
}
