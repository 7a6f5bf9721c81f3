internal import Synchronization
internal import System

/// A program of a user of this machine that listens at a TCP port, and ends with its owner.
///
/// Running it as another user needs root.
public final class PortHolder: Sendable {
  /// A user that owns nothing here.
  public static let nobody: UInt32 = 65_534

  /// The address at which it listens.
  public enum Place: String, Sendable, CaseIterable {
    case ipv4 = "127.0.0.1"
    case anyIPv4 = "0.0.0.0"
    case ipv6 = "::1"
    /// All IPv6 addresses, without IPv4.
    case anyIPv6 = "::"
    /// All addresses of both families.
    case any = "dual"
    /// An IPv4 address on an IPv6 socket.
    case mapped = "::ffff:127.0.0.1"
  }

  /// The port.
  public let port: UInt16
  private let child: ChildProcess
  private let pipe: Mutex<LinePipe>

  private static let script = """
    import socket, sys
    place, port = sys.argv[1], int(sys.argv[2])
    six = place == "dual" or ":" in place
    def listen(port):
        s = socket.socket(socket.AF_INET6 if six else socket.AF_INET)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if "share" in sys.argv: s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if six: s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, place in ("::", "::1"))
        s.bind(("::" if place == "dual" else place, port))
        s.listen(16)
        return s
    listener, taken = listen(port), None
    print(listener.getsockname()[1], flush=True)
    for line in sys.stdin:
        word = line.strip()
        if word == "accept":
            taken = listener.accept()[0]
        elif word == "close":
            listener.close()
        elif word == "listen":
            listener = listen(int(port))
        elif word == "receive":
            if taken is None:
                listener.settimeout(0.2)
                try: taken = listener.accept()[0]
                except OSError: pass
            count = 0
            if taken:
                taken.settimeout(0.5)
                try: count = len(taken.recv(65536))
                except OSError: pass
            word = str(count)
        print(word, flush=True)
    """

  /// Listens, as this user or as another one.
  ///
  /// - Parameters:
  ///   - place: the address.
  ///   - port: the port, or 0 for any free one.
  ///   - user: the user of the program.
  ///   - isShared: whether other programs of the same user may listen there as well (SO_REUSEPORT).
  /// - Throws: if the program cannot be started, or cannot listen there.
  package init(
    at place: Place = .ipv4,
    port: UInt16 = 0,
    user: UInt32 = ThisProcess.user,
    isShared: Bool = false
  ) throws {
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let python =
      ["/usr/bin/python3", "-c", Self.script, place.rawValue, "\(port)"]
      + (isShared ? ["share"] : [])
    let become = ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
    let command = user == ThisProcess.user ? python : become + python
    child = try ChildProcess(
      path: command[0],
      arguments: Array(command.dropFirst()),
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [theirs.number, theirs.number, 2]
    )
    _ = consume theirs
    var pipe = LinePipe(ours)
    guard let port = UInt16(try pipe.readLine()) else { throw DevBackendError.didNotStart }
    self.port = port
    self.pipe = Mutex(pipe)
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// Accepts one connection, now or when it comes.
  public func accept() throws { _ = try say("accept") }

  /// Stops listening.
  ///
  /// An accepted connection stays open.
  public func close() throws { _ = try say("close") }

  /// How many bytes have come, over the accepted connection or a waiting one, within half a second.
  public func received() throws -> Int { Int(try say("receive")) ?? -1 }

  private func say(_ word: String) throws -> String {
    try pipe.withLock { pipe in
      try pipe.write(Array(word.utf8))
      return try pipe.readLine()
    }
  }
}
