internal import Glibc
public import SecretMemory
internal import System

/// One request, and all that decides where it goes and whom it trusts.
///
/// Nothing else does: no environment variable, no file of the user, no redirect.
public struct HTTPRequest: Sendable {
  /// The longest answer that is taken unless a request says otherwise: 60 KiB.
  public static let defaultMaximumBody = 60 * 1024

  /// The method in capitals, such as `POST`; CONNECT and TRACE are refused.
  public var method: String

  /// An absolute URL: https, or http on a loopback host, in printable ASCII.
  public var url: String

  /// Headers as `Name: value`; those that HTTP itself needs are added and must not be given.
  public var headers: [String] = []

  /// The value of a header `Authorization` that holds a secret; it must not be among the headers.
  public var credentials: SharedSecret?

  /// What is sent after the headers; nil sends no body.
  public var body: SharedSecret?

  /// Certificate authorities in PEM, trusted instead of the system's; nil trusts the system's.
  public var authorities: String?

  /// Public keys as `sha256//` and base64, one of which the server must have.
  ///
  /// A pin comes on top of the checks of authority, name and date and replaces none of them.
  public var pins: [String] = []

  /// A proxy's URL; nil goes directly, and a loopback host is always reached directly.
  public var proxy: String?

  /// Whether it may go to this machine or to its link (`LocalAddress`), or through a proxy there.
  ///
  /// What counts is the address that is connected to, whatever name or number led to it.
  public var mayReachThisMachine = true

  /// The users, besides root, whose programs may get the request over loopback in plain text, or be
  /// its proxy there; this process's own unless others are named.
  ///
  /// TLS proves who the other side is. Plain text reaches whatever program has taken the port.
  public var loopbackUsers: Set<UInt32> = [geteuid()]

  /// Milliseconds for all of it, from the name's resolution to the answer's last byte.
  public var timeout: Int = 30_000

  /// Milliseconds for the connection, from the name's resolution to the end of the TLS handshake; what
  /// of `timeout` is left ends it as well.
  public var connectTimeout: Int = 10_000

  /// The most bytes of an answer's body.
  public var maximumBody: Int = defaultMaximumBody

  /// A directory of hashed certificates that stands for the system's, for tests.
  package var systemAuthorities: String?

  /// Has the kernel's tables and this room's types looked up, which happens once, before there is a request.
  public static func prepare() {
    // The port of discard (RFC 863), at which nothing is looked for.
    let address = LoopbackAddress([127, 0, 0, 1], port: 9)
    _ = address.flatMap { try? LoopbackServer(at: $0, for: []) }
  }

  /// Makes a request; what is not named here can be set afterwards.
  public init(method: String, url: String) {
    self.method = method
    self.url = url
  }
}

/// A whole answer, whatever its status.
public struct HTTPAnswer: ~Copyable, Sendable {
  /// The status code, such as 200; a redirect is an answer like any other.
  public let status: Int

  /// Seconds to wait before the next try (RFC 9110 section 10.2.3), 1 to `maximumRetryAfter`.
  public let retryAfter: Int?

  /// The body, which may hold tokens.
  public let body: SecretBytes

  /// Gives the body away.
  public consuming func takeBody() -> SecretBytes { body }

  /// The longest wait that a server can ask for: a day.
  public static let maximumRetryAfter = 86_400

  init(status: Int, retryAfter: Int?, body: consuming SecretBytes) {
    self.status = status
    self.retryAfter = retryAfter
    self.body = body
  }
}
