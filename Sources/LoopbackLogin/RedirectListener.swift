package import Configuration
internal import Glibc
package import SecretMemory
package import System

/// Waits at a port of this machine for the redirect that ends a sign-in (RFC 8252, section 7.3).
///
/// Any program and any web page on this machine can connect. Every request that is not the redirect
/// is refused and changes nothing. The answer to another sign-in is refused as well. A redirect
/// from another user's program is refused too: a browser's arguments, which every local user can
/// read, reveal port and `state`. Silent connections make room for newer ones. The port is closed
/// after the first redirect.
package final class RedirectListener {
  /// The most simultaneous connections; one more drops the oldest.
  static let maximumConnections = 32

  /// The port, chosen here if the provider's settings do not fix one.
  package let port: UInt16
  private var request: RedirectRequest
  private let origin: ResultPage.Origin
  private var listeners: [LoopbackPort.Socket]
  private var connections: [RedirectConnection] = []
  /// The refused requests that were not reported yet.
  private var strays: [RedirectStray] = []

  /// The received redirect: its query, and the connection that waits for its page.
  package struct Arrival {
    /// The text after the question mark.
    package let query: SharedSecret
    /// The connection that waits for the page.
    package let connection: RedirectConnection
  }

  /// Binds the address; `localhost` means both addresses if this machine has both.
  ///
  /// - Parameters:
  ///   - redirect: the address to bind.
  ///   - origin: the origin of the sign-in; the page for another user's browser names it.
  /// - Throws: EADDRINUSE if another program has a fixed port.
  package init(at redirect: LoopbackRedirect, for origin: ResultPage.Origin) throws(SystemError) {
    self.origin = origin
    let bound = try LoopbackPort(redirect, listening: true)
    listeners = bound.sockets
    port = bound.port
    request = RedirectRequest(
      path: redirect.path.isEmpty ? "/" : redirect.path,
      authority: "\(redirect.host):\(port)"
    )
  }

  /// Waits for the redirect, and closes the port in any case.
  ///
  /// - Parameters:
  ///   - address: the address that the browser opens; an answer with another `state` than the one
  ///     in it is not accepted. `nil` accepts any.
  ///   - interrupt: a descriptor that ends the wait with the error `interrupted` when it becomes
  ///     readable.
  ///   - deadline: the end of the wait.
  ///   - tick: called about once a second; false ends the wait with the error `interrupted`.
  ///   - stray: called for an answer that is not accepted; the wait continues.
  /// - Throws: `interrupted`, or the reason why waiting failed.
  /// - Returns: `nil` at the deadline.
  package func wait(
    for address: String? = nil,
    interrupt: Int32?,
    until deadline: BootInstant,
    tick: () -> Bool = { true },
    stray: (RedirectStray) -> Void = { _ in }
  ) throws(RedirectWaitError) -> Arrival? {
    defer { close() }
    request.state = address.flatMap { RedirectRequest.state(of: $0) }
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
      guard ready >= 0 || errno == EINTR else { throw .system(SystemError("poll", code: errno)) }
      if entries[0].revents != 0 && ready > 0 { throw .interrupted }
      let arrival = takeIn()
      strays.forEach(stray)
      strays = []
      if let arrival { return arrival }
    }
  }

  /// Stops listening and closes all connections.
  package func close() {
    listeners = []
    connections = []
  }

  /// Reads from every connection, including new ones.
  ///
  /// A browser sends the redirect together with its connection. So a flood of other connections
  /// cannot displace it before it is read.
  private func takeIn() -> Arrival? {
    for connection in connections {
      if let query = look(at: connection) { return Arrival(query: query, connection: connection) }
    }
    for listener in listeners {
      for _ in 0..<Self.maximumConnections {
        // An error here concerns one connection or is temporary; the deadline still applies.
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
      if stray == .state {
        connection.refuse(with: ResultPage(.otherSignIn, for: origin).answer)
      } else {
        connection.refuse(status: status)
      }
    case .redirect(let query):
      if Self.isOurs(connection) { return query }
      strays.append(.user)
      connection.refuse(with: ResultPage(.otherUser, for: origin).answer)
    }
    return nil
  }

  /// Whether a program of the same user is at the other end; false if unknown.
  private static func isOurs(_ connection: RedirectConnection) -> Bool {
    (try? LoopbackPeer.user(of: connection.socket)) == ThisProcess.user
  }
}

/// Why the wait for a redirect ended.
package enum RedirectWaitError: Error, Equatable {
  /// The caller ended the wait.
  case interrupted
  /// Waiting itself failed.
  case system(SystemError)
}
