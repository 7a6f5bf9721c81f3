import TestSupport
import Testing

/// Protection is a matter of this machine: no server can tell whether an account has it.
@Suite(.serialized)
struct AppSameRequestsTests {
  /// One request, without the parts that differ each time: tokens and the backend's port.
  private func text(_ request: DevBackendRequest, at url: String) -> String {
    let headers = request.headers.map { header in
      header.map { part in
        part.hasPrefix("Bearer sha256:")
          ? "Bearer ..." : url.hasSuffix("://" + part) ? "the backend" : part
      }
      .joined(separator: ": ")
    }
    let line = "\(request.method) \(request.path) -> \(request.status ?? 0)"
    return ([line] + headers + [request.shape]).joined(separator: "\n")
  }

  /// One run from registration to sign-out, with every request that the backend saw.
  private func story(protected isProtected: Bool) throws -> (requests: [String], prompts: Int) {
    let person = try Person()
    let app = try AppProcess(person)
    if isProtected { try person.enrollFinger() }
    func run(_ command: String, touches: Bool = false) throws -> String {
      try app.begin(command)
      if touches && isProtected {
        try app.hear("prompt")
        try person.touch()
      }
      return try app.outcome()
    }
    #expect(try run("person finger") == "")
    #expect(try run("register me@example.org backend-password") == "me@example.org")
    if isProtected {
      #expect(try run("protect", touches: true) == "")
      #expect(try run("lock") == "")
    }
    let first = try run("token")
    #expect(try run("get \(person.backend.url)/auth/me") == "200")
    // The token has expired by the local clock: it is refreshed before use.
    try person.expireTokens()
    #expect(try run("open") == "")
    #expect(try run("restore").hasPrefix(isProtected ? "locked" : "authenticated"))
    let second = try run("token", touches: true)
    #expect(second.hasPrefix("at_") && second != first)
    #expect(try run("me") == "me@example.org")
    // The token has expired at the backend: refused, refreshed, and sent once more.
    try person.backend.advanceClock()
    #expect(try run("decode \(person.backend.url)/auth/me", touches: true) == "me@example.org")
    #expect(try run("post \(person.backend.url)/user/profile") == "405")
    #expect(try run("logout", touches: true) == "true")
    #expect(try run("login me@example.org backend-password") == "me@example.org")
    #expect(try run("logout", touches: true) == "true")
    let url = person.backend.url
    return (try person.backend.requests().map { text($0, at: url) }, app.prompts.count)
  }

  @Test
  func theBackendSeesTheSameWithAndWithoutProtection() throws {
    let plain = try story(protected: false)
    let protected = try story(protected: true)
    #expect(plain.prompts == 0)
    #expect(protected.prompts == 5)
    #expect(plain.requests == protected.requests)
    let lines = plain.requests.map { $0.prefix { $0 != "\n" } }
    #expect(
      lines == [
        "POST /auth/register -> 201", "GET /auth/me -> 200", "POST /auth/refresh -> 200",
        "GET /auth/me -> 200", "GET /auth/me -> 401", "POST /auth/refresh -> 200",
        "GET /auth/me -> 200", "POST /user/profile -> 405", "POST /auth/logout -> 200",
        "POST /auth/login -> 200", "POST /auth/logout -> 200",
      ]
    )
  }
}
