internal import System
internal import TokenVault

// The identification of a caller, by what the kernel says of its connection.
extension Caller {
  /// The caller behind a connection; `nil` if the process that connected is gone.
  ///
  /// Authority belongs to that process. After its end, its number may belong to another process. So
  /// check that it is alive after its facts were read.
  init?(_ peer: Peer, connection: UInt64) {
    let facts = ProcessFacts(process: peer.identifier)
    let requester = Provenance.requester(of: peer.identifier, facts)
    guard peer.isAlive else { return nil }
    self.init(
      connection: connection,
      user: peer.credentials.user,
      requester: requester,
      peer: peer,
      terminal: facts?.terminal
    )
  }
}
