internal import Presence
internal import Synchronization
internal import System
internal import TokenVault

/// What a conversation reports, its breaking off included.
protocol ConversationEvent: Sendable {
  /// The last event of one that did not succeed.
  static func failed(_ outcome: Presence.PresenceOutcome) -> Self
}

/// One conversation with a helper process: a thread reads what the helper says, whoever is
/// interested takes it as events.
final class HelperConversation<Event: ConversationEvent>: Sendable {
  let helper: HelperProcess
  private let events = EventQueue<Event>()
  private let isCancelled = Atomic(false)

  /// Starts the helper and a thread for `talk`, which hands over events until the last one.
  ///
  /// - Throws: `notAvailable` where it cannot be started.
  init(
    _ talk: @escaping @Sendable (HelperProcess, (Event) -> Void) throws(HelperError) -> Void
  ) throws(Presence.PresenceOutcome) {
    do throws(HelperError) {
      helper = try HelperProcess(program: HelperPresence.program)
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
          events.put(.failed(wasCancelled ? .cancelled : .notAvailable(error.reason)))
        }
      }
    } catch {
      helper.finish(withinMilliseconds: 0)
      throw .notAvailable("\(error)")
    }
  }

  func next() async -> Event { await events.next() }

  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    helper.stop()
  }
}
