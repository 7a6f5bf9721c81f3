/// The vault's view of the sessions of its user.
struct UserSessions: Sendable {
  /// Sees what ends the window from outside; `nil` if nothing does.
  let events: (any SessionEvents)?
  /// Finds the locations of callers; `nil` if all callers have one location.
  let locations: (any CallerLocations)?
  /// Finds the sessions of callers and agents, if all callers have one location.
  let seats: (any CallerLocations)?
}
