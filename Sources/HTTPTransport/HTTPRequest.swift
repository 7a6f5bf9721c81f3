internal import Glibc
package import SecretMemory
internal import System

/// One HTTP request, with everything that decides its destination and its trust.
///
/// Nothing else has an influence: no environment variable, no file of the user, no redirect.
package struct HTTPRequest: Sendable {
  /// The default limit of an answer's body: 60 KiB.
  package static let defaultMaximumBody = 60 * 1024

  /// The method in upper case, such as `POST`; CONNECT and TRACE are refused.
  package var method: String

  /// An absolute URL: https, or http on a loopback host, in printable ASCII.
  package var url: String

  /// Headers as `Name: value`; those that HTTP itself needs are added and must not be given.
  package var headers: [String] = []

  /// The value of a header `Authorization` that holds a secret; it must not be in `headers` too.
  package var credentials: SharedSecret?

  /// The bytes after the headers; `nil` sends no body.
  package var body: SharedSecret?

  /// Certificate authorities in PEM, trusted instead of the system's; `nil` trusts the system's.
  package var authorities: String?

  /// Public keys as `sha256//` and base64; the server must have one of them.
  ///
  /// Pins are checked in addition to authority, name and date, and replace none of these checks.
  package var pins: [String] = []

  /// The URL of a proxy; `nil` connects directly.
  ///
  /// A loopback host is always reached directly.
  package var proxy: String?

  /// Whether the request may reach this machine or its link (`LocalAddress`), or a proxy there.
  ///
  /// The check uses the actual address of the connection, not the name or number in the URL.
  package var mayReachThisMachine = true

  /// The users, besides root, whose programs may be the server or the proxy at a plain loopback
  /// address; by default this process's user.
  ///
  /// TLS proves the identity of the other side. Plain text reaches any program that listens on the
  /// port.
  package var loopbackUsers: Set<UInt32> = [geteuid()]

  /// The time limit in milliseconds, from the name resolution to the last byte of the answer.
  package var timeout: Int = 30_000

  /// The time limit of the connection in milliseconds, from the name resolution to the end of the
  /// TLS handshake.
  ///
  /// The rest of `timeout` limits it too.
  package var connectTimeout: Int = 10_000

  /// The most bytes of an answer's body.
  package var maximumBody: Int = defaultMaximumBody

  /// The files of the system's authorities.
  package var systemAuthorities = AuthorityFiles.system

  /// Makes a request; the other properties can be set afterwards.
  package init(method: String, url: String) {
    self.method = method
    self.url = url
  }
}

/// A complete answer of any status.
package struct HTTPAnswer: ~Copyable, Sendable {
  /// The status code, such as 200; a redirect is returned like any other answer.
  package let status: Int

  /// Seconds to wait before the next try (RFC 9110 section 10.2.3), 1 to `maximumRetryAfter`.
  package let retryAfter: Int?

  /// The target of a redirect, which is not followed.
  package let location: String?

  /// The body, which may hold tokens.
  package let body: SecretBytes

  package consuming func takeBody() -> SecretBytes { body }

  /// The longest wait that a server can request: a day.
  package static let maximumRetryAfter = 86_400

  init(status: Int, retryAfter: Int?, location: String?, body: consuming SecretBytes) {
    self.status = status
    self.retryAfter = retryAfter
    self.location = location
    self.body = body
  }
}
