internal import HelperInterface
internal import PresenceTerms
internal import SecretMemory
internal import SecurityKey
internal import SystemPassword
internal import Varlink

/// Checks by a security key, and its enrollment.
///
/// The engine verifies the key's signature: this program only transports it.
extension PresenceService {
  /// The most credentials of one call, and the most bytes of one.
  private static let mostCredentials = 32
  private static let longestCredential = 1023

  /// A use of a security key, and the questions about its PIN.
  struct KeyUse {
    let request: KeyRequest
    let dialogue: PasswordDialogue
  }

  /// The data for the key to sign.
  struct KeyWish {
    let challenge: [UInt8]
    let verifies: Bool
    /// Whether another device is armed too.
    let isRaced: Bool
  }

  func begin(key call: HelperCheckCall, more: Bool) throws(VarlinkError) {
    guard more else { throw .expectedMore }
    guard renounce() else { return refuse(.notAvailable, "privileges could not be given up") }
    guard let challenge = call.challenge, challenge.count == 32 else {
      throw .invalidParameter("challenge")
    }
    let credentials = call.keyCredentials ?? []
    guard credentials.count <= Self.mostCredentials,
      credentials.allSatisfy({ (1...Self.longestCredential).contains($0.count) })
    else { throw .invalidParameter("key_credentials") }
    let inbox = inbox
    let request = KeyRequest(keys)
    let dialogue = PasswordDialogue(milliseconds: call.timeout) { inbox.put(.question($0)) }
    let lit: @Sendable () -> Void = { inbox.put(.lit) }
    let work: @Sendable () throws(KeyFailure) -> HelperCheckEvent
    if let user = call.keyUser {
      guard (1...64).contains(user.count) else { throw .invalidParameter("key_user") }
      let verification = KeyVerification(isRequired: call.keyPin != nil, pin: call.keyPin)
      let name = call.keyName ?? ""
      work = { () throws(KeyFailure) in
        let made = try request.enroll(
          challenge,
          user: user,
          name: name,
          excluding: credentials,
          verification,
          lit: lit
        )
        return .matched(credential: made.identifier, publicKey: made.publicKey)
      }
    } else {
      let wish = KeyWish(challenge: challenge, verifies: call.verify, isRaced: call.raced)
      work = { () throws(KeyFailure) in
        let signed = try request.signed(wish, by: credentials, dialogue, lit)
        return .matched(
          credential: signed.credential,
          authenticatorData: signed.authenticatorData,
          signature: signed.signature
        )
      }
    }
    running = .key(KeyUse(request: request, dialogue: dialogue))
    self.work {
      inbox.put(.key(Result { () throws(KeyFailure) in try work() }, isLate: dialogue.isExpired))
    }
  }

  /// Reports the end of a key's use.
  func end(_ result: Result<HelperCheckEvent, KeyFailure>, isLate: Bool) {
    running = nil
    switch result {
    case .success(let event): connection.reply(event)
    case .failure(.cancelled) where isLate: refuse(.timedOut, nil)
    case .failure(let failure): refuse(failure.outcome, failure.detail)
    }
  }
}

extension KeyRequest {
  /// Lets a key sign, and asks for its PIN as often as the key accepts one.
  fileprivate func signed(
    _ wish: PresenceService.KeyWish,
    by credentials: [[UInt8]],
    _ dialogue: PasswordDialogue,
    _ lit: () -> Void
  ) throws(KeyFailure) -> KeyAssertion {
    var verification = KeyVerification(isRequired: wish.verifies)
    while true {
      let question: String
      do throws(KeyFailure) {
        return try sign(wish.challenge, withAny: credentials, verification, lit: lit)
      } catch {
        switch error {
        case .pinNeeded(let retries):
          // The person may intend to use a finger. A touch shows that the key is meant.
          if wish.isRaced { try awaitTouch(ofAny: credentials, lit: lit) }
          question = "PIN of the security key\(Self.left(retries)): "
        case .wrongPIN(let retries):
          question = "Wrong PIN. PIN of the security key\(Self.left(retries)): "
        case .verificationBlocked: question = "PIN of the security key: "
        default: throw error
        }
      }
      let asked = PasswordQuestion(text: question, isHidden: true)
      guard let pin = dialogue.answer(to: asked) else { throw .cancelled }
      verification = KeyVerification(isRequired: true, pin: SharedSecret(pin))
    }
  }

  private static func left(_ retries: Int?) -> String {
    switch retries {
    case 1?: " (1 try left)"
    case let retries?: " (\(retries) tries left)"
    case nil: ""
    }
  }
}

extension KeyFailure {
  var outcome: PresenceOutcome {
    switch self {
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    case .alreadyEnrolled, .pinNeeded, .wrongPIN, .pinBlockedUntilReplugged, .pinBlocked, .noPIN,
      .notVerified, .verificationBlocked, .declined:
      .denied
    case .noLibrary, .noKey, .notEnrolled, .severalKeys, .removed, .notPermitted, .unexpected,
      .noSecret, .alwaysVerifies:
      .notAvailable
    }
  }

  /// The reason, as a text for people; `nil` if the outcome is enough.
  var detail: String? {
    switch self {
    case .timedOut, .cancelled: nil
    case .noLibrary: "libfido2 is missing or too old: install libfido2-1"
    case .noKey: "no security key is plugged in"
    case .notEnrolled: "the security key that is plugged in is not enrolled here"
    case .severalKeys: "several security keys are plugged in: leave the one to enroll"
    case .alreadyEnrolled: "this security key is enrolled already"
    case .pinNeeded: PresenceFailure.keyWantsPIN
    case .declined: "the security key was not touched, or the touch was declined"
    case .wrongPIN(let retries?): "wrong PIN of the security key; tries left: \(retries)"
    case .wrongPIN(nil): "wrong PIN of the security key"
    case .pinBlockedUntilReplugged:
      "three PINs of the security key were wrong: unplug it and plug it in again"
    case .pinBlocked: "too many PINs were wrong: the security key must be reset, and enrolled again"
    case .noPIN: "the security key has no PIN, and needs one here: set one"
    case .notVerified: "the security key did not recognize its person"
    case .verificationBlocked: "the security key does not check its person any more: use its PIN"
    case .removed: "the security key was unplugged, or does not answer"
    // Only slots of the machine key need a secret.
    case .noSecret: "the security key has no hmac-secret"
    case .alwaysVerifies: "the security key verifies its person always"
    case .notPermitted: "this user may not open the security key"
    case .unexpected(let code): "the security key answered with error \(code)"
    }
  }
}
