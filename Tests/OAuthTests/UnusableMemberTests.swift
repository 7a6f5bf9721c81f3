import Configuration
import JSON
import OAuth
import SecretMemory
import TestSupport
import Testing

/// A provider's answer has an unusable member: the other members still count.
@Suite
struct UnusableMemberTests {
  private static let marks = String(
    String.UnicodeScalarView((0..<2000).map { $0 % 2 == 0 ? "\u{301}" : "\u{323}" })
  )
  private static let odd = [
    #""\#(marks)":1"#, #""\#(String(repeating: "x", count: 129))":{"a":[1]}"#,
    #""name":"\#(marks)""#, #""name":"cut \ud83d""#, #""name":"a\u0000b""#, #""level":1e999"#,
    #""level":\#(String(repeating: "7", count: 5000))"#, #""a":{"\#(marks)":{"b":"\ud83d"}}"#,
  ]

  private static let tokens = #""access_token":"at-1","refresh_token":"rt-2""#

  private static func backend() throws -> Provider {
    try Provider(
      name: ProviderName("dev"),
      settings: ["kind": "password-backend", "issuer": "https://id.example.com"]
    )
  }

  /// Expects that an answer of each kind of provider keeps its tokens, both before this member and
  /// after it.
  private func keepsTokens(beside member: String) throws {
    for provider in [try Self.backend(), try plainOAuth(), try openID()] {
      for body in ["{\(Self.tokens),\(member)}", "{\(member),\(Self.tokens)}"] {
        #expect(try judged(provider, 200, body, for: .refresh) == "tokens at-1 rt-2 -")
      }
    }
  }

  @Test(arguments: odd)
  func aRotatedTokenIsNotLostForAnotherMember(_ member: String) throws {
    try keepsTokens(beside: member)
    let user = #"{\#(Self.tokens),"user":{"id":"u1",\#(member)}}"#
    #expect(try judged(Self.backend(), 200, user, for: .refresh) == "tokens at-1 rt-2 -")
  }

  /// A name in Latin-1, a tab in a text, a byte order mark, and a comment behind the answer.
  @Test(arguments: TokenFault.allCases)
  func aRotatedTokenIsNotLostForAFaultOfTheText(_ fault: TokenFault) throws {
    for provider in [try Self.backend(), try plainOAuth(), try openID()] {
      let body = try SecretBytes(copying: fault.bytes(around: Self.tokens))
      let judgement = ProviderClient(provider: provider).judge(
        status: 200,
        retryAfter: nil,
        body: body,
        for: .refresh,
        sent: nil
      )
      guard case .tokens(let answer) = judgement else {
        Issue.record("\(judgement)")
        continue
      }
      #expect(answer.refreshToken != nil)
    }
  }

  enum TokenFault: CaseIterable {
    case latin1, tab, mark, comment

    func bytes(around tokens: String) -> [UInt8] {
      switch self {
      case .latin1: Array("{\"name\":\"J".utf8) + [0xF6] + Array("rg\",\(tokens)}".utf8)
      case .tab: Array("{\(tokens),\"name\":\"a\tb\"}".utf8)
      case .mark: [0xEF, 0xBB, 0xBF] + Array("{\(tokens)}".utf8)
      case .comment: Array("{\(tokens)}\n<!-- 3 ms -->\n".utf8)
      }
    }
  }

