import Glibc
import Synchronization
import WebServer

/// Who may look at the pages: the browser that was given the key, and no other program's.
///
/// Any user of the machine reaches its loopback ports, and so does any page in the browser.
final class Visitors: Sendable {
  /// The key in the address that the person opens; good until it is used.
  let key = Visitors.random()
  /// What the cookie holds, and what every form sends back.
  private let cookie = Visitors.random()
  let formToken = Visitors.random()
  private let hosts = Mutex<Set<String>>([])
  private let isKeyUsed = Mutex(false)

  /// Takes requests for this port alone: a name that somebody points here is none of ours.
  func listen(on port: UInt16) {
    hosts.withLock { $0 = ["127.0.0.1:\(port)", "localhost:\(port)"] }
  }

  /// Nil where the request may go on; else what it gets instead.
  func refusal(of request: WebRequest) -> WebResponse? {
    guard hosts.withLock({ $0.contains(request.headers["host"] ?? "") }) else {
      return WebResponse(status: 421)
    }
    if request.path == "/", let given = request.form["key"], request.method == "GET" {
      let isFirst = isKeyUsed.withLock { isUsed in
        guard !isUsed, Self.isEqual(given, key) else { return false }
        isUsed = true
        return true
      }
      guard isFirst else { return WebResponse(status: 403) }
      var response = WebResponse.see("/")
      response.headers.append(
        ("Set-Cookie", "visitor=\(cookie); Path=/; HttpOnly; SameSite=Strict")
      )
      return response
    }
    guard Self.isEqual(request.cookie("visitor") ?? "", cookie) else {
      return WebResponse(status: 403)
    }
    if request.method == "POST", !Self.isEqual(request.form["form"] ?? "", formToken) {
      return WebResponse(status: 403)
    }
    return nil
  }

  /// 128 bits of the kernel.
  private static func random() -> String {
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
