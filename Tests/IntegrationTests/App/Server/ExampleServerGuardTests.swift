import System
import TestSupport
import Testing

/// Requests of other programs on the machine, and of other pages in the browser, to the example
/// server.
@Suite(.serialized)
struct ExampleServerGuardTests {
  /// A hand-written HTTP client in the role of a browser.
  private struct Visitor {
    let server: ExampleServerProcess
    let cookie: String
    let formToken: String

    var origin: String { "Origin:http://127.0.0.1:\(server.port)" }

    init(_ server: ExampleServerProcess) throws {
      self.server = server
      let key = try #require(server.link.split(separator: "?").last)
      let welcome = try server.ask("GET", "/?" + key)
      #expect(welcome.status == 303)
      #expect(try welcome.header("location") == "/")
      let set = try #require(try welcome.header("set-cookie"))
      #expect(set.hasPrefix("visitor-\(server.port)="))
      #expect(set.hasSuffix("; Path=/; HttpOnly; SameSite=Strict"))
      cookie = "Cookie:" + set.prefix { $0 != ";" }
      let page = try server.ask("GET", "/", [cookie]).body
      formToken = try #require(
        page.split(separator: "name=\"form\" value=\"").dropFirst().first
          .map { String($0.prefix { $0 != "\"" }) }
      )
      #expect(formToken.utf8.count > 20)
    }

