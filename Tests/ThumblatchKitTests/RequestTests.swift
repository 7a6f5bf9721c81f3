import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// Requests to APIs.
@Suite(.timeLimit(.minutes(10)))
struct RequestTests {
  private struct Mail: Codable, Equatable {
    var subject: String
    var unread: Bool
  }

  @Test
  func a401IsAnsweredWithANewTokenOnce() async throws {
    let made = try await Session.signedIn()
    made.vault.set {
      $0.respond = { _, token in
        AuthResponse(status: token.value == "at-2" ? 200 : 401)
      }
    }
    let response = try await made.session.request(AuthRequest("https://api.test/mail"))
    #expect(response.status == 200)
    #expect(made.vault.requests.count == 2)
    made.vault.set { $0.respond = { _, _ in AuthResponse(status: 401) } }
    #expect(try await made.session.request(AuthRequest("https://api.test/mail")).status == 401)
    #expect(made.vault.requests.count == 4)
  }

  @Test(arguments: [
    AuthRequest("https://api.test/", method: "get"),
    AuthRequest("https://api.test/", method: "CONNECT"),
    AuthRequest("https://api.test/", method: "HEAD", body: []),
    AuthRequest("https://api.test/", timeout: .zero),
    AuthRequest("https://api.test/", timeout: .seconds(Int64.max)),
    AuthRequest("https://api.test/", maximumBody: -1),
    AuthRequest("https://api.test/", maximumBody: 65 << 20),
    AuthRequest("https://api.test/", headers: ["Authorization": "Bearer another"]),
  ])
  func whatNoServerWouldBeAskedIsRefusedBeforeAToken(_ request: AuthRequest) async throws {
    try await expectRefusal(of: request)
  }

  @Test(arguments: ["api.test", "http://api.test/", "https://ada@api.test/", "https://api.test/ä"])
  func anAddressThatGetsNoTokenIsRefusedBeforeAToken(_ url: String) async throws {
    try await expectRefusal(of: AuthRequest(url), as: .invalidURL)
  }

  /// It is no argument of a test, because the name of each test is printed.
  @Test
  func aBodyThatIsTooLongIsRefusedBeforeAToken() async throws {
    let body = [UInt8](repeating: 0, count: 65 << 20)
    try await expectRefusal(of: AuthRequest("https://api.test/", method: "PUT", body: body))
  }

  private func expectRefusal(
    of request: AuthRequest,
    as kind: AuthError.Kind = .invalidArgument
  ) async throws {
    let made = try await Session.signedIn()
    let failure = await error { () throws(AuthError) in try await made.session.request(request) }
    #expect(failure?.kind == kind)
    #expect(made.vault.count(of: .accessToken) == 0)
  }

  @Test
  func theBodyOfAFailureCanBeReadToo() async throws {
    let made = try await Session.signedIn()
    made.vault.set {
      $0.respond = { _, _ in
        AuthResponse(status: 422, body: Array(#"{"subject":"too long","unread":false}"#.utf8))
      }
    }
    let response = try await made.session.request(AuthRequest("https://api.test/mail"))
    let failure = await error { () throws(AuthError) in try response.validated() }
    #expect(failure?.kind == .http(status: 422))
    #expect(try response.decode(Mail.self).subject == "too long")
  }

  @Test
  func anAnswerIsDecoded() async throws {
    let made = try await Session.signedIn()
    made.vault.set {
      $0.respond = { request, _ in
        AuthResponse(
          status: 200,
          contentType: "application/json",
          body: request.body ?? Array(#"{"subject":"Hello","unread":true}"#.utf8)
        )
      }
    }
    let mail: Mail = try await made.session.decode(from: AuthRequest("https://api.test/mail/1"))
    #expect(mail == Mail(subject: "Hello", unread: true))
    let sent = Mail(subject: "Re: Hello", unread: false)
    let request = try AuthRequest.json("https://api.test/mail", body: sent)
    #expect(try await made.session.decode(Mail.self, from: request) == sent)
  }

  @Test
  func whatCannotBeDecodedIsToldWithoutTheAnswer() async throws {
    let made = try await Session.signedIn()
    made.vault.set {
      $0.respond = { _, _ in
        AuthResponse(status: 200, body: Array(#"{"subject":"very-private","unread":"maybe"}"#.utf8))
      }
    }
    let failure = await error { () throws(AuthError) in
      try await made.session.decode(Mail.self, from: AuthRequest("https://api.test/mail"))
    }
    #expect(failure?.kind == .undecodable)
    #expect(failure?.message.contains("unread") == true)
    #expect(failure.map { "\($0) \(String(reflecting: $0))" }?.contains("private") == false)
    made.vault.set { $0.respond = { _, _ in AuthResponse(status: 503) } }
    let status = await error { () throws(AuthError) in
      try await made.session.decode(Mail.self, from: AuthRequest("https://api.test/mail"))
    }
    #expect(status?.kind == .http(status: 503))
  }

  @Test
  func theHeaderIsThereForOtherLibraries() async throws {
    let made = try await Session.signedIn()
    let headers = try await made.session.authorizationHeaders()
    #expect(headers == ["Authorization": "Bearer at-1"])
    #expect(headers["authorization"] == "Bearer at-1")
  }

  @Test
  func whatIsSentIsTheSameWithAndWithoutProtection() async throws {
    var sent: [[String]] = []
    for isProtected in [false, true] {
      let made = try await Session.signedIn(protected: isProtected)
      _ = try await made.session.request(
        AuthRequest("https://api.test/a", method: "POST", body: [1, 2])
      )
      sent.append(made.vault.requests.map { "\($0.method) \($0.url) \($0.body ?? [])" })
    }
    #expect(sent[0] == sent[1])
    #expect(sent[0].count == 1)
  }
}
