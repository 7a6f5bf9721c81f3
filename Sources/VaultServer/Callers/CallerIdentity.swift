internal import System
internal import TokenVault

// Identifies a caller by the kernel's facts about its connection.
extension Caller {
  /// The caller behind a connection; `nil` if the process that connected is gone.
  ///
  /// Authority belongs to that process. After its end, its number may belong to another process. So
  /// check that it is alive after its facts were read.
  init?(_ peer: Peer, connection: UInt64) {
    var ancestry = Ancestry(of: peer.identifier)
    let requester = Provenance.requester(of: peer.identifier, &ancestry)
    let terminal = ancestry.entry(0)?.facts.terminal
    guard peer.isAlive else { return nil }
    self.init(
      connection: connection,
      user: peer.credentials.user,
      requester: requester,
      peer: peer,
      ancestry: ancestry,
      terminal: terminal
    )
  }
}
