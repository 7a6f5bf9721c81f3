internal import TokenVault
internal import VaultInterface

extension Dispatcher {
  /// Lists the fingers, or removes one.
  func fingers(
    _ request: VaultRequest,
    _ caller: Caller
  ) async throws(VaultFailure) -> VarlinkReply {
    if case .deleteFinger(let call) = request {
      let left = try await vault.delete(finger: call.finger, prompt: call.prompt, caller: caller)
      return try Self.made(DeleteFingerReply(fingers: left.fingers, onReader: left.onReader))
    }
    let facts = try await vault.fingers(of: caller)
    return try Self.made(
      ListFingersReply(
        fingers: facts.fingers,
        reader: VaultReader(await vault.reader()),
        desktopFingers: facts.desktop,
        fingerSource: FingerSource(facts.source),
        fingerReason: facts.reason
      )
    )
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
