import Synchronization

/// A variable into which a closure puts a value.
final class Box<Value: Sendable>: Sendable {
  private let content = Mutex<Value?>(nil)

  var value: Value? { content.withLock { $0 } }

  func put(_ value: Value?) { content.withLock { $0 = value } }
}