  /// Members that a reader refuses in a document that it must keep whole.
  private static let tooMuch = [
    #""a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
    #""a":"# + String(repeating: #"{"b":"#, count: 9000) + "0"
      + String(repeating: "}", count: 9000),
    #""a":["# + [String](repeating: "{}", count: 9000).joined(separator: ",") + "]",
    #""a":{"refresh_token":["#
      + [String](repeating: #""x""#, count: 65).joined(separator: ",") + "]}",
    #""a":{"password":["# + [String](repeating: #""x""#, count: 65).joined(separator: ",") + "]}",
    #""a":{"refresh_token":"\ud83d"}"#, #""a":1,"a":2"#, #""a":{"b":1,"b":2}"#,
    #""a":{"access_token":"x","access_token":"y"}"#,
  ]

  @Test(arguments: tooMuch)
  func aRotatedTokenIsNotLostForWhatIsTooMuch(_ member: String) throws {
    try keepsTokens(beside: member)
  }

  /// Of two access tokens neither is used, but the refresh token is kept, because the provider has
  /// ended the previous one.
  @Test
  func membersThatAreReadAndComeTwiceAreNotUsed() throws {
    for member in [
      #""access_token":"at-1","access_token":"at-1""#,
      #""token_type":"Bearer","access_token":"at-1","token_type":"x""#,
    ] {
      let body = #"{\#(member),"refresh_token":"rt-2"}"#
      #expect(try judged(openID(), 200, body, for: .refresh).hasPrefix("misconfigured rt-2 "))
    }
    let refresh = #"{"access_token":"at-1","refresh_token":"rt-2","refresh_token":"rt-2"}"#
    #expect(try judged(openID(), 200, refresh, for: .refresh) == "failing 200 -")
  }

  @Test(arguments: [#""\ud83d""#, #""a\u0000""#])
  func aRefreshTokenThatIsNoTextIsNotTakenForNone(_ token: String) throws {
    let body = #"{"access_token":"at-1","refresh_token":\#(token)}"#
    #expect(try judged(openID(), 200, body, for: .refresh) == "failing 200 -")
  }

  @Test
  func aRotatedTokenIsNotLostForTheAccessToken() throws {
    for token in [#""a\u0000""#, #""\ud83d""#, "1e999", "\"\(Self.marks)\""] {
      let body = #"{"access_token":\#(token),"refresh_token":"rt-2"}"#
      #expect(try judged(openID(), 200, body, for: .refresh).hasPrefix("misconfigured rt-2 "))
    }
  }

  @Test(arguments: odd)
  func metadataAndKeysAreReadWithoutIt(_ member: String) throws {
    let document =
      #"{"issuer":"https://id.example.com","grant_types_supported":["refresh_token","\#(Self.marks)"],\#(member)}"#
    let metadata = try ServerMetadata(secret(document), for: try openID())
    #expect(metadata.grants == ["refresh_token"])
    let samples = try IDTokenSamples.shared.get()
    let keys = String(decoding: samples.keys.encoded, as: UTF8.self)
    let set = keys.replacing(#"{"kty""#, with: #"{\#(member),"kty""#)
    #expect(set != keys)
    #expect(try KeySet(secret(set)).count == samples.keys.count)
  }

  @Test(arguments: odd)
  func aProfileIsShownWithoutIt(_ member: String) throws {
    let profile = ProviderClient(provider: try openID()).judgeProfile(
      status: 200,
      retryAfter: nil,
      body: try secret(#"{"sub":"u1","email":"a@example.org",\#(member)}"#),
      subject: "u1"
    )
    guard case .profile(let facts, let object) = profile else {
      Issue.record("\(profile)")
      return
    }
    #expect(facts.id == "u1" && facts.email == "a@example.org")
    #expect(try JSONWriter.write(.object(object)).count < 200)
  }

  @Test
  func anIdentifierThatOnlyLooksTheSameIsAnotherPerson() throws {
    for (found, expected) in [("e\u{301}", "\u{E9}"), ("\u{212A}", "K")] {
      let judgement = ProviderClient(provider: try openID()).judgeProfile(
        status: 200,
        retryAfter: nil,
        body: try secret(#"{"sub":"\#(found)"}"#),
        subject: expected
      )
      guard case .refused = judgement else {
        Issue.record("\(judgement)")
        continue
      }
    }
  }

  /// Compared with the simple algorithm, with repetitive secrets and texts.
  @Test
  func aQuotedSecretIsFoundWhereverItStands() throws {
    var generator = SeededGenerator(seed: 1)
    let provider = try openID()
    func word(_ count: ClosedRange<Int>) -> String {
      String(
        (0..<Int.random(in: count, using: &generator)).map { _ in
          "xz".randomElement(using: &generator) ?? "x"
        }
      )
    }
    for _ in 0..<2000 {
      let sent = word(1...6)
      let text = word(1...40)
      let answer = try judged(
        provider,
        400,
        #"{"error":"invalid_grant","error_description":"\#(text)"}"#,
        for: .code,
        sent: shared(sent)
      )
      #expect(answer == "refused 400 " + (text.contains(sent) ? "invalid_grant" : text))
    }
  }

  @Test
  func manyKeysOfOneNameAreNotTried() throws {
    let samples = try IDTokenSamples.shared.get()
    let key = try samples.signer.jwk(.p256, kid: "e")
    let other = try samples.signer.jwk(.otherP256, kid: "e")
    for (count, isBelieved) in [(0, true), (1, true), (2, false), (99, false)] {
      let all = [String](repeating: other, count: count) + [key]
      let set = try KeySet(Array(#"{"keys":[\#(all.joined(separator: ","))]}"#.utf8))
      let answer = samples.check(try samples.token(), keys: set)
      #expect((answer == "u1") == isBelieved, "\(count): \(answer)")
    }
  }
}
