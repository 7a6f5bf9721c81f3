import HTTPTransport
import SecretMemory
import TestSupport
import Testing

/// Requests that are refused before any connection.
struct RefusalTests {
  private func refusal(
    _ url: String,
    _ change: (inout HTTPRequest) -> Void = { _ in }
  )
    -> HTTPError.Refusal?
  {
    var request = HTTPRequest(method: "GET", url: url)
    request.timeout = 1
    change(&request)
    guard case .failed(.refused(let refusal)) = ending(request) else { return nil }
    return refusal
  }

  @Test
  func noPlainTextLeavesThisMachine() {
    for host in [
      "example.org", "10.0.0.1", "127.0.0.1.example.org", "localhost.example.org", "128.0.0.1",
      "0.0.0.0", "[::2]", "localhost.",
    ] {
      #expect(refusal("http://\(host)/") == .plainText, "\(host)")
    }
    for host in ["127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"] {
      #expect(refusal("http://\(host)/") == nil, "\(host)")
    }
  }

  @Test
  func urlsThatAreNotPlainAreRefused() {
    for url in [
      "", "example.org", "/auth/me", "ftp://127.0.0.1/", "file:///etc/passwd",
      "gopher://127.0.0.1/",
      "https://user@example.org/", "https://user:word@example.org/", "https:///auth",
      "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y", "http://127.0.0.1/\u{0}",
      "http://127.0.0.1/\u{7F}", "http://127.0.0.1/é", "http://127.0.0.1:99999/",
      "http://127.0.0.1/" + String(repeating: "x", count: 9000),
    ] {
      #expect(refusal(url) == .url, "\(url.prefix(40))")
    }
  }

  @Test
  func headersThatSmuggleAreRefused() {
    for header in [
      "", "X", ": x", "X y: z", "X: a\r\nHost: b", "X: a\nb", "X: a\rb", "X: \u{0}", "X: \u{1B}[2J",
      "X\r\n: a", "X\u{0}: a", "é: a", "X: \u{7F}", "Host: elsewhere", "host: elsewhere",
      "Content-Length: 3", "Transfer-Encoding: chunked", "CONNECTION: keep-alive",
      "Expect: 100-continue", "User-Agent: other", "Proxy-Authorization: Basic x",
      "X: " + String(repeating: "x", count: 40_000),
    ] {
      #expect(
        refusal("http://127.0.0.1:1/") { $0.headers = [header] } == .header,
        "\(header.prefix(30))"
      )
    }
  }

  @Test
  func credentialsThatSmuggleAreRefused() throws {
    let url = "http://127.0.0.1:1/"
    for text in ["", "Basic a\r\nHost: b", "Basic a\nX: y", "Basic a\u{0}", "Basic é"] {
      let value = SharedSecret(try SecretBytes(copying: Array(text.utf8)))
      #expect(refusal(url) { $0.credentials = value } == .header, "\(text)")
    }
    let value = SharedSecret(try SecretBytes(copying: Array("Basic a".utf8)))
    #expect(refusal(url) { $0.credentials = value } == nil)
    let both = refusal(url) {
      $0.credentials = value
      $0.headers = ["authorization: Bearer b"]
    }
    #expect(both == .header)
  }

  @Test
  func methodsPinsProxiesAndLimitsAreChecked() throws {
    let url = "https://127.0.0.1:1/"
    for method in ["", "get", "GE T", "GET\r\n", "CONNECT", "TRACE", "ABCDEFGHIJKLMNOPQ"] {
      #expect(refusal(url) { $0.method = method } == .method, "\(method)")
    }
    let right = "sha256//" + String(repeating: "A", count: 43) + "="
    for pin in ["", "sha256//", "/etc/passwd", right + ";" + right, right.dropLast() + "A"] {
      #expect(refusal(url) { $0.pins = [String(pin)] } == .pin, "\(pin)")
    }
    #expect(refusal("http://127.0.0.1:1/") { $0.pins = [right] } == .pin)
    for proxy in ["", "ftp://127.0.0.1", "socks4://127.0.0.1", "http://127.0.0.1/\n"] {
      #expect(refusal(url) { $0.proxy = proxy } == .proxy, "\(proxy)")
    }
    for authorities in ["", "a\u{0}b"] {
      #expect(refusal(url) { $0.authorities = authorities } == .authorities)
    }
    #expect(refusal(url) { $0.timeout = 0 } == .limit)
    #expect(refusal(url) { $0.maximumBody = 1 << 20 } == .limit)
    let body = SharedSecret(try SecretBytes(copying: [1]))
    let head = refusal(url) {
      $0.method = "HEAD"
      $0.body = body
    }
    #expect(head == .method)
  }
}
