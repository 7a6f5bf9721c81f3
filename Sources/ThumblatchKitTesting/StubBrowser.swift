internal import Synchronization
internal import System

/// A browser for tests.
///
/// It asks no provider, and returns to the app at once with a given query.
///
/// ```swift
/// let browser = StubBrowser()
/// try await session.loginInBrowser(open: browser.open)
/// ```
public final class StubBrowser: Sendable {
  private let query: String
  private let shown = Mutex<[String]>([])

  /// Makes a browser that returns with this query.
  public init(_ query: String = "code=stub&state=stub") {
    self.query = query
  }

  /// The final pages with their HTTP heads: one text for each opened address, empty if there was no
  /// answer.
  public var pages: [String] { shown.withLock { $0 } }

  /// Opens the address that a `StubVault` gave for a sign-in.
  ///
  /// Returns false for any other address.
  @Sendable
  public func open(_ url: String) -> Bool {
    guard let redirect = Redirect(url) else { return false }
    do throws(SystemError) {
      let connection = try LoopbackSocket.connect(redirect.family, port: redirect.port)
      try connection.write(
        "GET \(redirect.path)?\(query) HTTP/1.1\r\nHost: \(redirect.authority)\r\n\r\n"
      )
      let page = Page(connection)
      try startThread { [self] in
        let text = page.text()
        shown.withLock { $0.append(text) }
      }
      return true
    } catch {
      return false
    }
  }
}

/// The answer that a connection waits for.
private final class Page: Sendable {
  private let connection: Descriptor

  init(_ connection: consuming Descriptor) {
    self.connection = connection
  }

  func text() -> String {
    String(decoding: (try? connection.readAll(limit: 1 << 20)) ?? [], as: UTF8.self)
  }
}

/// The address to which a sign-in returns: http://HOST:PORT/PATH.
private struct Redirect {
  let authority: String
  let port: UInt16
  let path: String

  init?(_ url: String) {
    let key = "redirect_uri=http://"
    guard let start = url.firstRange(of: key)?.upperBound else { return nil }
    let text = url[start...].prefix { $0 != "&" }
    let authority = text.prefix { $0 != "/" }
    guard let colon = authority.lastIndex(of: ":"),
      let port = UInt16(authority[authority.index(after: colon)...])
    else { return nil }
    self.authority = String(authority)
    self.port = port
    path = authority.endIndex == text.endIndex ? "/" : String(text[authority.endIndex...])
  }

  var family: LoopbackSocket.Family { authority.hasPrefix("[") ? .ipv6 : .ipv4 }
}
