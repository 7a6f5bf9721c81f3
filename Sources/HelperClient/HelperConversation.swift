internal import Presence
internal import Synchronization
internal import System
internal import TokenVault

/// What a conversation reports, its breaking off included.
protocol ConversationEvent: Sendable {
  /// The last event of one whose helper did not say how it ended.
  static func broken(_ error: HelperError, wasCancelled: Bool) -> Self
}

/// One conversation with a helper process: a thread reads what the helper says, whoever is
/// interested takes it as events.
final class HelperConversation<Event: ConversationEvent>: Sendable {
  /// How long the last event of a helper is waited for that was told to end, in milliseconds.
  private static var patience: UInt64 { 2500 }

  let helper: HelperLink
  private let events = EventQueue<Event>()
  private let isCancelled = Atomic(false)

  /// Starts the helper and a thread for `talk`, which hands over events until the last one.
  ///
  /// - Throws: `notAvailable` where it cannot be started.
  init(
    by route: HelperRoute,
    _ talk: @escaping @Sendable (HelperLink, (Event) -> Void) throws(HelperError) -> Void
  ) throws(Presence.PresenceOutcome) {
    do throws(HelperError) {
      helper = try HelperLink(.presence, by: route)
    } catch {
      throw .notAvailable(error.reason)
    }
    do throws(SystemError) {
      try startThread { [self] in
        // A helper that was told to end releases the reader first; one that hangs is ended.
        defer { helper.finish(withinMilliseconds: 1000) }
        do throws(HelperError) {
          try talk(helper, events.put)
        } catch {
          let wasCancelled = isCancelled.load(ordering: .acquiring)
          events.put(.broken(error, wasCancelled: wasCancelled))
        }
      }
    } catch {
      helper.finish(withinMilliseconds: 0)
      throw .notAvailable("\(error)")
    }
  }

  func next() async -> Event { await events.next() }

  /// Has the helper end, which still says how: a finger may have been seen already.
  func cancel() {
    guard !isCancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
    helper.hangUp()
    Task { [weak helper] in
      try? await Task.sleep(nanoseconds: Self.patience * 1_000_000)
      // It hangs, or somebody has stopped it.
      helper?.stop()
    }
  }
}
