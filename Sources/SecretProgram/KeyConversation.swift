internal import Cryptography
internal import Glibc
internal import HelperInterface
internal import MachineKey
internal import SecretMemory
internal import SecurityKey
internal import System
internal import Varlink

/// One request to the security keys, and its answers.
///
/// Closing the engine's side of the socket cancels a wait for a touch.
struct KeyConversation {
  /// Seconds after which the process ends in any case: two touches, and the time between them.
  private static let lifetime: UInt32 = 150
  /// The most slots of one call, and the most credentials.
  private static let mostSlots = 64

  let keys: KeyNodes
  /// Whether the engine wants a report of each touch.
  let streams: Bool

  /// Answers a call of the engine on the other side of this socket.
  func answer(
    _ request: HelperRequest,
    on socket: borrowing Descriptor
  ) throws(MessageError) -> VarlinkReply {
    alarm(Self.lifetime)
    // The node may be a terminal. Its end must be an error of this request, not the end of the
    // process.
    signal(SIGHUP, SIG_IGN)
    let use = KeyRequest(keys)
    cancel(use, atTheEndOf: socket)
    switch request {
    case .makeKeySecret(let call): return try VarlinkReply(make(call, use, socket))
    case .openKeySecret(let call): return try VarlinkReply(open(call, use, socket))
    default: return try VarlinkReply(facts(use))
    }
  }

  /// Cancels the request when the engine closes its side, or sends more than the one call.
  private func cancel(_ use: KeyRequest, atTheEndOf socket: borrowing Descriptor) {
    let number = dup(socket.number)
    guard number >= 0 else { return }
    try? startThread {
      let copy = Descriptor(owning: number)
      _ = try? copy.waitReadable(milliseconds: -1)
      use.cancel()
    }
  }

  private func facts(_ use: KeyRequest) -> KeyFactsReply {
    do throws(KeyFailure) {
      let facts = try use.secretFacts()
      return .done(needsPin: facts.needsPIN, retries: facts.retries)
    } catch {
      return .failed(error.word, detail: error.code)
    }
  }

  private func make(
    _ call: MakeKeySecretCall,
    _ use: KeyRequest,
    _ socket: borrowing Descriptor
  ) -> MadeKeySecretReply {
    guard call.keyCredentials.count <= Self.mostSlots else {
      return .failed(.unexpected, detail: "too many credentials")
    }
    do {
      let salt = try randomBytes(KeyRequest.secretCount)
      let made = try use.makeSecret(
        user: try randomBytes(KeyRequest.secretCount),
        salt: salt,
        excluding: call.keyCredentials,
        pin: call.keyPin,
        lit: { tell(MadeKeySecretReply.touch, socket) }
      )
      let parameters = SecurityKeyParameters(
        verifies: made.verifies,
        credential: made.credential.identifier,
        salt: salt,
        publicKey: made.credential.publicKey
      )
      return .done(parameters: try parameters.parameters, secret: made.secret)
    } catch let failure as KeyFailure {
      return .failed(failure.word, retries: failure.retries, detail: failure.code)
    } catch {
      return .failed(.unexpected, detail: "\(error)")
    }
  }

  private func open(
    _ call: OpenKeySecretCall,
    _ use: KeyRequest,
    _ socket: borrowing Descriptor
  ) -> OpenedKeySecretReply {
    do {
      guard (1...Self.mostSlots).contains(call.slots.count) else {
        return .failed(.unexpected, detail: "no slot, or too many")
      }
      let wishes = try call.slots.map { bytes in
        let slot = try SecurityKeyParameters(parameters: bytes)
        return KeySecretWish(
          credential: slot.credential,
          salt: slot.salt,
          verifies: slot.verifies
        )
      }
      let (place, secret) = try use.secret(
        ofAny: wishes,
        pin: call.keyPin,
        lit: { tell(OpenedKeySecretReply.touch, socket) }
      )
      return .done(place: place, secret: secret)
    } catch let failure as KeyFailure {
      return .failed(failure.word, retries: failure.retries, detail: failure.code)
    } catch {
      return .failed(.unexpected, detail: "\(error)")
    }
  }

  /// Reports that the key waits for a touch.
  ///
  /// Another reply follows.
  private func tell(_ event: some VarlinkRecord, _ socket: borrowing Descriptor) {
    guard streams else { return }
    do {
      try socket.send(VarlinkReply(event, continues: true).encoded(on: .helper))
    } catch {
      // If the engine is gone, the request is cancelled.
    }
  }
}

extension KeyFailure {
  /// The failure in the words of the interface.
  fileprivate var word: KeySecretFailure {
    switch self {
    case .noLibrary: .noLibrary
    case .noKey: .noKey
    case .notEnrolled: .anotherKey
    case .severalKeys: .severalKeys
    case .alreadyEnrolled: .alreadyAdded
    case .noSecret: .noSecret
    case .pinNeeded, .verificationBlocked: .pinNeeded
    case .wrongPIN: .wrongPin
    case .pinBlockedUntilReplugged: .pinBlockedUntilReplugged
    case .pinBlocked: .pinBlocked
    case .noPIN: .noPin
    case .alwaysVerifies: .alwaysVerifies
    case .notVerified: .notVerified
    case .timedOut, .declined: .timedOut
    case .cancelled: .cancelled
    case .removed: .removed
    case .notPermitted: .notPermitted
    case .unexpected: .unexpected
    }
  }

  fileprivate var retries: Int? {
    switch self {
    case .pinNeeded(let retries), .wrongPIN(let retries): retries
    default: nil
    }
  }

  fileprivate var code: String? {
    if case .unexpected(let code) = self { "error \(code)" } else { nil }
  }
}
