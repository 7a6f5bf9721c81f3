package import Configuration
internal import Glibc
package import System

/// A port at every loopback address of a redirect.
///
/// `localhost` means both 127.0.0.1 and ::1 if this machine has both.
package final class LoopbackPort {
  /// The number of attempts to find a port that is free at both addresses of localhost.
  private static let tries = 20

  /// A bound socket; an array cannot hold a descriptor.
  final class Socket {
    let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
      self.descriptor = descriptor
    }
  }

  /// The port, chosen here if the redirect does not fix one.
  package let port: UInt16
  let sockets: [Socket]

  /// Binds the port.
  ///
  /// - Parameters:
  ///   - redirect: the redirect URI of the browser.
  ///   - listening: whether to accept connections. Otherwise they are refused, and no other program
  ///     receives any during the lifetime of this object.
  /// - Throws: EADDRINUSE if another program has a fixed port at either address: the browser might
  ///   send the code there.
  package init(_ redirect: LoopbackRedirect, listening: Bool) throws(SystemError) {
    let families: [LoopbackSocket.Family] =
      switch redirect.host {
      case "localhost": [.ipv4, .ipv6]
      case "[::1]": [.ipv6]
      default: [.ipv4]
      }
    sockets = try Self.bound(families, port: redirect.port, listening)
    port = try LoopbackSocket.port(of: sockets[0].descriptor)
  }

  private static func bound(
    _ families: [LoopbackSocket.Family],
    port: UInt16?,
    _ listening: Bool
  ) throws(SystemError) -> [Socket] {
    for _ in 0..<tries {
      do throws(SystemError) {
        return try bind(families, port: port ?? 0, listening)
      } catch {
        // A port that is free at one address of localhost may be in use at the other.
        guard error.code == EADDRINUSE, port == nil else { throw error }
      }
    }
    throw SystemError("bind", code: EADDRINUSE)
  }

  private static func bind(
    _ families: [LoopbackSocket.Family],
    port: UInt16,
    _ listening: Bool
  ) throws(SystemError) -> [Socket] {
    var bound: [Socket] = []
    var port = port
    for family in families {
      do throws(SystemError) {
        let socket = try LoopbackSocket.bind(family, port: port, reuse: listening)
        if listening { try LoopbackSocket.listen(at: socket) }
        port = try LoopbackSocket.port(of: socket)
        bound.append(Socket(socket))
      } catch {
        // Without IPv6, localhost has only one address.
        let isMissing = [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.code)
        guard isMissing, families.count > 1 else { throw error }
      }
    }
    guard !bound.isEmpty else { throw SystemError("bind", code: EADDRNOTAVAIL) }
    return bound
  }
}
