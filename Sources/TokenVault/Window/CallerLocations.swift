internal import Configuration
internal import Presence
internal import PresenceTerms

// A person is asked at the location from which the request comes, or by an agent at the desktop.
// Windows are bound to the location of the caller. A check is shared at either location. A finger
// counts only if the prompt is shown at this machine's seat.
extension Vault {
  /// Whether the vault distinguishes the locations of callers.
  var hasLocations: Bool { windowState.sessions.locations != nil }

  /// The present location of a caller.
  func location(of caller: Caller) async -> CallerLocation {
    guard let locations = windowState.sessions.locations else { return .everywhere }
    return await locations.location(of: caller)
  }

  /// The session of a program, which decides whether it may show a prompt or have one shown.
  func seat(of caller: Caller) async -> CallerLocation {
    guard let seats = windowState.sessions.seats ?? windowState.sessions.locations else {
      return .everywhere
    }
    return await seats.location(of: caller)
  }

  /// The location at which a passed prompt opens a window.
  ///
  /// It is that of the caller, even if an agent shows the prompt at the desk.
  func locationOfWindow(of prompt: String, _ caller: Caller) async -> String? {
    guard prompts.isShownElsewhere(prompt) else { return prompts.location(of: prompt) }
    return await location(of: caller).name
  }

  /// The location of a program in a session, to which prompts and windows are bound.
  func location(at seat: CallerLocation) -> CallerLocation {
    hasLocations ? seat : .everywhere
  }

  /// Refuses a presence check if the policy forbids it at this location.
  func demandPresenceAllowed(at location: CallerLocation) throws(VaultFailure) {
    guard try policy().remote == .deny, !location.isLocal else { return }
    let whose =
      try isOwn(.remote)
      ? ", your own rule; at this machine itself: thumblatch policy remote default"
      : policyFile.map { " in \($0)" } ?? ""
    throw .refused(
      "no presence check is made from here"
        + " (\(location.objection ?? "not certain to be at this machine")): remote = deny\(whose)"
    )
  }

  /// The same if no person is asked, and so no location was looked up.
  func demandPresenceAllowed(for caller: Caller) async throws(VaultFailure) {
    guard try policy().remote == .deny else { return }
    try demandPresenceAllowed(at: await location(of: caller))
  }

  /// Why no finger counts at a location; `nil` if one counts.
  ///
  /// Fingers that have changed come first: the password that is asked for confirms them.
  func fingerObjection(
    _ eligibility: FingerEligibility,
    at location: CallerLocation
  ) -> PresenceFailure? {
    let objection = eligibility.objection(fingerLockout)
    switch objection?.outcome {
    case .denied, .notEnrolled: return objection
    default: return location.objection.map { .notAvailable(noDevice($0)) } ?? objection
    }
  }

  /// The text shown before the password is asked for; `nil` if there is nothing to explain.
  func reason(
    for purpose: PresencePurpose,
    _ eligibility: FingerEligibility,
    at location: CallerLocation
  ) -> String? {
    let finger = fingerObjection(eligibility, at: location)?.outcome
    if let objection = location.objection,
      finger == .notAvailable || finger == .notEnrolled && hasKeys
    {
      return purpose.allowsDevices ? noDevice(objection) : nil
    }
    return eligibility.reason(for: purpose, fingerLockout)
  }

  /// Why no device counts at a location, for people.
  func noDevice(_ objection: String) -> String {
    "no finger \(hasKeys ? "or security key " : "")counts from here: \(objection)"
  }

  private var hasKeys: Bool { (try? keyRows().isEmpty) == false }

  /// The status of the vault for a caller, with the unlock window of the caller's own location.
  package func facts(for caller: Caller) async throws(VaultFailure) -> VaultFacts {
    try facts(at: await locationOfWindow(caller))
  }

  /// The location whose window a caller may see; it is not looked up while no window is open.
  package func locationOfWindow(_ caller: Caller) async -> CallerLocation {
    isHoldingWindow ? await location(of: caller) : .everywhere
  }
}
