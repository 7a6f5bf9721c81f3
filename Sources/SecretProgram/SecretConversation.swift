internal import Glibc
internal import HelperInterface
internal import MachineKey
internal import SecretMemory
internal import SecurityKey
internal import System
internal import TPM
internal import Varlink

/// The conversation with the engine: one request to the TPM or to a security key, and its answers.
///
/// Only the opening of a secret may have a second request, to read a counter, because the engine
/// compares each key that it opens. The libraries keep copies of secrets and authorization values,
/// which disappear with the process.
struct SecretConversation: ~Copyable {
  /// Seconds after which a change of a counter ends in any case.
  ///
  /// The engine waits 10 s, and then reads the counter.
  private static let changeLifetime: UInt32 = 8

  private let socket = Descriptor(owning: 0)
  /// The engine's user.
  private let engine: UInt32
  private let device: String
  /// The security keys; `nil` if this process uses none.
  private let keys: KeyNodes?

  /// Makes a conversation on descriptor 0 with the engine that runs as this user.
  init(engine: UInt32, device: String, keys: KeyNodes?) {
    self.engine = engine
    self.device = device
    self.keys = keys
  }

  /// Serves one request, and a read of a counter after an opening; false if there was no request.
  consuming func run() -> Bool {
    var isServed = false
    do {
      // Only the engine may use this process.
      guard try socket.peerCredentials().user == engine else { return false }
      try socket.setNonblocking(false)
      var buffer = MessageBuffer(.helper)
      let call = try nextCall(&buffer)
      if isChange(call) {
        guard engineWaits else { return false }
        alarm(Self.changeLifetime)
      }
      try socket.send(answer(call).encoded(on: .helper))
      isServed = true
      guard case .openSecret? = try? HelperRequest(call) else { return true }
      let next = try nextCall(&buffer)
      guard case .readCounter? = try? HelperRequest(next) else { return true }
      try socket.send(answer(next).encoded(on: .helper))
    } catch {
      // The engine has closed its side, or has failed.
    }
    return isServed
  }

  /// Waits for a call.
  ///
  /// - Throws: an error also if the engine has closed its side.
  private func nextCall(_ buffer: inout MessageBuffer) throws -> VarlinkCall {
    while true {
      if let call = try buffer.nextCall() { return call }
      _ = try buffer.receive(from: socket)
    }
  }

  /// Whether the engine still waits for the answer.
  ///
  /// The successor of a killed engine, and an engine that stopped waiting, read the counter before
  /// they change it.
  private var engineWaits: Bool { (try? socket.waitReadable(milliseconds: 0)) == false }

  /// Whether a call increments a counter, or replaces its authorization value.
  private func isChange(_ call: VarlinkCall) -> Bool {
    switch try? HelperRequest(call) {
    case .incrementCounter, .confirmCounter: true
    default: false
    }
  }

  private func answer(_ call: VarlinkCall) throws(MessageError) -> VarlinkReply {
    let request: HelperRequest
    do throws(VarlinkError) {
      request = try HelperRequest(call)
    } catch {
      return error.reply
    }
    return switch request {
    case .getTPM: try VarlinkReply(facts())
    case .sealSecret(let call): try VarlinkReply(seal(call))
    case .openSecret(let call): try VarlinkReply(open(call))
    case .defineCounter(let call):
      try VarlinkReply(
        counter(call.parentName) { tpm throws(TPMFailure) in
          let counter = try tpm.defineCounter(
            index(call.index),
            authorization: call.authorization
          )
          guard engineWaits else {
            // The engine or its successor may already have checked whether it exists.
            try tpm.removeCounter(counter.index, authorization: call.authorization)
            throw .engineGone
          }
          return counter
        }
      )
    case .readCounter(let call):
      try VarlinkReply(
        counter(call.parentName) { tpm throws(TPMFailure) in
          try tpm.readCounter(index(call.index), authorization: call.authorization)
        }
      )
    case .incrementCounter(let call):
      try VarlinkReply(
        counter(call.parentName) { tpm throws(TPMFailure) in
          try tpm.incrementCounter(index(call.index), authorization: call.authorization) {
            engineWaits
          }
        }
      )
    case .confirmCounter(let call):
      try VarlinkReply(
        counter(call.parentName) { tpm throws(TPMFailure) in
          try tpm.confirmCounter(
            index(call.index),
            authorization: call.authorization,
            next: call.nextAuthorization
          ) { engineWaits }
        }
      )
    case .removeCounter(let call): try VarlinkReply(remove(call))
    case .getKey, .makeKeySecret, .openKeySecret: try answerByKey(request, call)
    case .exchange, .request, .proceed, .loadPrint, .check, .respond, .enroll, .keep,
      .deletePrints, .getReader, .listEnrolled:
      VarlinkError.methodNotImplemented(call.method).reply
    }
  }

