internal import PresenceTerms

/// The agents: programs that show prompts of other programs at the desktops of people.
///
/// An agent is believed nothing. It may run the check of the prompt that it shows, and no other.
package protocol DesktopAgents: Sendable {
  /// Whether an agent of a user is connected, or lives and can be called.
  func mayShow(for user: UInt32) -> Bool

  /// The newest agent of a user besides these connections; `nil` if there is none.
  ///
  /// With `mayArrive` the agents are called, and waited for. With `takingNotices` only those count
  /// that show notices.
  func newest(
    of user: UInt32,
    besides tried: Set<UInt64>,
    mayArrive: Bool,
    takingNotices: Bool
  ) async -> Caller?

  /// Gives a prompt to an agent, now or when it asks for the next one.
  func give(_ prompt: PresenceNeed, to agent: UInt64)

  /// Gives a notice to an agent, now or when it asks for the next one.
  ///
  /// It is dropped if too many wait for this agent, or if the agent leaves.
  func give(_ notice: Notice, to agent: UInt64)

  /// Takes back a prompt that the agent has not taken yet.
  func withdraw(from agent: UInt64)

  /// Ends the connection of an agent, because the prompt that it shows is over.
  func hangUp(_ agent: UInt64)
}

extension DesktopAgents {
  /// The newest agent, whether it shows notices or not.
  func newest(of user: UInt32, besides tried: Set<UInt64>, mayArrive: Bool) async -> Caller? {
    await newest(of: user, besides: tried, mayArrive: mayArrive, takingNotices: false)
  }
}

/// The prompt that an agent shows, or is about to show.
struct ShownPrompt {
  let prompt: String
  /// The program that asks, and spends the proof.
  let caller: Caller
  /// The connection of the agent.
  let agent: UInt64
  /// Whether the agent has begun a check, which means that the prompt is on the screen.
  var isOnScreen = false
  /// Why the last check did not pass.
  var failure: PresenceFailure?
  let wake: CheckedContinuation<DesktopOutcome, Never>
}

/// What became of a prompt at the desktop.
enum DesktopOutcome {
  case passed
  case failed(PresenceFailure)
  /// The agent has left before it showed it.
  case left
  /// The agent has not shown it in time.
  case notShown
}

/// The desktop's part of a vault: one prompt at a time is shown there.
struct DesktopState {
  /// The prompt whose turn it is.
  var current: String?
  var shown: ShownPrompt?

  /// Whether this agent shows a prompt, or is about to.
  func shows(_ prompt: String, by agent: UInt64) -> Bool {
    shown.map { $0.prompt == prompt && $0.agent == agent } ?? false
  }
}
