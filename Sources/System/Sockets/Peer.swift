/// The program at the other end of a Unix socket, held from the moment it was accepted.
///
/// Its permissions belong to this connection, during the lifetime of the process that made it.
package final class Peer: Sendable {
  package let socket: Descriptor
  /// The credentials that the kernel recorded at connect(2).
  package let credentials: PeerCredentials
  private let process: ProcessHandle

  package init(
    _ socket: consuming Descriptor,
    _ credentials: PeerCredentials,
    _ process: consuming ProcessHandle
  ) {
    self.socket = socket
    self.credentials = credentials
    self.process = process
  }

  /// The process id; another process may have it as soon as `isAlive` is false.
  package var identifier: Int32 { process.identifier }

  /// Whether the process that connected still runs.
  ///
  /// Facts read about its number before this returns true belong to that process.
  package var isAlive: Bool { process.isAlive }
}
