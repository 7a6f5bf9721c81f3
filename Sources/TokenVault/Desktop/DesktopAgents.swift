internal import PresenceTerms

/// The agents: programs that show prompts of other programs at the desktops of people.
///
/// An agent is not trusted. It may run only the check of the prompt that it shows.
package protocol DesktopAgents: Sendable {
  /// Whether an agent of a user is connected, or is running and can be called.
  func mayShow(for user: UInt32) -> Bool

  /// The newest agent of a user other than these connections; `nil` if there is none.
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
  ///
  /// - Returns: false if it is dropped now.
  @discardableResult
  func give(_ notice: Notice, to agent: UInt64) -> Bool

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
