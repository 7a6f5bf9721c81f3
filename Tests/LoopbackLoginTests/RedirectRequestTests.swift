import Testing

@testable import LoopbackLogin

/// The requests that count as the redirect of a sign-in, and those that do not.
struct RedirectRequestTests {
  private let request = RedirectRequest(path: "/callback", authority: "127.0.0.1:4711")

  private func judge(_ text: String) -> RedirectRequest.Verdict {
    var searched = 0
    return request.judge([UInt8](text.utf8), searched: &searched)
  }

  private static let host = "Host: 127.0.0.1:4711\r\n"

  @Test(arguments: [
    "GET /callback?code=c&state=s HTTP/1.1\r\nHost: 127.0.0.1:4711\r\n\r\n",
    "GET /callback?state=s&error=access_denied HTTP/1.1\r\nhost:127.0.0.1:4711 \r\n\r\n",
    "GET /callback?state=s HTTP/1.1\r\nCookie: a=b\r\nHost: 127.0.0.1:4711\r\n"
      + "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\nSec-Fetch-Site: cross-site\r\n\r\n",
  ])
  func theRedirectIsTaken(_ text: String) throws {
    guard case .redirect(let query) = judge(text) else {
      Issue.record("\(judge(text))")
      return
    }
    let taken = String(decoding: [UInt8](text.utf8)[query], as: UTF8.self)
    #expect(taken == text.split(separator: " ")[1].split(separator: "?")[1])
  }

  @Test(arguments: [
    ("GET /callback?state= HTTP/1.1\r\n\(host)\r\n", 404),
    ("GET /callback?mystate=s HTTP/1.1\r\n\(host)\r\n", 404),
    ("GET /callback?code=c HTTP/1.1\r\n\(host)\r\n", 404),
    ("GET /callback HTTP/1.1\r\n\(host)\r\n", 404),
    ("GET /callback/?state=s HTTP/1.1\r\n\(host)\r\n", 404),
    ("GET /Callback?state=s HTTP/1.1\r\n\(host)\r\n", 404),
    ("GET /%63allback?state=s HTTP/1.1\r\n\(host)\r\n", 404),
    ("GET /favicon.ico HTTP/1.1\r\n\(host)\r\n", 404),
    ("GET /?state=s HTTP/1.1\r\n\(host)\r\n", 404),
    // Another name that resolves to this machine.
    ("GET /callback?state=s HTTP/1.1\r\nHost: evil.example:4711\r\n\r\n", 404),
    ("GET /callback?state=s HTTP/1.1\r\nHost: localhost:4711\r\n\r\n", 404),
    ("GET /callback?state=s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 404),
    ("GET /callback?state=s HTTP/1.1\r\n\r\n", 404),
    ("GET /callback?state=s HTTP/1.1\r\n\(host)\(host)\r\n", 400),
    // An image, a script or a frame of a page that guesses ports, and a prefetch.
    ("GET /callback?state=s HTTP/1.1\r\n\(host)Sec-Fetch-Mode: no-cors\r\n\r\n", 404),
    ("GET /callback?state=s HTTP/1.1\r\n\(host)Sec-Fetch-Dest: iframe\r\n\r\n", 404),
    ("GET /callback?state=s HTTP/1.1\r\n\(host)Sec-Purpose: prefetch;prerender\r\n\r\n", 404),
    ("POST /callback?state=s HTTP/1.1\r\n\(host)\r\n", 405),
    ("HEAD /callback?state=s HTTP/1.1\r\n\(host)\r\n", 405),
    ("OPTIONS /callback?state=s HTTP/1.1\r\n\(host)\r\n", 405),
    ("GET /callback?state=s HTTP/1.0\r\n\(host)\r\n", 505),
    ("GET /callback?state=s HTTP/2.0\r\n\(host)\r\n", 505),
    ("GET http://127.0.0.1:4711/callback?state=s HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET /callback?state=s#x HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET  /callback?state=s HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET /callback?state=s \r\n\(host)\r\n", 505),
    ("GET\r\n\r\n", 400),
    ("GET /callback?state=\u{E9} HTTP/1.1\r\n\(host)\r\n", 400),
    ("GET /callback?state=s HTTP/1.1\r\n\(host) folded\r\n\r\n", 400),
    ("GET /callback?state=s HTTP/1.1\r\n\(host)No colon\r\n\r\n", 400),
    ("GET /callback?state=s HTTP/1.1\r\n\(host)A: b\nHost: evil\r\n\r\n", 400),
    ("GET /callback?state=s HTTP/1.1\r\n\(host)Content-Length: 5\r\n\r\nhello", 400),
    ("GET /callback?state=s HTTP/1.1\r\n\(host)Transfer-Encoding: chunked\r\n\r\n", 400),
    ("\u{16}\u{3}\u{1}", 400),
    ("\r\n\r\n", 400),
    ("garbage", 400),
  ])
  func everythingElseIsRefused(_ text: String, _ status: Int) {
    #expect(judge(text) == .refused(status: status))
  }

  @Test(arguments: [
    ("GET /other?code=c&state=s HTTP/1.1\r\n\(host)\r\n", RedirectStray.path),
    ("GET /?error=e&state=s HTTP/1.1\r\n\(host)\r\n", .path),
    ("GET /callback?code=c&state=s HTTP/1.1\r\nHost: evil.example:4711\r\n\r\n", .host),
    ("GET /callback?code=c&state=s HTTP/1.1\r\n\r\n", .host),
    ("GET /x?code=c&state=s HTTP/1.1\r\n\(host)Sec-Fetch-Mode: no-cors\r\n\r\n", nil),
    ("GET /x?state=s HTTP/1.1\r\n\(host)\r\n", nil), ("GET /x HTTP/1.1\r\n\(host)\r\n", nil),
  ])
  func anAnswerThatIsLedAstrayIsKnownAsOne(_ text: String, _ stray: RedirectStray?) {
    #expect(judge(text) == .refused(status: 404, stray))
  }

  @Test
  func aHeadThatComesByteByByteIsJudgedAtItsEnd() {
    let text = [UInt8]("GET /callback?state=s HTTP/1.1\r\n\(Self.host)\r\n".utf8)
    var searched = 0
    for count in 1..<text.count {
      #expect(request.judge(Array(text.prefix(count)), searched: &searched) == .incomplete)
    }
    #expect(request.judge(text, searched: &searched) == .redirect(query: 14..<21))
  }

  @Test
  func aHeadWithoutEndIsRefusedWhenItIsTooLong() {
    let start = "GET /callback?state=s HTTP/1.1\r\n\(Self.host)X: "
    let filling = RedirectRequest.maximumHead - start.utf8.count
    #expect(judge(start + String(repeating: "x", count: filling - 1)) == .incomplete)
    #expect(judge(start + String(repeating: "x", count: filling)) == .refused(status: 431))
    let late = start + String(repeating: "x", count: filling + 1) + "\r\n\r\n"
    #expect(judge(late) == .refused(status: 431))
  }

  /// Any bytes get one of three verdicts, and nothing traps.
  @Test
  func changedBytesDoNotTrap() {
    let text = [UInt8]("GET /callback?code=c&state=s HTTP/1.1\r\n\(Self.host)\r\n".utf8)
    for index in text.indices {
      for byte: UInt8 in [0, 9, 10, 13, 32, 58, 63, 127, 255] {
        var changed = text
        changed[index] = byte
        var searched = 0
        if case .redirect(let query) = request.judge(changed, searched: &searched) {
          #expect(changed.indices.contains(query.lowerBound))
          #expect(RedirectRequest.holdsState(changed[query]))
        }
      }
    }
  }
}
