internal import PresenceTerms
internal import SecretMemory
internal import Synchronization

/// The helpers that run for one prompt: one, or one for each device that is armed with it.
///
/// The vault judges their events: the first that passes wins, and the others are cancelled.
final class CheckRace: Sendable {
  /// A helper in the race.
  struct Entrant: Sendable {
    fileprivate let number: Int
    fileprivate let conversation: any CheckConversation
    fileprivate let end: Task<(last: CheckEvent, wasArmed: Bool), Never>

    func cancel() { conversation.cancel() }

    /// Waits for its last event, and tells whether its device was armed.
    func ended() async -> (last: CheckEvent, wasArmed: Bool) { await end.value }
  }

  private struct State {
    var entrants: [(method: PresenceMethod, entrant: Entrant)] = []
    var count = 0
  }

  private let events = EventQueue<(number: Int, event: CheckEvent)>()
  private let state = Mutex(State())

  /// The methods that can still win, in the order in which they entered.
  var methods: [PresenceMethod] { state.withLock { $0.entrants.map(\.method) } }

  /// Enters a helper.
  func enter(_ method: PresenceMethod, _ conversation: any CheckConversation) {
    let events = events
    state.withLock { state in
      state.count += 1
      let number = state.count
      let end = Task { () -> (last: CheckEvent, wasArmed: Bool) in
        var wasArmed = false
        while true {
          let event = await conversation.next()
          if event == .ready { wasArmed = true }
          events.put((number, event))
          if event.isLast { return (event, wasArmed) }
        }
      }
      let entrant = Entrant(number: number, conversation: conversation, end: end)
      state.entrants.append((method, entrant))
    }
  }

  /// The next event of a helper that can still win.
  func next() async -> (PresenceMethod, CheckEvent) {
    while true {
      let (number, event) = await events.next()
      let method = state.withLock { state in
        state.entrants.first { $0.entrant.number == number }?.method
      }
      if let method { return (method, event) }
    }
  }

  /// Answers the question of a helper.
  func respond(_ text: SharedSecret, to method: PresenceMethod) async {
    await entrant(method)?.conversation.respond(text)
  }

  /// Takes a helper out of the race; its later events are dropped.
  @discardableResult
  func leave(_ method: PresenceMethod) -> Entrant? {
    guard let entrant = entrant(method) else { return nil }
    state.withLock { $0.entrants.removeAll { $0.method == method } }
    return entrant
  }

  /// Cancels all helpers; their last events still come.
  func cancel() {
    for (_, entrant) in state.withLock({ $0.entrants }) { entrant.conversation.cancel() }
  }

  /// The helper of a method.
  func entrant(_ method: PresenceMethod) -> Entrant? {
    state.withLock { $0.entrants.first { $0.method == method }?.entrant }
  }
}
