import Testing

@testable import ToolProtocols

/// The requests of oidc-agent's clients, and the encryption of libsodium 1.0.18, from which the expected
/// bytes are.
struct OIDCAgentTests {
  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal)
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func key(_ start: Int) -> [UInt8] {
    (0..<32).map { UInt8(($0 * 7 + start) % 256) }
  }

  private static let nonce = (0..<24).map { UInt8($0) }

  @Test
  func theKeysAreThoseOfLibsodium() throws {
    let server = Curve25519.publicKey(of: Self.key(1))
    let client = Curve25519.publicKey(of: Self.key(99))
    #expect(
      Self.hexadecimal(server) == "c8feca81be196cdf2cadeabf13c4903d7632dce4955aa68b6e5d9adef54e2616"
    )
    #expect(
      Self.hexadecimal(client) == "3b6a4fc4c96d009d6c58e22870096c07b756bbba39cc53d365189ebe3088f558"
    )
    let shared = try #require(Curve25519.sharedSecret(Self.key(1), client))
    #expect(shared == Curve25519.sharedSecret(Self.key(99), server))
    // crypto_box_beforenm
    #expect(
      Self.hexadecimal(SecretBox.key(ofShared: shared))
        == "017b0707a1d3c1cc188c5667eedf099b9d89a8bf81f84af49001913471a0ed55"
    )
  }

  /// RFC 7748, sections 5.2 and 6.1; and points of small order.
  @Test
  func theCurveIsThatOfTheSpecification() {
    let secret = Self.bytes("77076d0a7318a57d3c16c17251b26645df4c1f5f1ae3d8b5b5f5cf3f3d4a1f2a")
    #expect(Curve25519.publicKey(of: secret).count == 32)
    let scalar = Self.bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    let point = Self.bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    #expect(
      Curve25519.sharedSecret(scalar, point).map(Self.hexadecimal)
        == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    )
    let zero = [UInt8](repeating: 0, count: 32)
    for order in [zero, [1] + zero.dropFirst()] {
      #expect(Curve25519.sharedSecret(scalar, order) == nil)
    }
  }

  @Test(
    arguments: [
      (0, "0b16641b044a4c2fff7c4ab219daaa9e"),
      (1, "bad66b857ef22a8309f55a1830d9011867"),
      (16, "4a0b203edc9c13ae3cbd9e6459acb34e7649ced2ad1526e4713bd491374251cd"),
      (33, "736dcb416bf5c4c60ddccbb1028b02d7477effe19c3a37f7602cc5e2463d20be1550ec97"),
      (300, "78885df7c40f2340da857ee4bd2393194a75eafe89313a801d57b0ed53263da9"),
    ]
  )
  func theBoxIsThatOfLibsodium(count: Int, begin: String) {
    let text = (0..<count).map { UInt8(($0 * 3 + count) % 256) }
    let box = SecretBox.seal(text, key: Self.key(5), nonce: Self.nonce)
    #expect(box.count == count + 16)
    #expect(Self.hexadecimal(box).hasPrefix(begin))
    #expect(SecretBox.open(box, key: Self.key(5), nonce: Self.nonce) == text)
    for index in [0, 15, box.count - 1] {
      var changed = box
      changed[index] ^= 1
      #expect(SecretBox.open(changed, key: Self.key(5), nonce: Self.nonce) == nil)
    }
    #expect(SecretBox.open(Array(box.dropLast()), key: Self.key(5), nonce: Self.nonce) == nil)
    #expect(SecretBox.open(box, key: Self.key(6), nonce: Self.nonce) == nil)
  }

  @Test
  func aBoxIsOpenedAndSealed() throws {
    let client = "O2pPxMltAJ1sWOIocAlsB7dWu7o5zFPTZRievjCI9Vg="
    let channel = try OIDCAgentChannel(Array(client.utf8), secret: Self.key(1))
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
