internal import PresenceTerms
internal import Synchronization
internal import System
internal import TokenVault

/// An event of a conversation, which may also be its failure.
protocol ConversationEvent: Sendable {
  /// No event came for a while, or the reader is in use.
  static var waiting: Self { get }
  /// A finger is still on the reader from the previous use.
  static var lift: Self { get }
  var isLast: Bool { get }
  /// The last event of a conversation whose helper did not report how it ended.
  static func broken(_ error: HelperError, wasCancelled: Bool) -> Self
}

/// One conversation with a helper process.
///
/// A thread reads the helper's replies and queues them as events.
final class HelperConversation<Event: ConversationEvent>: Sendable {
  /// How long to wait for the last event of a helper that was told to end, in milliseconds.
  ///
  /// A driver may finish a scan first.
  private static var timeout: UInt64 { 9500 }
  /// How long a helper may take to release the reader after its last event, in milliseconds.
  private static var releaseTime: Int32 { 16_000 }
  /// How long to wait for the previous use, in milliseconds.
  private static var turnTime: Int64 { 12_000 }
  /// After how long the person is told that the reader is not ready, in milliseconds.
  private static var tellTime: Int32 { 400 }

  private let link: Mutex<HelperLink>
  private let route: HelperRoute
  private let events = EventQueue<Event>()
  private let isCancelled = Atomic(false)
  private let cancelled: Milestone

  /// Starts a thread for `talk`, which passes events on until the last one.
  ///
  /// `prepared` is a helper that waits already. Without one, a helper is started.
  ///
  /// - Throws: `notAvailable` if the helper cannot be started.
  init(
    by route: HelperRoute,
    prepared: HelperLink? = nil,
    turn: ReaderTurn? = nil,
    _ talk:
      @escaping @Sendable (HelperConversation<Event>, (Event) -> Void) throws(HelperError) -> Void
  ) throws(PresenceFailure) {
    self.route = route
    let helper: HelperLink
    do throws(HelperError) {
      helper = if let prepared { prepared } else { try HelperLink(.presence, by: route) }
    } catch {
      throw .notAvailable(error.reason)
    }
    link = Mutex(helper)
    do throws(SystemError) {
      cancelled = try Milestone()
      let use = try turn?.begin()
      do throws(SystemError) {
        try startThread { [self] in
          let limit = lead(talk, use)
          // A helper releases the reader last. A helper that hangs is ended.
          self.helper.finish(withinMilliseconds: limit)
          // A use that was cancelled while it waited has not yet waited for the previous one.
          _ = use?.previous?.ended.wait(milliseconds: Int32(Self.turnTime))
          use?.ended.reach()
        }
      } catch {
        use?.ended.reach()
        throw error
      }
    } catch {
      helper.finish(withinMilliseconds: 0)
      throw .notAvailable("\(error)")
    }
  }

  var helper: HelperLink { link.withLock { $0 } }

  func next() async -> Event { await events.next() }

  /// Tells the helper to end.
  ///
  /// It still reports its result, because it may have seen a finger already.
  func cancel() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    cancelled.reach()
    helper.hangUp()
    Task { [weak self] in
      try? await Task.sleep(nanoseconds: Self.timeout * 1_000_000)
      // The helper hangs, or another program has stopped it.
      self?.helper.stop()
    }
  }

  /// Starts another helper after a pause, in place of the one that has ended.
  ///
  /// It runs on this conversation's thread.
  ///
  /// - Throws: `ended` if the conversation was cancelled.
  func restart(after milliseconds: Int32) throws(HelperError) {
    guard !cancelled.wait(milliseconds: milliseconds) else { throw .ended }
    helper.finish(withinMilliseconds: 1000)
    let fresh = try HelperLink(.presence, by: route)
    link.withLock { $0 = fresh }
    // The cancellation may have reached only the previous helper.
    if isCancelled.load(ordering: .acquiring) { fresh.hangUp() }
  }

  /// Runs the conversation to its end.
  ///
  /// Returns how long the helper may then take to end.
  private func lead(
    _ talk: (HelperConversation<Event>, (Event) -> Void) throws(HelperError) -> Void,
    _ use: ReaderTurn.Use?
  ) -> Int32 {
    do throws(HelperError) {
      if let previous = use?.previous { try awaitEnd(of: previous) }
      try talk(self) { event in
        if event.isLast { use?.decide() }
        events.put(event)
      }
      return Self.releaseTime
    } catch {
      let wasCancelled = isCancelled.load(ordering: .acquiring)
      events.put(.broken(error, wasCancelled: wasCancelled))
      return 1000
    }
  }

  private func awaitEnd(of previous: ReaderTurn.Use) throws(HelperError) {
    let deadline = BootInstant.now.nanoseconds + Self.turnTime * 1_000_000
    var isTold = false
    while !previous.ended.wait(milliseconds: Self.tellTime) {
      guard !isCancelled.load(ordering: .acquiring) else { throw .ended }
      if !isTold { events.put(previous.isOver ? .lift : .waiting) }
      isTold = true
      // The next helper finds out itself whether the reader is in use.
      if BootInstant.now.nanoseconds >= deadline { return }
    }
  }
}
