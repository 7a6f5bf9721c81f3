import Testing
import ToolProtocols

@testable import OIDCAgentProtocol

/// The requests of oidc-agent's clients, and what encrypts them.
struct OIDCAgentTests {
  @Test
  func aBoxIsOpenedAndSealed() throws {
    let client = "O2pPxMltAJ1sWOIocAlsB7dWu7o5zFPTZRievjCI9Vg="
    let channel = try OIDCAgentChannel(Array(client.utf8))
    #expect(channel.greeting.count == 44)
    let box = channel.seal(Array("{}".utf8))
    #expect(try OIDCAgentChannel.isWholeBox(box))
    #expect(try !OIDCAgentChannel.isWholeBox(Array(box.dropLast())))
    #expect(try channel.open(box) == Array("{}".utf8))
    for junk in ["", ":", "::", "2:a:b", "2:AAAA:AAAA", String(repeating: ":", count: 8192)] {
      #expect(throws: ToolRequestError.self) { try channel.open(Array(junk.utf8)) }
    }
    for junk in ["", "short", String(repeating: "A", count: 44), client.dropLast() + "\0"] {
      #expect(throws: ToolRequestError.self) { try OIDCAgentChannel(Array(junk.utf8)) }
    }
  }

  @Test
  func theLengthOfAMessageIsBounded() throws {
    for text in ["", "96", "96:", "96:abc"] {
      #expect(try !OIDCAgentChannel.isWholeBox(Array(text.utf8)), "\(text)")
    }
    for text in ["8193:", "-1:", ":", "x:", "123456", "9999999999999999999999:"] {
      #expect(throws: ToolRequestError.self, "\(text)") {
        try OIDCAgentChannel.isWholeBox(Array(text.utf8))
      }
    }
    // A request that is too long is refused before any of it is read.
    for start in ["1", "96:"] {
      let long = Array(start.utf8) + [UInt8](repeating: 0xC0, count: 1 << 20)
      #expect(throws: ToolRequestError.self) { try OIDCAgentChannel.isWholeBox(long) }
    }
    for text in ["", "{", "{\"a\":", String(repeating: "A", count: 43)] {
      #expect(try !OIDCAgentChannel.isWholeGreeting(Array(text.utf8)), "\(text)")
    }
    for text in ["{}", "{}\n", "{}\0", String(repeating: "A", count: 44)] {
      #expect(try OIDCAgentChannel.isWholeGreeting(Array(text.utf8)), "\(text)")
    }
    #expect(throws: ToolRequestError.self) {
      try OIDCAgentChannel.isWholeGreeting([UInt8](repeating: 0x7B, count: 13_000))
    }
  }

  @Test
  func anIssuerWithoutOneAccountIsRefused() {
    #expect(OIDCAgentRefusal(ofAccounts: []).info.contains("thumblatch login"))
    let several = OIDCAgentRefusal(ofAccounts: ["a", "b"])
    #expect(several.error == "several accounts are there: a, b")
    #expect(several.info.contains("thumblatch account default"))
  }

  private func request(_ text: String) throws(ToolRequestError) -> OIDCAgentRequest {
    try OIDCAgentRequest(Array(text.utf8))
  }

  @Test
  func requestsAreRead() throws {
    let text = """
      {"request":"access_token","account":"work","min_valid_period":60,"scope":"a b",
      "audience":"x","application_hint":"app","later":{"x":[1]}}
      """
    guard case .accessToken(let token) = try request(text) else { return #expect(Bool(false)) }
    #expect(token.account == "work" && token.issuer == nil && token.minimumLifetime == 60)
    #expect(token.reason == "a client of oidc-agent that calls itself app")
    #expect(token.scope == "a b" && token.audience == "x" && token.hint == "app")
    #expect(!token.isForced)
    let byIssuer =
      #"{"request":"access_token","issuer":"https://i/","min_valid_period":-1,"scope":""}"#
    guard case .accessToken(let other) = try request(byIssuer) else { return #expect(Bool(false)) }
    #expect(other.account == nil && other.isForced && other.minimumLifetime == nil)
    #expect(
      other.scope == nil && other.isIssued(by: "https://i") && !other.isIssued(by: "https://j")
    )
    #expect(try request(#"{"request":"loaded_accounts"}"#) == .loadedAccounts)
    for (name, advice) in [
      ("gen", "login"), ("add", "login"), ("delete", "logout"), ("remove_all", "logout"),
      ("lock", "thumblatch lock"), ("unlock", "unlock"), ("id_token", "--help"), ("", "--help"),
    ] {
      guard case .other(let refusal) = try request(#"{"request":"\#(name)"}"#) else {
        return #expect(Bool(false), "\(name)")
      }
      #expect(refusal.info.contains(advice), "\(name)")
    }
  }

  @Test
  func whatIsNoRequestIsRefused() {
    for text in [
      "", "{", "[]", "null", "{}", #"{"request":7}"#, #"{"request":"access_token"}"#,
      #"{"request":"access_token","account":7}"#,
      #"{"request":"access_token","account":"a\u0000"}"#,
      #"{"request":"access_token","account":"a","min_valid_period":"x"}"#, "{\"request\":\"a\0\"}",
      #"{"request":"access_token","account":"","issuer":""}"#, "{\"request\":\"\u{FF}\"} {",
      #"{"request":"\#(String(repeating: "a", count: 9000))"}"#,
    ] {
      #expect(throws: ToolRequestError.self, "\(text.prefix(60))") { try request(text) }
    }
    #expect(throws: ToolRequestError.self) { try OIDCAgentRequest([0x7B, 0x22, 0xFF, 0x22, 0x7D]) }
    #expect(throws: ToolRequestError.self) {
      try OIDCAgentRequest([UInt8](repeating: 0x7B, count: 1 << 20))
    }
  }

  @Test
  func answersAreThoseOfOIDCAgent() {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    #expect(
      text(OIDCAgentRequest.answer(ToolToken("t", expiresAt: 7), issuer: "https://i"))
        == #"{"status":"success","access_token":"t","issuer":"https://i","expires_at":7}"# + "\n"
    )
    #expect(
      text(OIDCAgentRequest.answer(accounts: ["a", "b"]))
        == #"{"status":"success","info":["a","b"]}"# + "\n"
    )
    #expect(
      text(OIDCAgentRequest.answer(error: "e\"", info: nil))
        == #"{"status":"failure","error":"e\""}"# + "\n"
    )
  }
}
