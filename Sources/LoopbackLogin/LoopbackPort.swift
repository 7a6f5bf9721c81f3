public import Configuration
internal import Glibc
public import System

/// One port, at each address of this machine that a redirect may lead to: `localhost` is both
/// 127.0.0.1 and ::1 where this machine has both.
public final class LoopbackPort {
  /// How often a free port is looked for that both addresses of localhost have.
  private static let tries = 20

  /// One bound socket; an array cannot hold a descriptor.
  final class Socket {
    let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
      self.descriptor = descriptor
    }
  }

  /// The port, chosen here where the redirect fixes none.
  public let port: UInt16
  let sockets: [Socket]

  /// Takes the port.
  ///
  /// - Parameters:
  ///   - redirect: where the browser is sent.
  ///   - listening: whether connections may come; else they are refused, and no other program gets
  ///     any as long as this lives.
  /// - Throws: EADDRINUSE where another program has a fixed port, at either address: the browser
  ///   might bring the code there.
  public init(_ redirect: LoopbackRedirect, listening: Bool) throws(SystemError) {
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
        // A port that is free at one address of localhost may be taken at the other.
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
        // A machine without IPv6 has one localhost.
        let isMissing = [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.code)
        guard isMissing, families.count > 1 else { throw error }
      }
    }
    guard !bound.isEmpty else { throw SystemError("bind", code: EADDRNOTAVAIL) }
    return bound
  }
}
