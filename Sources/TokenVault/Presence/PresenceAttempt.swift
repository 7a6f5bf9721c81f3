internal import Presence
internal import PresenceTerms

/// A check by one method, with what it needs, or the enrollment of a security key.
package enum PresenceAttempt: Sendable {
  /// Arms the reader for a print, or for a finger of the desktop.
  case fingerprint(FingerRequest)
  /// Lights the enrolled security key that is plugged in.
  case key(KeySigning)
  /// Has a security key make a credential.
  case newKey(KeyMaking)
  /// Asks for the system password of the caller's user.
  case password(seconds: Int64)
}

// The differences between the methods. Everything else in this room asks their properties.
extension Vault {
  /// Why a method cannot pass a check at a location; `nil` if it can.
  private func objection(
    to method: PresenceMethod,
    _ eligibility: FingerEligibility,
    at location: CallerLocation
  ) -> PresenceFailure? {
    switch method {
    case .fingerprint: fingerObjection(eligibility, at: location)
    case .key: keyObjection(at: location)
    case .password: nil
    }
  }

  /// Makes the attempt of a method, and charges it if its failure can be hidden by a kill.
  ///
  /// - Throws: a `PresenceFailure`; a `VaultFailure` if the try cannot be charged.
  func attempt(
    _ prompt: String,
    _ method: PresenceMethod,
    _ run: inout CheckRun,
    _ caller: Caller
  ) async throws -> PresenceAttempt {
    switch method {
    case .fingerprint: .fingerprint(try await fingerRequest(prompt, &run, caller))
    case .key: .key(try keySigning(&run))
    case .password: .password(seconds: Self.checkSeconds)
    }
  }

  /// Counts a check that was not passed.
  func settle(_ run: CheckRun, _ failure: PresenceFailure, _ cost: CheckCost) {
    switch run.method {
    case .fingerprint where cost == .nothing: prompting.attempts.giveBack(run)
    case .fingerprint: prompting.attempts.miss(run)
    // A key counts its wrong PINs itself, and an answer cannot be guessed.
    case .key: break
    case .password where cost == .charge: break
    case .password:
      prompting.attempts.settlePassword(
        run,
        cost == .miss ? .noMatch : failure.outcome,
        at: clock.boot
      )
    }
  }

  /// The methods that cannot pass a check at a location, with the reason of each.
  func objections(
    _ eligibility: FingerEligibility,
    at location: CallerLocation
  ) -> [PresenceMethod: PresenceFailure] {
    var objections: [PresenceMethod: PresenceFailure] = [:]
    for method in PresenceMethod.allCases {
      objections[method] = objection(to: method, eligibility, at: location)
    }
    return objections
  }
}
