import System

extension Peer {
  /// The process at the other end of a connection.
  convenience init(of socket: consuming Descriptor) throws {
    let credentials = try socket.peerCredentials()
    let process = try ProcessHandle(peerOf: socket, credentials)
    self.init(socket, credentials, process)
  }

  /// This process at the other end of a connection.
  static func thisProcess() throws -> Peer {
    let (near, far) = try UnixSocket.pair()
    _ = Descriptor(owning: far)
    return try Peer(of: Descriptor(owning: near))
  }
}
