internal import Configuration
internal import Glibc
internal import SecretMemory
internal import System

/// Waits at a port of this machine for the one redirect that ends a login (RFC 8252, section 7.3).
///
/// Any program and any web page here can connect. Whatever is not the redirect is refused and
/// changes nothing, and so is a redirect of another user's program: a browser's arguments, which
/// everybody here may read, tell port and `state`. Connections that say nothing make way for newer
/// ones; the port is closed with the first redirect.
final class RedirectListener {
  /// The most connections at once; with one more the oldest goes.
  static let maximumConnections = 32
  /// How often a free port is looked for that both addresses of localhost have.
  private static let tries = 20

  /// The port, chosen here where the provider's settings fix none.
  let port: UInt16
  private let request: RedirectRequest
  private var listeners: [Listener]
  private var connections: [RedirectConnection] = []

  /// One listening socket; an array cannot hold a descriptor.
  private final class Listener {
    let socket: Descriptor

    init(_ socket: consuming Descriptor) {
      self.socket = socket
    }
  }

  /// What came: the query, and the connection that waits for its page.
  struct Arrival {
    let query: SharedSecret
    let connection: RedirectConnection
  }

  /// Binds the address; `localhost` is both, where this machine has both.
  ///
  /// - Throws: EADDRINUSE where another program has a fixed port.
  init(at redirect: LoopbackRedirect) throws(SystemError) {
    let families: [LoopbackSocket.Family] =
      switch redirect.host {
      case "localhost": [.ipv4, .ipv6]
      case "[::1]": [.ipv6]
      default: [.ipv4]
      }
    listeners = try Self.listeners(families, port: redirect.port)
    port = try LoopbackSocket.port(of: listeners[0].socket)
    request = RedirectRequest(
      path: redirect.path.isEmpty ? "/" : redirect.path,
      authority: "\(redirect.host):\(port)"
    )
  }

  /// Waits for the redirect; the port is closed afterwards, whatever came.
  ///
  /// - Parameters:
  ///   - interrupt: ends the wait with the error `interrupted` once it is readable.
  ///   - deadline: when nobody waits any longer.
  ///   - tick: is called about once a second.
  /// - Throws: what `tick` throws, or `interrupted`.
  /// - Returns: nil at the deadline.
  func wait(
    interrupt: Int32?,
    until deadline: BootInstant,
    tick: () throws(CommandError) -> Void
  ) throws(CommandError) -> Arrival? {
    defer { close() }
    while true {
      try tick()
      let now = BootInstant.now
      guard now < deadline else { return nil }
      connections.removeAll { $0.deadline <= now }
      var entries = [pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0)]
      entries += listeners.map { pollfd(fd: $0.socket.number, events: Int16(POLLIN), revents: 0) }
      entries += connections.map { pollfd(fd: $0.socket.number, events: Int16(POLLIN), revents: 0) }
      let left = (deadline.nanoseconds - now.nanoseconds) / 1_000_000 + 1
      let ready = unsafe poll(&entries, nfds_t(entries.count), Int32(clamping: min(left, 1000)))
      guard ready >= 0 || errno == EINTR else {
        throw CommandError(.bug, "\(SystemError("poll", code: errno))")
      }
      if entries[0].revents != 0 && ready > 0 { throw CommandError.interrupted }
      if let arrival = takeIn() { return arrival }
    }
  }

  /// Stops listening, and hangs up on everyone.
  func close() {
    listeners = []
    connections = []
  }

  /// Looks at every connection, new ones too: the redirect of a browser comes with its connection,
  /// so that no crowd of others pushes it out before it is seen.
  private func takeIn() -> Arrival? {
    for connection in connections {
      if let query = look(at: connection) { return Arrival(query: query, connection: connection) }
    }
    for listener in listeners {
      for _ in 0..<Self.maximumConnections {
        // What goes wrong here concerns one connection, or passes; there is the deadline.
        guard let socket = (try? LoopbackSocket.accept(on: listener.socket)) ?? nil else { break }
        if connections.count >= Self.maximumConnections { connections.removeFirst() }
        let connection = RedirectConnection(socket)
        connections.append(connection)
        if let query = look(at: connection) { return Arrival(query: query, connection: connection) }
      }
    }
    return nil
  }

  private func look(at connection: RedirectConnection) -> SharedSecret? {
    switch connection.look(for: request) {
    case .waiting: return nil
    case .over: connections.removeAll { $0 === connection }
    case .refused(let status): connection.refuse(status: status)
    case .redirect(let query):
      if Self.isOurs(connection) { return query }
      connection.refuse(status: 403)
    }
    return nil
  }

  /// Whether a program of the same user is at the other end; where that is not known: no.
  private static func isOurs(_ connection: RedirectConnection) -> Bool {
    (try? LoopbackPeer.user(of: connection.socket)) == ThisProcess.user
  }

  private static func listeners(
    _ families: [LoopbackSocket.Family],
    port: UInt16?
  ) throws(SystemError) -> [Listener] {
    for _ in 0..<tries {
      do throws(SystemError) {
        return try bind(families, port: port)
      } catch {
        // A port that is free at one address of localhost may be taken at the other.
        guard error.code == EADDRINUSE, port == nil else { throw error }
      }
    }
    throw SystemError("bind", code: EADDRINUSE)
  }

  private static func bind(
    _ families: [LoopbackSocket.Family],
    port: UInt16?
  ) throws(SystemError) -> [Listener] {
    var bound: [Listener] = []
    var port = port ?? 0
    for family in families {
      do throws(SystemError) {
        let socket = try LoopbackSocket.bind(family, port: port)
        try LoopbackSocket.listen(at: socket)
        port = try LoopbackSocket.port(of: socket)
        bound.append(Listener(socket))
      } catch {
        // A machine without IPv6 has one localhost; a port that another program has is its own
        // matter at either: the browser might bring the code there.
        let isMissing = [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.code)
        guard isMissing, families.count > 1 else { throw error }
      }
    }
    guard !bound.isEmpty else { throw SystemError("bind", code: EADDRNOTAVAIL) }
    return bound
  }
}
