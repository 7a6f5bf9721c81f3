import System
import TestSupport
import Testing

@testable import LoopbackLogin

/// The page that a browser shows at the end of a sign-in.
struct ResultPageTests {
  private static let hostile = """
    </bdi><script>alert(1)</script><img src=x onerror=alert(2)> "' onmouseover=x &lt; \u{202E}gpj\u{0}
    """

  static let results: [ResultPage.Result] = [
    .signedIn(person: hostile, also: hostile, account: "work", provider: hostile),
    .refused(provider: hostile, reason: hostile), .wrongState, .otherSignIn, .otherUser, .expired,
    .interrupted, .failed(reason: hostile),
  ]

  @Test(arguments: results)
  func nothingFromElsewhereBecomesMarkup(_ result: ResultPage.Result) {
    let html = ResultPage(result, for: .terminal).html
    for part in ["<script", "<img", "onerror=alert(2)>", "\u{202E}", "\u{0}", "\"'"] {
      #expect(!html.contains(part))
    }
    // Every opening and closing tag is one of the page's own.
    let own = [
      "!doctype", "html", "head", "meta", "title", "style", "body", "main", "svg", "circle", "path",
      "rect", "h1", "p", "br", "bdi", "code", "dl", "div", "dt", "dd", "blockquote", "footer",
      "span",
    ]
    for piece in html.split(separator: "<").dropFirst() {
      let name = piece.prefix { !" >/".contains($0) || $0 == "/" && piece.first == "/" }
      #expect(own.contains(String(name.drop { $0 == "/" })), "\(name)")
    }
    for attribute in ["src=", "href=", "style=", " on", "url("] {
      #expect(!html.split(separator: "<bdi>")[0].contains(attribute) || attribute == " on")
    }
  }

  @Test
  func itIsSaidWhoIsSignedIn() {
    let page = ResultPage(
      .signedIn(
        person: "Ada Lovelace",
        also: "ada@example.org",
        account: "work",
        provider: "dev"
      ),
      for: .terminal
    )
    for part in [
      "You are signed in", "Ada Lovelace", "ada@example.org", ">work<", ">dev<",
      "You can close this tab",
    ] { #expect(page.html.contains(part)) }
    #expect(String(decoding: page.answer, as: UTF8.self).hasPrefix("HTTP/1.1 200 OK\r\n"))
  }

  /// A person who began in an app does not return to a terminal.
  @Test(arguments: results)
  func thePageSendsThePersonBackToWhereTheLoginWasBegun(_ result: ResultPage.Result) {
    let terminal = ResultPage(result, for: .terminal).html
    let app = ResultPage(result, for: .app).html
    #expect(terminal.contains("terminal") && !terminal.contains("app<"))
    #expect(app.contains("app") && !app.contains("terminal"))
  }

  @Test(arguments: results.dropFirst())
  func whatDidNotWorkIsNoSuccess(_ result: ResultPage.Result) {
    let page = ResultPage(result, for: .terminal)
    #expect(!page.html.contains("You are signed in"))
    let status = result == .otherUser ? 403 : 400
    #expect(String(decoding: page.answer, as: UTF8.self).hasPrefix("HTTP/1.1 \(status) "))
  }

  @Test
  func theHeadersForbidEverythingElse() throws {
    let answer = String(decoding: ResultPage(.expired, for: .terminal).answer, as: UTF8.self)
    let head = String(try #require(answer.split(separator: "\r\n\r\n").first))
    for line in [
      "Content-Type: text/html; charset=utf-8", "Cache-Control: no-store",
      "X-Content-Type-Options: nosniff", "Referrer-Policy: no-referrer", "Connection: close",
    ] { #expect(head.contains("\r\n\(line)")) }
    for part in ["default-src 'none'", "frame-ancestors 'none'", "form-action 'none'"] {
      #expect(head.contains(part))
    }
    #expect(!head.contains("unsafe-"))
    #expect(head.split(separator: "\r\n").allSatisfy { !$0.contains("\n") && $0.count < 300 })
  }

  /// A browser drops a style sheet with another digest.
  @Test
  func theStyleSheetHasTheDigestThatThePolicyNames() throws {
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let child = try ChildProcess(
      path: "/bin/sh",
      arguments: ["-c", "openssl dgst -sha256 -binary | openssl base64"],
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [theirs.number, theirs.number, 2]
    )
    try ours.write(PageStyle.text)
    ours.shutDownSending()
    #expect(try child.wait() == .exited(0))
    theirs.shutDown()
    let digest = String(decoding: try ours.readAll(limit: 100), as: UTF8.self)
    #expect(digest == PageStyle.digest + "\n")
  }
}
