import Testing

@testable import ToolProtocols

/// Exchanges as gitcredentials(7) and git-credential(1) show them.
struct GitCredentialTests {
  private static let token = ToolToken("at_1", expiresAt: 1_763_717_400)

  private func answer(_ request: String) throws -> String {
    let credential = try GitCredential(Array(request.utf8))
    return String(decoding: credential.answer(Self.token, username: "oauth2"), as: UTF8.self)
  }

  @Test(arguments: [
    "protocol=https\nhost=example.org\n\n", "protocol=https\nhost=example.org",
    // Git before 2.46 knows no capabilities; git 2.41 sends the challenges.
    "protocol=https\nhost=example.org\nwwwauth[]=Basic realm=\"forge\"\n",
    "protocol=https\nhost=example.org\ncapability[]=state\n\n",
    "capability[]=authtype\ncapability[]=\nprotocol=https\nhost=example.org\n\n",
    // A forge accepts a token only as a password.
    "capability[]=authtype\nprotocol=https\nhost=example.org\nwwwauth[]=Basic realm=\"GitHub\"\n\n",
    "capability[]=authtype\nprotocol=https\nhost=example.org\nwwwauth[]=Basic realm=\"bearer\"\n\n",
  ])
  func gitGetsTheTokenAsAPassword(_ request: String) throws {
    #expect(
      try answer(request) == "username=oauth2\npassword=at_1\npassword_expiry_utc=1763717400\n"
    )
  }

  @Test(arguments: [
    "capability[]=authtype\ncapability[]=state\nprotocol=https\nhost=example.org\n\n",
    "capability[]=authtype\nprotocol=https\nhost=example.org\nwwwauth[]=Bearer realm=\"x\"\n\n",
    "capability[]=authtype\nprotocol=https\nhost=example.org\n"
      + "wwwauth[]=Basic realm=\"x\"\nwwwauth[]=bearer realm=\"x\"\n\n",
    "capability[]=authtype\nprotocol=https\nhost=example.org\n"
      + "wwwauth[]=Basic realm=\"x\", Bearer realm=\"x\"\n\n",
    "capability[]=authtype\nprotocol=https\nhost=example.org\nwwwauth[]=Basic\nwwwauth[]=\n\n",
  ])
  func gitThatKnowsTokensGetsItAsSuch(_ request: String) throws {
    #expect(
      try answer(request)
        == "capability[]=authtype\nauthtype=Bearer\ncredential=at_1\nephemeral=1\n"
    )
  }

  @Test
  func theServerHasItsPortAndTheLastValueCounts() throws {
    let request = "protocol=https\nhost=a.org\nhost=example.org:8443\npath=a/b.git\nusername=ada\n"
    let credential = try GitCredential(Array(request.utf8))
    #expect(credential.url == "https://example.org:8443" && credential.username == "ada")
    #expect(credential.secret == nil)
  }

  /// A server may send its challenge in any encoding.
  @Test
  func aChallengeThatIsNotUTF8IsNoObstacle() throws {
    let challenge = Array("wwwauth[]=Basic realm=\"Acc".utf8) + [0xE8] + Array("s\"\n".utf8)
    let request = Array("protocol=https\nhost=example.org\n".utf8) + challenge
    #expect(try GitCredential(request).url == "https://example.org")
    let user = Array("protocol=https\nhost=example.org\nusername=".utf8) + [0xE8]
    #expect(throws: ToolRequestError.self) { try GitCredential(user) }
  }

  @Test(arguments: [
    ("password=at_1\n", "at_1"), ("authtype=Bearer\ncredential=at_1\n", "at_1"),
    ("password=\n", nil), ("oauth_refresh_token=rt_1\n", nil), ("", nil),
  ])
  func aRefusedTokenIsFound(_ lines: String, _ secret: String?) throws {
    let request = "protocol=https\nhost=example.org\nusername=x\n" + lines + "\n"
    #expect(try GitCredential(Array(request.utf8)).secret == secret)
  }

  @Test
  func linesAfterTheEmptyOneAreNotRead() throws {
    let request = "protocol=https\nhost=example.org\n\nhost=evil.net\n"
    #expect(try GitCredential(Array(request.utf8)).url == "https://example.org")
  }

  /// Git asks so for the password of a client certificate.
  @Test
  func aRequestForACertificateHasAnEmptyHost() throws {
    let request = "protocol=cert\nhost=\nusername=\npath=/home/ada/key.pem\n\n"
    #expect(try GitCredential(Array(request.utf8)).url == "cert://")
    #expect(try !ToolQuery.git(Array(request.utf8)).hasHost)
  }

  @Test(arguments: [
    ("protocol=https\n\n", 0, true), ("protocol=https\n\nx", 0, true), ("\n", 0, true),
    ("protocol=https\n", 0, false), ("", 0, false), ("a=b\nc=d\n", 4, false), ("a=b\n\n", 4, true),
  ])
  func anEmptyLineEndsARequest(_ text: String, _ searched: Int, _ isComplete: Bool) {
    #expect(GitCredential.isComplete(Array(text.utf8), after: searched) == isComplete)
  }

  @Test
  func aRefreshTokenIsNeverPrinted() throws {
    let request = "protocol=https\nhost=example.org\noauth_refresh_token=rt_1\npassword=old\n\n"
    let answer = try answer(request)
    #expect(!answer.contains("rt_1") && !answer.contains("old"))
  }

  @Test
  func whatIsSaidOfCapabilities() {
    #expect(
      String(decoding: GitCredential.capabilities, as: UTF8.self)
        == "version 0\ncapability authtype\n"
    )
  }

  @Test(arguments: [
    Array("protocol=https\n\n".utf8), Array("host=example.org\n\n".utf8), [],
    Array("protocol=\nhost=a\n".utf8), Array("protocol=https\nhost=a\nfrob\n".utf8),
    Array("protocol=https\nhost=a\u{0}.example.org\n".utf8),
    Array("protocol=https\nhost=".utf8) + [0xFF, 0x0A],
    // UTF-16.
    Array("protocol=https\nhost=a".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }),
    Array("protocol=https\nhost=a\npassword=\(String(repeating: "x", count: 65_530))\n".utf8),
    Array("protocol=https\nhost=\(String(repeating: "x", count: 1 << 20))\n".utf8),
  ])
  func aRequestThatIsNotOneIsAnErrorWithoutItsText(_ request: [UInt8]) throws {
    let error = #expect(throws: ToolRequestError.self) { try GitCredential(request) }
    #expect(error?.description.contains("xxx") == false)
  }

  /// A megabyte of combining marks as a key must not cost seconds.
  @Test
  func longAndStrangeKeysCostNoTime() throws {
    let marks = String(repeating: "\u{301}", count: 30_000)
    let lines = (0..<15).map { _ in marks + "=x\n" }.joined()
    let request = "protocol=https\nhost=example.org\n" + lines
    #expect(try GitCredential(Array(request.utf8)).url == "https://example.org")
  }
}
