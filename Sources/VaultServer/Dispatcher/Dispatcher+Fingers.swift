internal import TokenVault
internal import VaultInterface

// Methods for the reader and the fingers.
extension Dispatcher {
  func getReader(_ call: GetReaderCall) async throws(VaultFailure) -> GetReaderReply {
    GetReaderReply(reader: VaultReader(await vault.reader()))
  }

  func listFingers(_ call: ListFingersCall) async throws(VaultFailure) -> ListFingersReply {
    let facts = try await vault.fingers(of: caller)
    return ListFingersReply(
      fingers: facts.fingers,
      reader: VaultReader(await vault.reader()),
      desktopFingers: facts.desktop,
      fingerSource: FingerSource(facts.source),
      fingerReason: facts.reason
    )
  }

  func enrollFinger(_ call: EnrollFingerCall) async throws(VaultFailure) -> EnrollFingerReply {
    let stages = Stages()
    let finger = call.finger ?? "right-index"
    let done = try await vault.enroll(call.finger, prompt: call.prompt, caller: caller) { event in
      if let stage = stages.reply(to: event, finger) { context.send(stage) }
    }
    let (stage, of) = stages.last
    return EnrollFingerReply(event: .done, finger: done, stage: of > 0 ? of : stage, stages: of)
  }

  func deleteFinger(_ call: DeleteFingerCall) async throws(VaultFailure) -> DeleteFingerReply {
    let left = try await vault.delete(finger: call.finger, prompt: call.prompt, caller: caller)
    return DeleteFingerReply(fingers: left.fingers, onReader: left.onReader)
  }
}

extension FingerSource {
  init(_ source: DesktopFingers.Source?) {
    switch source {
    case nil: self = .own
    case .prints: self = .fprintd
    case .names: self = .namesOnly
    }
  }
}
