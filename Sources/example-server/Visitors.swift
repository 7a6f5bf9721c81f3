import Glibc
import Synchronization
import WebServer

/// Who may look at the pages: the browser that was given the key, and no other program's.
///
/// Any user of the machine reaches its loopback ports, and so does any page in the browser.
final class Visitors: Sendable {
  /// What becomes of a request.
  enum Judgement {
    /// It is answered.
    case known
    /// It brought the key, and gets this.
    case welcome(WebResponse)
    /// It gets nothing but this status.
    case refused(status: Int)
  }

  /// The key in the address that the person opens; good until it is used.
  let key = Visitors.random()
  /// What every form sends back.
  let formToken = Visitors.random()
  private let cookie = Visitors.random()
  private let port = Mutex<UInt16>(0)
  private let isKeyUsed = Mutex(false)

  /// Takes requests for this port alone: a name that somebody points here is none of ours.
  func listen(on port: UInt16) {
    self.port.withLock { $0 = port }
  }

  func judge(_ request: WebRequest) -> Judgement {
    let port = port.withLock { $0 }
    let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    // A name of somebody else's that leads here (DNS rebinding) would make his pages same-origin.
    guard let host = request.headers["host"], hosts.contains(host) else {
      return .refused(status: 421)
    }
    // Cookies do not know ports: another program's page here must not take ours away.
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

  /// 128 bits of the kernel.
  static func random() -> String {
    var generator = SystemRandomNumberGenerator()
    return String(generator.next(), radix: 36) + String(generator.next(), radix: 36)
  }

  /// In a time that does not depend on where they differ.
  private static func isEqual(_ left: String, _ right: String) -> Bool {
    let left = Array(left.utf8)
    let right = Array(right.utf8)
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// Writes out what was printed, for whoever reads it from a pipe.
func fflushOutput() {
  _ = fflush(nil)
}
