internal import TokenVault
internal import VaultInterface

extension Dispatcher {
  /// Answers whether the trail is whole; others are served meanwhile.
  func verifyAudit() async throws(VaultFailure) -> VarlinkReply {
    try Self.made(VerifyAuditReply(try await vault.verifyTrail()))
  }
}

extension VerifyAuditReply {
  init(_ facts: TrailFacts) {
    func wire(_ number: Int64?) -> Int? { number.map { Int(clamping: $0) } }
    self.init(
      whole: facts.isWhole,
      records: facts.records,
      first: Int(clamping: facts.first),
      last: Int(clamping: facts.last),
      firstTime: wire(facts.firstTime),
      lastTime: wire(facts.lastTime),
      bad: wire(facts.bad),
      badTime: wire(facts.badTime),
      problem: facts.problem
    )
  }
}
