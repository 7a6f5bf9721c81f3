/// The program at the other end of a Unix socket, held from the moment it was accepted: what it may
/// do belongs to this connection, for as long as the process that made it lives.
public final class Peer: Sendable {
  /// The connection.
  public let socket: Descriptor
  /// What the kernel recorded at connect(2).
  public let credentials: PeerCredentials
  private let process: ProcessHandle

  /// Takes a connection.
  ///
  /// - Throws: ESRCH for a process that is gone, or the error of getsockopt(2).
  public init(_ socket: consuming Descriptor) throws(SystemError) {
    credentials = try socket.peerCredentials()
    process = try ProcessHandle(peerOf: socket, credentials)
    self.socket = socket
  }

  /// The process id; it may be another's as soon as `isAlive` is false.
  public var identifier: Int32 { process.identifier }

  /// Whether the process that connected still runs: what was read about its number before this said
  /// true was read of that process.
  public var isAlive: Bool { process.isAlive }
}
