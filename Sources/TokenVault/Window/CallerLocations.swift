internal import Configuration
internal import Presence

// The person who is asked has to be at the location from which the request comes. So windows and
// shared checks are bound to that location. A finger counts only if the location is this machine's
// seat.
extension Vault {
  /// The present location of a caller.
  func place(of caller: Caller) async -> CallerLocation {
    guard let places else { return .everywhere }
    return await places.place(of: caller)
  }

  /// Refuses a presence check if the policy forbids it at this location.
  func demandPresenceAllowed(at place: CallerLocation) throws(VaultFailure) {
    guard try policy().remote == .deny, !place.isLocal else { return }
    let whose =
      try isOwn(.remote)
      ? ", your own rule; at this machine itself: thumblatch policy remote default"
      : rules.policyFile.map { " in \($0)" } ?? ""
    throw .refused(
      "no presence check is made from here"
        + " (\(place.objection ?? "not certain to be at this machine")): remote = deny\(whose)"
    )
  }

  /// The same if no person is asked, and so no location was looked up.
  func demandPresenceAllowed(for caller: Caller) async throws(VaultFailure) {
    guard try policy().remote == .deny else { return }
    try demandPresenceAllowed(at: await place(of: caller))
  }

  /// Why no finger counts at a location; `nil` if one counts.
  ///
  /// Fingers that have changed come first: the password that is asked for confirms them.
  func fingerObjection(_ standing: FingerEligibility, at place: CallerLocation) -> PresenceOutcome?
  {
    let objection = standing.objection(tries.lockout)
    switch objection {
    case .denied, .notEnrolled: return objection
    default: return place.objection.map { .notAvailable(Self.shown($0)) } ?? objection
    }
  }

  /// The text shown before the password is asked for; `nil` if there is nothing to explain.
  func reason(
    for purpose: PresencePurpose,
    _ standing: FingerEligibility,
    at place: CallerLocation
  ) -> String? {
    if case .notAvailable(let why)? = fingerObjection(standing, at: place), place.objection != nil {
      return purpose.methods == [.password] ? nil : why
    }
    return standing.reason(for: purpose, tries.lockout)
  }

  static func shown(_ objection: String) -> String {
    "no finger counts from here: \(objection)"
  }

  /// The status of the vault for a caller, with the unlock window of the caller's own location.
  public func facts(for caller: Caller) async throws(VaultFailure) -> VaultFacts {
    try facts(at: await placeOfWindow(caller))
  }

  /// The location whose window a caller may see; it is not looked up while no window is open.
  public func placeOfWindow(_ caller: Caller) async -> CallerLocation {
    windows.isAnyOpen(now: clock.boot) ? await place(of: caller) : .everywhere
  }
}
