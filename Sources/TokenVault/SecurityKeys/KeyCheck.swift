internal import Configuration
internal import Cryptography
internal import Presence
internal import PresenceTerms

/// What a running check by security key is about.
struct KeyChallenge {
  /// The bytes that were made for this check.
  let challenge: [UInt8]
  /// The keys that may answer it.
  let keys: [EnrolledKey]
  /// Whether the key must verify its person too.
  let verifies: Bool
  /// The key that answered, with the counter of that signature.
  var answered: EnrolledKey?
}

// The vault makes the challenge and judges the signature. The helper only transports both, so
// neither a forged helper nor a forged key passes a check. A touch does not prove where the person
// is: a key may be forwarded over the network. So keys count where fingers do.
extension Vault {
  /// Why no security key can pass a check at a location; `nil` if one can.
  func keyObjection(at location: CallerLocation) -> PresenceFailure? {
    guard let keys = try? keyRows() else {
      return .notAvailable("the enrolled security keys cannot be read")
    }
    if keys.isEmpty { return .notEnrolled }
    if let objection = location.objection { return .notAvailable(noDevice(objection)) }
    return fingerLockout.isPasswordOnly ? .lockedOut : nil
  }

  /// What makes the enrolled keys sign a fresh challenge.
  ///
  /// - Throws: a `PresenceFailure`.
  func keySigning(_ run: inout CheckRun) throws -> KeySigning {
    let keys: [EnrolledKey]
    let challenge: [UInt8]
    let verifies: Bool
    do throws(VaultFailure) {
      verifies = try policy().key == .verify
    } catch {
      throw PresenceFailure.notAvailable("the policy cannot be read")
    }
    do throws(VaultFailure) {
      keys = try enrolledKeys()
      challenge = try random(32)
    } catch {
      // A record that cannot be read never switches protection off: it leads to the password.
      throw PresenceFailure.notAvailable("the enrolled security keys cannot be read")
    }
    guard !keys.isEmpty else { throw PresenceFailure.notEnrolled }
    run.key = KeyChallenge(challenge: challenge, keys: keys, verifies: verifies)
    return KeySigning(
      credentials: keys.map(\.credential),
      challenge: challenge,
      verifies: verifies,
      isRaced: run.isRaced,
      seconds: Self.checkSeconds
    )
  }

  /// Why an event of a helper passes no check; `nil` if it passes one.
  ///
  /// Of a security key, a helper that only says so proves nothing.
  func objection(
    to event: CheckEvent,
    of method: PresenceMethod,
    _ run: inout CheckRun
  ) -> PresenceFailure? {
    switch event {
    case .matched where method != .key: nil
    case .touched(let answer) where method == .key: objection(to: answer, &run)
    default: .noMatch
    }
  }

  /// Why an answer does not prove that one of the keys was touched for the challenge of a run.
  ///
  /// A counter that does not rise means that two keys have signed for one credential (Web
  /// Authentication Level 2, section 6.1.1). A key that does not count always says zero.
  private func objection(to answer: KeyAnswer, _ run: inout CheckRun) -> PresenceFailure? {
    guard let asked = run.key,
      var key = asked.keys.first(where: { $0.credential == answer.credential })
    else { return .noMatch }
    let touch = KeyTouch(
      authenticatorData: answer.authenticatorData,
      signature: answer.signature
    )
    let isProof = touch.proves(
      asked.challenge,
      for: EnrolledKey.domain,
      by: key.publicKey,
      verified: asked.verifies
    )
    guard isProof else { return .noMatch }
    guard touch.counter > key.counter || (touch.counter, key.counter) == (0, 0) else {
      return .denied(
        "the counter of the security key '\(key.name)' did not rise, so it may be a copy: if it is"
          + " yours, remove it and enroll it again (thumblatch keys remove, thumblatch keys enroll)"
      )
    }
    key.counter = touch.counter
    run.key?.answered = key
    return nil
  }
}
