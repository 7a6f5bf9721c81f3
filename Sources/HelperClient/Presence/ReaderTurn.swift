internal import Synchronization
internal import System

/// An event that happens once, and that a thread can wait for.
final class Milestone: Sendable {
  private let event: WakeEvent

  init() throws(SystemError) {
    event = try WakeEvent()
  }

  /// Records that the event has happened.
  func reach() { event.signal() }

  /// Waits for the event.
  ///
  /// Returns false if the time ends first.
  func wait(milliseconds: Int32) -> Bool {
    (try? event.descriptor.waitReadable(milliseconds: milliseconds)) ?? true
  }
}

/// Serializes the uses of the reader.
///
/// The result of a check is known before its helper has released the reader. After a miss, the
/// finger must be lifted first, or the next check would see the same touch. A helper that starts
/// too early would find the reader in use.
final class ReaderTurn: Sendable {
  final class Use: Sendable {
    /// Whether its result is known and only the release is missing.
    private let isDecided = Atomic(false)
    /// Reached when the reader is released.
    let ended: Milestone
    let previous: Use?

    fileprivate init(after previous: Use?) throws(SystemError) {
      self.previous = previous
      ended = try Milestone()
    }

    var isOver: Bool { isDecided.load(ordering: .acquiring) }

    func decide() { isDecided.store(true, ordering: .releasing) }
  }

  private let last = Mutex<Use?>(nil)

  /// Begins a use, which waits for the end of the previous one.
  func begin() throws(SystemError) -> Use {
    try last.withLock { last throws(SystemError) in
      // Only the last use matters, because each use has waited for its predecessor.
      let previous = last?.ended.wait(milliseconds: 0) == true ? nil : last
      let use = try Use(after: previous)
      last = use
      return use
    }
  }
}
