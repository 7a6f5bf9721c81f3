import Glibc
import Synchronization
import WebServer

/// Decides which requests may see the pages: only those of the browser that has the key.
///
/// Any user of the machine can reach its loopback ports, and so can any page in the browser.
final class Browsers: Sendable {
  /// The decision about a request.
  enum Judgement {
    /// Answer the request.
    case known
    /// The request has the key and gets this answer.
    case welcome(WebResponse)
    /// Answer only with this status.
    case refused(status: Int)
  }

  /// The key in the address that the person opens; valid for one use.
  let key = Browsers.random()
  /// The token that every form sends back.
  let formToken = Browsers.random()
  private let cookie = Browsers.random()
  private let port = Mutex<UInt16>(0)
  private let isKeyUsed = Mutex(false)

  /// Accepts only requests for this port: another name that points to this machine is refused.
  func listen(on port: UInt16) {
    self.port.withLock { $0 = port }
  }

  func judge(_ request: WebRequest) -> Judgement {
    let port = port.withLock { $0 }
    let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    // In a DNS rebinding attack, another name resolves to this machine. Its pages would then be
    // same-origin.
    guard let host = request.headers["host"], hosts.contains(host) else {
      return .refused(status: 421)
    }
    // Cookies ignore ports: the page of another program on this machine must not replace ours.
    let cookieName = "visitor-\(port)"
    let isKnown = Self.isEqual(request.cookie(cookieName) ?? "", cookie)
    if request.method == "GET", request.path == "/", let given = request.form["key"] {
      guard isKnown || claim(given) else { return .refused(status: 403) }
      var response = WebResponse.see("/")
      response.headers.append(
        ("Set-Cookie", "\(cookieName)=\(cookie); Path=/; HttpOnly; SameSite=Strict")
      )
      return .welcome(response)
    }
    guard isKnown else { return .refused(status: 403) }
    guard request.method == "POST" else { return .known }
    // Another page can neither read the token nor send this origin.
    guard request.headers["origin"] == "http://" + host,
      Self.isEqual(request.form["form"] ?? "", formToken)
    else { return .refused(status: 403) }
    return .known
  }

  private func claim(_ given: String) -> Bool {
    isKeyUsed.withLock { isUsed in
      guard !isUsed, Self.isEqual(given, key) else { return false }
      isUsed = true
      return true
    }
  }

  /// 128 random bits from the kernel.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
  }

  /// Compares in constant time.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Flushes the output for a reader of a pipe.
func fflushOutput() {
  _ = fflush(nil)
}
