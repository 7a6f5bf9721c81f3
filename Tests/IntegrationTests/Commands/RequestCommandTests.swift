import JSON
import System
import TestSupport
import Testing

/// `request` sends the token only to the hosts that it is for.
@Suite(.serialized)
struct RequestCommandTests {
  private func object(_ text: String) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else {
      Issue.record("no JSON object: \(text)")
      return [:]
    }
    return object
  }

  /// A person whose account may use the server.
  private func made(with server: PlainServer) throws -> Person {
    let person = try Person()
    try person.run(
      "provider",
      "add",
      "api",
      "--kind",
      "password-backend",
      "--issuer",
      person.backend.url,
      "--api-host",
      server.host
    ).succeeded()
    try person.run(
      "register",
      "me",
      "--provider",
      "api",
      "--email",
      "me@example.org",
      "--password-stdin",
      input: "backend-password\n"
    ).succeeded()
    return person
  }

  @Test
  func theIssuerIsAskedWithTheTokenAndARefusedOneIsRefreshedOnce() throws {
    let person = try Person()
    try person.register()
    let url = person.backend.url + "/auth/me"
    #expect(try person.run("request", url).succeeded().contains("me@example.org"))
    // After 401: refreshed, and sent once more.
    try person.backend.clear()
    try person.backend.advanceClock()
    let answer = try object(try person.run("request", "me", url, "--json").succeeded())
    #expect(try answer.integer("status") == 200)
    #expect(try answer.string("body").contains("me@example.org"))
    #expect(
      try person.backend.requests().map(\.path) == ["/auth/me", "/auth/refresh", "/auth/me"]
    )
    // A second 401 is not retried.
    try person.backend.clear()
    try person.backend.fail(DevBackendFault("/auth/me", .status(401), count: 9))
    let refused = try person.run("request", "me", url, "--json")
    #expect(refused.end == .exited(8))
    #expect(try object(refused.text).object("error").string("code") == "server-error")
    #expect(try person.backend.requests().count == 3)
    // An account that does not exist.
    try person.backend.clear()
    #expect(try person.run("request", "nobody", url).end == .exited(9))
  }

  @Test
  func noOtherHostGetsTheTokenUnlessItIsNamed() throws {
    let server = try PlainServer()
    let person = try made(with: server)
    try person.register("plain")
    let url = "http://\(server.host)/seen"
    let refused = try person.run("request", "plain", url)
    #expect(refused.end == .exited(11))
    #expect(refused.text.contains("add \(server.host) to api_hosts"))
    try person.run("request", "me", url, "-H", "X-Mine: 1", "-H", "Accept: text/x").succeeded()
    let seen = try person.run("request", "me", url).succeeded()
    let token = try person.run("token", "me").succeeded()
    #expect(seen.contains("Authorization: Bearer " + token))
    #expect(seen.contains("X-Mine: 1") && seen.contains("Accept: text/x"))
    // The token has not been sent to the server yet, and does not follow a redirect.
    let away = try person.run("request", "me", "http://\(server.host)/away")
    #expect(away.end == .exited(8))
    #expect(away.text.contains("http://127.0.0.1:1/elsewhere"))
    let missing = try person.run("request", "me", "http://\(server.host)/missing")
    #expect(missing.end == .exited(8))
    #expect(missing.text.contains("no such thing") && missing.text.contains("HTTP 404"))
    let gone = try person.run("request", "me", "http://\(server.host)/cut")
    #expect(gone.end == .exited(5))
  }

  @Test
  func methodAndBodyAreWhatWasAskedFor() throws {
    let server = try PlainServer()
    let person = try made(with: server)
    let echo = "http://\(server.host)/echo"
    let form = try object(try person.run("request", "me", echo, "-d", "a=b", "--json").succeeded())
    #expect(try form.string("body") == "a=b")
    #expect(try form.string("content_type") == "application/x-www-form-urlencoded")
    let json = try object(
      try person.run(
        "request",
        "me",
        echo,
        "-XPUT",
        "-d@-",
        "-H",
        "Content-Type: application/json",
        "--json",
        input: "{\"ü\":1}"
      ).succeeded()
    )
    #expect(try json.string("body") == "{\"ü\":1}")
    #expect(try json.string("content_type") == "application/json")
    for words in [
      ["-H", "Authorization: Bearer x"], ["-H", "host: evil"], ["-H", "X: a\r\nY: b"], ["-H", "X"],
      ["-H", ": x"], ["-X", "get"], ["-X", "CONNECT"], ["-X", "A B"], ["-d", "@/does/not/exist"],
      ["-X", "HEAD", "-d", "x"], ["-o", "/does/not/exist/x"], ["-o", "/tmp"],
    ] {
      let run = try person.start(["request", "me", echo] + words)
      let text = try run.text()
      #expect(try run.child.wait() == .exited(2), "\(words): \(text)")
    }
    #expect(try person.run("request", "me").end == .exited(2))
    #expect(try person.run("request").end == .exited(2))
  }

  @Test
  func bodiesOfManyMegabytesGoBothWays() throws {
    let server = try PlainServer()
    let person = try made(with: server)
    let big = person.home + "/big"
    try person.shell("head -c 20000000 /dev/urandom >\(big)").end.succeeded()
    try person.run("request", "me", "http://\(server.host)/echo", "-d@" + big, "-o", big + ".back")
      .succeeded()
    try shell("cmp \(big) \(big).back")
    #expect(try shell("stat -c %a \(big).back") == "600\n")
    let piped = try person.shell(
      "\(person.programs)/thumblatch request me 'http://\(server.host)/zeros?17000000' | wc -c"
    )
    #expect(piped.text == "17000000\n")
    let tooLong = try person.run("request", "me", "http://\(server.host)/zeros?70000000")
    #expect(tooLong.end == .exited(8) && tooLong.text.contains("64 MiB"))
  }

  @Test
  func theTermsOfTheLoginHoldForTheRequest() throws {
    let certificates = try DevBackendCertificates()
    let options = ["--tls", certificates.path("leaf.pem"), certificates.path("leaf.key")]
    let issuer = try DevBackend(options)
    let other = try DevBackend(options)
    let person = try Person()
    let authority = person.base + "/ca.pem"
    try shell("install -m 644 \(certificates.path("ca.pem")) \(authority)")
    for (name, pin) in [("tls", certificates.pin), ("plain", nil)] as [(String, String?)] {
      try person.run(
        ["provider", "add", name, "--kind", "password-backend", "--issuer", issuer.url]
          + ["--ca", authority, "--set"]
          + ["api_hosts=" + other.url.dropFirst("https://".count)]
          + (pin.map { ["--pin", $0] } ?? [])
      ).succeeded()
      try person.run(
        ["register", name, "--provider", name, "--email", name + "@example.org"]
          + ["--password-stdin"],
        input: "backend-password\n"
      ).succeeded()
      #expect(try person.run("request", name, issuer.url + "/auth/me").end == .exited(0))
      // The certificates of the sign-in are trusted at the other host, too.
      let away = try person.run("request", name, other.url + "/auth/verify")
      #expect(!away.text.contains("tls"), "\(away.text)")
    }
    // The current content of the file changes nothing.
    try shell("echo >\(person.home)/.config/thumblatch/providers.d/tls.conf")
    #expect(try person.run("request", "tls", issuer.url + "/auth/me").end == .exited(0))
    // Nor does the environment.
    let environment = ["https_proxy=http://127.0.0.1:1", "SSL_CERT_FILE=/dev/null"]
    #expect(
      try person.run(["request", "tls", issuer.url + "/auth/me"], variables: environment).end
        == .exited(0)
    )
  }

  @Test
  func anInterruptEndsTheExchangeHelperToo() throws {
    let server = try PlainServer()
    let person = try made(with: server)
    let session = try person.terminal("request", "me", "http://\(server.host)/hang")
    try server.waitForHang()
    // The engine has its own exchange helper, which waits for another request.
    let engines = processes(in: person.programs, named: "thumblatchd")
    let exchangeHelpers = processes(in: person.programs, named: "thumblatch-exchange").filter {
      !engines.contains(ProcessFacts(process: $0)?.parent ?? 0)
    }
    #expect(exchangeHelpers.count == 1)
    try session.type("\u{3}")
    try session.end(130)
    // By itself it would wait for half a minute.
    let begun = BootInstant.now
    for exchangeHelper in exchangeHelpers { try waitForEnd(exchangeHelper) }
    #expect(BootInstant.now.seconds(since: begun) < 15)
  }

  @Test
  func aFileIsReplacedWholeOrNotAtAll() throws {
    let server = try PlainServer()
    let person = try made(with: server)
    let file = person.home + "/result"
    try person.shell("echo before >\(file); ln -s result \(file).link").end.succeeded()
    for path in ["/missing", "/cut", "/away"] {
      let failed = try person.run("request", "me", "http://\(server.host)\(path)", "-o", file)
      #expect(failed.end != .exited(0))
      #expect(try shell("cat \(file)") == "before\n")
    }
    try person.run("request", "me", "http://\(server.host)/x", "-o", file + ".link").succeeded()
    #expect(try shell("cat \(file); readlink \(file).link") == "textresult\n")
    try person.run("request", "me", "http://\(server.host)/x", "-o", "/dev/null").succeeded()
    #expect(try shell("ls -A \(person.home) | grep -c '^[.]result' || true") == "0\n")
    // A terminal obeys no escape sequence of a server.
    let session = try person.terminal("request", "me", "http://\(server.host)/escape")
    let shown = try session.end()
    #expect(shown.contains("a\\u{1B}[31mb") && !shown.contains("\u{1B}[31m"))
  }
}

extension ProcessEnd {
  fileprivate func succeeded() throws {
    try #require(self == .exited(0))
  }
}
