/// The program at the other end of a Unix socket, held from the moment it was accepted: what it may
/// do belongs to this connection, for as long as the process that made it lives.
public final class Peer: Sendable {
  /// The connection.
  public let socket: Descriptor
  /// What the kernel recorded at connect(2).
  public let credentials: PeerCredentials
  private let process: ProcessHandle

  /// Takes a connection, and the process that made it.
  public init(
    _ socket: consuming Descriptor,
    _ credentials: PeerCredentials,
    _ process: consuming ProcessHandle
  ) {
    self.socket = socket
    self.credentials = credentials
    self.process = process
  }

  /// The process id; it may be another's as soon as `isAlive` is false.
  public var identifier: Int32 { process.identifier }

  /// Whether the process that connected still runs: what was read about its number before this said
  /// true was read of that process.
  public var isAlive: Bool { process.isAlive }
}
