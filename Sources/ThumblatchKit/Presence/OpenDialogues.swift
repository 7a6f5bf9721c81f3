internal import Glibc
internal import Synchronization
internal import System

/// The dialogues that are at the terminal or the desktop now.
///
/// A program that exits ends them first. A terminal would keep its echo off. A notification belongs
/// to its server, and would stay.
enum OpenDialogues {
  /// How long an exit waits, in seconds.
  private static let limit: Int64 = 2

  private struct Content {
    /// The descriptors that end the dialogues.
    var interrupts: Set<Int32> = []
    /// Signalled when no dialogue is left; `nil` until the program exits.
    var closed: WakeEventBox?
    var isRegistered = false
  }

  private static let content = Mutex(Content())

  /// Notes a dialogue that ends when `interrupt` is readable.
  ///
  /// Returns false if the program exits, and nothing may be shown any more.
  static func begin(_ interrupt: Int32) -> Bool {
    let (mayBegin, isFirst) = content.withLock { content -> (Bool, Bool) in
      guard content.closed == nil else { return (false, false) }
      content.interrupts.insert(interrupt)
      defer { content.isRegistered = true }
      return (true, !content.isRegistered)
    }
    if isFirst { atexit { OpenDialogues.closeAll() } }
    return mayBegin
  }

  /// Forgets a dialogue that has left the screen.
  static func end(_ interrupt: Int32) {
    content.withLock { content in
      content.interrupts.remove(interrupt)
      if content.interrupts.isEmpty { content.closed?.event.signal() }
    }
  }

  /// Ends all dialogues, and waits for that.
  private static func closeAll() {
    guard let closed = try? WakeEventBox.make() else { return }
    let isEmpty = content.withLock { content in
      content.closed = closed
      // eventfd(2): a write of 1 makes the descriptor readable.
      var one: UInt64 = 1
      for interrupt in content.interrupts { _ = unsafe write(interrupt, &one, 8) }
      return content.interrupts.isEmpty
    }
    guard !isEmpty else { return }
    _ = try? Readiness.wait(
      for: closed.event.descriptor.number,
      interrupt: nil,
      deadline: BootInstant.now.advanced(bySeconds: limit)
    )
  }
}
