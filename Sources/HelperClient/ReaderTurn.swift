internal import Synchronization
internal import System

/// Something that happens once, and can be waited for by a thread.
final class Milestone: Sendable {
  private let event: WakeEvent

  init() throws(SystemError) {
    event = try WakeEvent()
  }

  /// It has happened.
  func reach() { event.signal() }

  /// Waits for it; false if the time has passed first.
  func wait(milliseconds: Int32) -> Bool {
    (try? event.descriptor.waitReadable(milliseconds: milliseconds)) ?? true
  }
}

/// One use of the reader after the other.
///
/// The result of a check is known before its helper has released the reader: after a miss the finger is
/// lifted first, or the next check would see the same touch. A helper that came too early would find
/// the reader in use.
final class ReaderTurn: Sendable {
  /// One use.
  final class Use: Sendable {
    /// Its result is known, and only the release is missing.
    private let isDecided = Atomic(false)
    /// The reader is released.
    let ended: Milestone
    /// The use before it.
    let previous: Use?

    fileprivate init(after previous: Use?) throws(SystemError) {
      self.previous = previous
      ended = try Milestone()
    }

    var isOver: Bool { isDecided.load(ordering: .acquiring) }

    func decide() { isDecided.store(true, ordering: .releasing) }
  }

  private let last = Mutex<Use?>(nil)

  /// Begins a use, which waits for the end of the one before.
  func begin() throws(SystemError) -> Use {
    try last.withLock { last throws(SystemError) in
      // Of the uses before, the last one only: each has waited for its own.
      let previous = last?.ended.wait(milliseconds: 0) == true ? nil : last
      let use = try Use(after: previous)
      last = use
      return use
    }
  }
}
