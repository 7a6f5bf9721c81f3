public import Configuration
internal import Glibc
public import SecretMemory
public import System

/// Waits at a port of this machine for the one redirect that ends a login (RFC 8252, section 7.3).
///
/// Any program and any web page here can connect. Whatever is not the redirect is refused and
/// changes nothing, and so is a redirect of another user's program: a browser's arguments, which
/// everybody here may read, tell port and `state`. Connections that say nothing make way for newer
/// ones; the port is closed with the first redirect.
public final class RedirectListener {
  /// The most connections at once; with one more the oldest goes.
  static let maximumConnections = 32

  /// The port, chosen here where the provider's settings fix none.
  public let port: UInt16
  private let request: RedirectRequest
  private let place: ResultPage.Place
  private var listeners: [LoopbackPort.Socket]
  private var connections: [RedirectConnection] = []
  /// What was refused since it was last told.
  private var strays: [RedirectStray] = []

  /// What came: the query, and the connection that waits for its page.
  public struct Arrival {
    /// All behind the question mark.
    public let query: SharedSecret
    /// Who waits for the page.
    public let connection: RedirectConnection
  }

  /// Binds the address; `localhost` is both, where this machine has both.
  ///
  /// - Parameters:
  ///   - redirect: the address to bind.
  ///   - place: what began the login; the page for another user's browser names it.
  /// - Throws: EADDRINUSE where another program has a fixed port.
  public init(
    at redirect: LoopbackRedirect,
    for place: ResultPage.Place
  ) throws(SystemError) {
    self.place = place
    let bound = try LoopbackPort(redirect, listening: true)
    listeners = bound.sockets
    port = bound.port
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
  ///   - tick: is called about once a second; false ends the wait with the error `interrupted`.
  ///   - stray: is called for an answer that is not taken; the wait goes on.
  /// - Throws: `interrupted`, or why waiting failed.
  /// - Returns: nil at the deadline.
  public func wait(
    interrupt: Int32?,
    until deadline: BootInstant,
    tick: () -> Bool = { true },
    stray: (RedirectStray) -> Void = { _ in }
  ) throws(RedirectWaitError) -> Arrival? {
    defer { close() }
    while true {
      guard tick() else { throw .interrupted }
      let now = BootInstant.now
      guard now < deadline else { return nil }
      connections.removeAll { $0.deadline <= now }
      var entries = [pollfd(fd: interrupt ?? -1, events: Int16(POLLIN), revents: 0)]
      entries += listeners.map {
        pollfd(fd: $0.descriptor.number, events: Int16(POLLIN), revents: 0)
      }
      entries += connections.map { pollfd(fd: $0.socket.number, events: Int16(POLLIN), revents: 0) }
      let left = (deadline.nanoseconds - now.nanoseconds) / 1_000_000 + 1
      let ready = unsafe poll(&entries, nfds_t(entries.count), Int32(clamping: min(left, 1000)))
      guard ready >= 0 || errno == EINTR else {
        throw .system(SystemError("poll", code: errno))
      }
      if entries[0].revents != 0 && ready > 0 { throw .interrupted }
      let arrival = takeIn()
      strays.forEach(stray)
      strays = []
      if let arrival { return arrival }
    }
  }

  /// Stops listening, and hangs up on everyone.
  public func close() {
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
        guard let socket = (try? LoopbackSocket.accept(on: listener.descriptor)) ?? nil else {
          break
        }
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
    case .refused(let status, let stray):
      if let stray { strays.append(stray) }
      connection.refuse(status: status)
    case .redirect(let query):
      if Self.isOurs(connection) { return query }
      strays.append(.user)
      connection.refuse(with: ResultPage(.otherUser, for: place).answer)
    }
    return nil
  }

  /// Whether a program of the same user is at the other end; where that is not known: no.
  private static func isOurs(_ connection: RedirectConnection) -> Bool {
    (try? LoopbackPeer.user(of: connection.socket)) == ThisProcess.user
  }
}

/// Why no redirect is waited for any longer.
public enum RedirectWaitError: Error, Equatable {
  /// Whoever waited no longer wants it.
  case interrupted
  /// Waiting itself failed.
  case system(SystemError)
}