    func post(
      _ path: String,
      _ fields: String = "",
      _ headers: [String]? = nil
    ) throws
      -> ExampleServerProcess.Answer
    {
      let body = "form=\(formToken)" + (fields.isEmpty ? "" : "&" + fields)
      return try server.ask("POST", path, headers ?? [cookie, origin], body: body)
    }
  }

  private static let account = "name=Ada&email=ada%40example.org&password=a+pass%2Bword"

  @Test
  func onlyTheBrowserThatWasGivenTheKeySeesAnything() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    for path in ["/", "/inside", "/register", "/?key=", "/?key=wrong"] {
      let stranger = try server.ask("GET", path)
      #expect(stranger.status == 403, "\(path)")
      #expect(stranger.body.contains("This page is private</h1>"))
      #expect(!stranger.body.contains("name=\"form\""))
    }
    let visitor = try Visitor(server)
    #expect(try visitor.post("/register", Self.account).status == 303)
    #expect(try server.ask("GET", "/", [visitor.cookie]).body.contains("Protect this login?"))

    // Other browsers: without a cookie, with a wrong cookie, with the key that was already used.
    let key = try #require(server.link.split(separator: "?").last)
    for (path, headers) in [
      ("/", []), ("/", ["Cookie:visitor-\(server.port)=x"]), ("/?" + key, []), ("/inside", []),
      ("/", [visitor.cookie + "x"]),
    ] as [(String, [String])] {
      let other = try server.ask("GET", path, headers)
      #expect(other.status == 403)
      #expect(!other.body.contains("Ada") && !other.body.contains("example.org"))
      #expect(try other.header("set-cookie") == nil)
    }
    // The same browser may open the address again.
    #expect(try server.ask("GET", "/?" + key, [visitor.cookie]).status == 303)
    #expect(server.end() == "open \(server.link)\n")
  }

  @Test
  func noOtherPageAndNoOtherNameGetsThrough() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let visitor = try Visitor(server)
    // A foreign name that points here (DNS rebinding), another port, no host.
    for host in ["evil.example", "evil.example:\(server.port)", "127.0.0.1:1", "127.0.0.1", ""] {
      #expect(
        try server.ask("GET", "/", [visitor.cookie, "Host:" + host]).status == 421,
        "\(host)"
      )
      let headers = [visitor.cookie, "Origin:http://" + host, "Host:" + host]
      #expect(try visitor.post("/register", Self.account, headers).status == 421)
    }
    // A form of another page: its origin, no origin, no token, another token.
    for origin in [
      "http://evil.example", "null", "https://127.0.0.1:\(server.port)", "http://127.0.0.1:1",
      "http://localhost:\(server.port)",
    ] {
      let headers = [visitor.cookie, "Origin:" + origin]
      #expect(try visitor.post("/register", Self.account, headers).status == 403, "\(origin)")
    }
    #expect(try visitor.post("/register", Self.account, [visitor.cookie]).status == 403)
    for token in ["", "form=&", "form=wrong&", "Form=\(visitor.formToken)&"] {
      let answer = try server.ask(
        "POST",
        "/register",
        [visitor.cookie, visitor.origin],
        body: token + Self.account
      )
      #expect(answer.status == 403, "\(token)")
    }
    // A GET changes nothing, and a password in an address is not accepted.
    for path in ["/register?", "/login?", "/logout?", "/protect?"] {
      let query = path + "form=\(visitor.formToken)&" + Self.account
      let answer = try server.ask("GET", query, [visitor.cookie])
      #expect(answer.status == 404 || path == "/register?")
      #expect(!answer.body.contains("Ada") && !answer.body.contains("example.org"), "\(path)")
    }
    #expect(try visitor.server.ask("PUT", "/login", [visitor.cookie]).status == 405)
    #expect(try person.backend.requests() == [])
    #expect(try visitor.post("/register", Self.account).status == 303)
    #expect(try person.backend.requests().map(\.path) == ["/auth/register"])
    #expect(server.end() == "open \(server.link)\n")
  }

  @Test
  func everyAnswerSaysWhatTheBrowserMustNotDo() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let stranger = try server.ask("GET", "/")
    let visitor = try Visitor(server)
    let answers = [
      stranger, try server.ask("GET", "/", [visitor.cookie]),
      try server.ask("GET", "/nowhere", [visitor.cookie]), try visitor.post("/later"),
      try server.ask("GET", "/", ["Host:evil.example"]), try visitor.post("/login"),
    ]
    #expect(answers.map(\.status) == [403, 200, 404, 303, 421, 422])
    for answer in answers {
      #expect(try answer.header("cache-control") == "no-store")
      #expect(try answer.header("x-content-type-options") == "nosniff")
      #expect(try answer.header("x-frame-options") == "DENY")
      #expect(try answer.header("cross-origin-opener-policy") == "same-origin")
      guard answer.status != 303 else { continue }
      let policy = try #require(try answer.header("content-security-policy"))
      #expect(policy.hasPrefix("default-src 'none'; style-src 'nonce-"))
      let rest = "'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
      #expect(policy.hasSuffix(rest))
      #expect(try answer.header("content-type") == "text/html; charset=utf-8")
    }
    // Each page has its own nonce.
    #expect(try Set(answers.compactMap { try $0.header("content-security-policy") }).count == 5)
  }

  @Test
  func itListensOnlyOnThisMachine() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let port = String(server.port, radix: 16, uppercase: true)
    let suffix = ":" + String(repeating: "0", count: 4 - port.utf8.count) + port
    let sockets = try shell("cat /proc/net/tcp /proc/net/tcp6").split(separator: "\n").compactMap {
      line -> Substring? in
      let fields = line.split(separator: " ")
      // 0A is LISTEN (proc(5)).
      return fields.count > 3 && fields[3] == "0A" && fields[1].hasSuffix(suffix) ? fields[1] : nil
    }
    #expect(sockets == ["0100007F\(suffix)"])
  }

  @Test
  func whatIsTooLongOrBrokenEndsInAnError() throws {
    let person = try Person()
    let server = try ExampleServerProcess(person, backend: person.backend.url)
    let visitor = try Visitor(server)
    let headers = [visitor.cookie, visitor.origin]
    #expect(try server.ask("POST", "/login", headers, length: 1 << 20).status == 413)
    #expect(try server.ask("GET", "/" + String(repeating: "a", count: 60_000)).status >= 400)
    for body in [
      "%", "%zz=%", "form", "=&=&=", "form=%00%ff%fe", String(repeating: "&", count: 9999),
    ] {
      #expect(
        try server.ask("POST", "/login", headers, body: body).status == 403,
        "\(body.prefix(20))"
      )
    }
    // An answer to a prompt that is no longer there has no effect.
    #expect(try visitor.post("/prompt/answer", "prompt=x&password=y").status == 303)
    #expect(try visitor.post("/inside").status == 404)
    #expect(try server.ask("GET", "/", [visitor.cookie]).status == 200)
    #expect(try person.backend.requests() == [])
  }

  @Test
  func whoGivesItNonsenseIsTold() throws {
    let person = try Person()
    try shell(
      "install -m 755 \(BuiltPrograms.path("example-server")) \(person.programs)/example-server"
    )
    for (arguments, said) in [
      ("", "usage: example-server BACKEND [PORT]"),
      ("http://localhost:8000 70000", "usage: example-server BACKEND [PORT]"),
      ("nonsense", "example-server: error: "),
      ("http://example.org", "example-server: error: "),
    ] {
      let outcome = try person.shell("\(person.programs)/example-server \(arguments)")
      #expect(outcome.end == .exited(2), "\(arguments): \(outcome.text)")
      #expect(outcome.text.hasPrefix(said), "\(outcome.text)")
    }
  }
}