  private func answerByKey(
    _ request: HelperRequest,
    _ call: VarlinkCall
  ) throws(MessageError) -> VarlinkReply {
    guard let keys else { return VarlinkError.methodNotImplemented(call.method).reply }
    return try KeyConversation(keys: keys, streams: call.more).answer(request, on: socket)
  }

  private func facts() -> TPMFactsReply {
    do throws(TPMFailure) {
      let facts = try TPMDevice(path: device).facts()
      return .done(maker: facts.maker, version: facts.firmware)
    } catch {
      return .failed(error.word, detail: error.detail)
    }
  }

  private func seal(_ call: SealSecretCall) -> SealedSecretReply {
    do throws(TPMFailure) {
      let sealed = try TPMDevice(path: device).seal(
        call.secret,
        authorization: call.authorization
      )
      return .done(
        parentName: sealed.parentName,
        privatePart: sealed.privatePart,
        publicPart: sealed.publicPart
      )
    } catch {
      return .failed(error.word, detail: error.detail)
    }
  }

  private func open(_ call: OpenSecretCall) -> OpenedSecretReply {
    let sealed = TPMSealedSecret(
      parentName: call.parentName,
      privatePart: call.privatePart,
      publicPart: call.publicPart
    )
    do throws(TPMFailure) {
      return .done(
        secret: try TPMDevice(path: device).open(sealed, authorization: call.authorization)
      )
    } catch {
      return .failed(error.word, detail: error.detail)
    }
  }

  private func counter(
    _ parentName: [UInt8]?,
    _ body: (TPMDevice) throws(TPMFailure) -> TPMCounter
  ) -> CounterReply {
    do throws(TPMFailure) {
      let counter = try body(TPMDevice(path: device, parentName: parentName))
      guard let value = Int(exactly: counter.value) else {
        return .failed(.unexpected, detail: "the counter is at its end")
      }
      return .done(index: Int(counter.index), value: value)
    } catch {
      return .failed(error.word, detail: error.detail)
    }
  }

  private func remove(_ call: RemoveCounterCall) -> RemovedCounterReply {
    do throws(TPMFailure) {
      try TPMDevice(path: device, parentName: call.parentName).removeCounter(
        index(call.index),
        authorization: call.authorization
      )
      return .done
    } catch {
      return error == .noCounter ? .done : .failed(error.word, detail: error.detail)
    }
  }

  private func index(_ number: Int) throws(TPMFailure) -> UInt32 {
    guard let index = UInt32(exactly: number) else { throw .noCounter }
    return index
  }
}

extension TPMFailure {
  /// The failure in the words of the interface.
  fileprivate var word: SecretFailure {
    switch self {
    case .absent: .absent
    case .notPermitted: .notPermitted
    case .anotherTPM: .anotherTPM
    case .ownerPassword: .ownerPassword
    case .wrongAuthorization: .wrongAuthorization
    case .damaged: .damaged
    case .busy: .busy
    case .lockedOut: .lockedOut
    case .noCounter: .noCounter
    case .noRoom: .noRoom
    case .indexTaken: .indexTaken
    case .unexpected, .unreachable: .unexpected
    }
  }

  fileprivate var detail: String? {
    switch self {
    case .unexpected(let text), .unreachable(let text): text
    default: nil
    }
  }
}
