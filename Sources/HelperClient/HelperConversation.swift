internal import Presence
internal import Synchronization
internal import System
internal import TokenVault

/// What a conversation reports, its breaking off included.
protocol ConversationEvent: Sendable {
  /// Nothing has happened for a while, or the reader is in use.
  static var waiting: Self { get }
  /// A finger lies on the reader since the use before.
  static var lift: Self { get }
  /// Whether nothing follows.
  var isLast: Bool { get }
  /// The last event of one whose helper did not say how it ended.
  static func broken(_ error: HelperError, wasCancelled: Bool) -> Self
}

/// One conversation with a helper process: a thread reads what the helper says, whoever is
/// interested takes it as events.
final class HelperConversation<Event: ConversationEvent>: Sendable {
  /// How long the last event of a helper is waited for that was told to end, in milliseconds: a driver
  /// may finish a scan first.
  private static var patience: UInt64 { 9500 }
  /// How long a helper has to release the reader after its last event, in milliseconds.
  private static var releaseTime: Int32 { 16_000 }
  /// How long the use before this one is waited for, in milliseconds.
  private static var turnTime: Int64 { 12_000 }
  /// When the person is told why nothing happens, in milliseconds.
  private static var tellTime: Int32 { 400 }

  private let link: Mutex<HelperLink>
  private let route: HelperRoute
  private let events = EventQueue<Event>()
  private let isCancelled = Atomic(false)
  private let cancelled: Milestone

  /// Starts a thread for `talk`, which hands over events until the last one.
  ///
  /// `prepared` is a helper that waits already; without one, one is started.
  ///
  /// - Throws: `notAvailable` where it cannot be started.
  init(
    by route: HelperRoute,
    prepared: HelperLink? = nil,
    turn: ReaderTurn? = nil,
    _ talk:
      @escaping @Sendable (HelperConversation<Event>, (Event) -> Void) throws(HelperError) -> Void
  ) throws(Presence.PresenceOutcome) {
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
          // A helper releases the reader last; one that hangs is ended.
          self.helper.finish(withinMilliseconds: limit)
          // A use that was cancelled while it waited has not waited for the one before it.
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

  /// The helper at work.
  var helper: HelperLink { link.withLock { $0 } }

  func next() async -> Event { await events.next() }

  /// Has the helper end, which still says how: a finger may have been seen already.
  func cancel() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    cancelled.reach()
    helper.hangUp()
    Task { [weak self] in
      try? await Task.sleep(nanoseconds: Self.patience * 1_000_000)
      // It hangs, or somebody has stopped it.
      self?.helper.stop()
    }
  }

  /// Starts another helper in place of the one that has ended, after a pause; on this conversation's
  /// thread.
  ///
  /// - Throws: `ended` if the conversation was cancelled.
  func restart(after milliseconds: Int32) throws(HelperError) {
    guard !cancelled.wait(milliseconds: milliseconds) else { throw .ended }
    helper.finish(withinMilliseconds: 1000)
    let fresh = try HelperLink(.presence, by: route)
    link.withLock { $0 = fresh }
    // The cancel may have told the helper before.
    if isCancelled.load(ordering: .acquiring) { fresh.hangUp() }
  }

  /// Leads the conversation to its end; how long the helper has to end after that.
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
      // The helper that comes now finds out itself whether the reader is in use.
      if BootInstant.now.nanoseconds >= deadline { return }
    }
  }
}
