internal import Configuration
internal import Presence

// The person who is asked has to be the one who sits where the request comes from. So windows and
// shared checks are bound to that place, and a finger counts only where it is this machine's seat.
extension Vault {
  /// Where a caller sits now.
  func place(of caller: Caller) async -> CallerPlace {
    guard let places else { return .everywhere }
    return await places.place(of: caller)
  }

  /// Refuses a presence check where the policy wants none.
  func demandPresenceAllowed(at place: CallerPlace) throws(VaultFailure) {
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

  /// The same where nobody is asked, and so no place was looked up.
  func demandPresenceAllowed(for caller: Caller) async throws(VaultFailure) {
    guard try policy().remote == .deny else { return }
    try demandPresenceAllowed(at: await place(of: caller))
  }

  /// Why no finger counts for somebody at a place; nil: one does.
  ///
  /// Fingers that have changed come first: the password that is asked for confirms them.
  func fingerObjection(_ standing: FingerStanding, at place: CallerPlace) -> PresenceOutcome? {
    let objection = standing.objection(tries.lockout)
    switch objection {
    case .denied, .notEnrolled: return objection
    default: return place.objection.map { .notAvailable(Self.shown($0)) } ?? objection
    }
  }

  /// What a person is told before the password is asked; `nil` if there is nothing to explain.
  func reason(
    for purpose: PresencePurpose,
    _ standing: FingerStanding,
    at place: CallerPlace
  ) -> String? {
    if case .notAvailable(let why)? = fingerObjection(standing, at: place), place.objection != nil {
      return purpose.methods == [.password] ? nil : why
    }
    return standing.reason(for: purpose, tries.lockout)
  }

  static func shown(_ objection: String) -> String {
    "no finger counts from here: \(objection)"
  }

  /// How the vault stands for a caller: the unlock window is that of the caller's own place.
  public func facts(for caller: Caller) async throws(VaultFailure) -> VaultFacts {
    try facts(at: await placeOfWindow(caller))
  }

  /// The place whose window a caller may see; nobody is asked while none is open.
  public func placeOfWindow(_ caller: Caller) async -> CallerPlace {
    windows.isAnyOpen(now: clock.boot) ? await place(of: caller) : .everywhere
  }
}
