import Testing
import Varlink
import VaultInterface

/// The fast decoder of the most frequent call.
///
/// Its result must equal that of the general decoder, and it must leave every unknown message to
/// that one.
@Suite
struct UsualTokenCallTests {
  private static func read(_ text: String) -> (UsualTokenCall?, VarlinkCall?) {
    unsafe Array(text.utf8).withUnsafeBytes { bytes in
      (
        unsafe UsualTokenCall(bytes),
        try? unsafe VarlinkCall(decoding: bytes, on: .vault)
      )
    }
  }

  @Test(arguments: [
    #"{"method":"io.thumblatch.Vault.AccessToken"}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":0}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"a.b_c-9","minimum_lifetime":999999999}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":60,"account":"me"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"ask":false}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me","ask":false}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"ask" : true , "minimum_lifetime":60}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me","helper":true,"ask":false}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"helper" : false}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"reason":"git at a.org","helper":true}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"reason" : ""}}"#,
    #" { "method" : "io.thumblatch.Vault.AccessToken" , "parameters" : { "account" : "me" } , "more" : false } "#,
    "{\t\"method\":\r\n\"io.thumblatch.Vault.AccessToken\",\"parameters\":{ }}",
  ])
  func whatItReadsMeansTheSameToTheOther(_ text: String) throws {
    let (usual, full) = Self.read(text)
    let content: AccessTokenCall = try #require(full).content()
    #expect(try #require(usual).call.content() == content)
    #expect(full?.oneway == false && full?.more == false && full?.upgrade == false)
  }

  @Test(arguments: [
    "", "{", "{}", "null", #"{"method":"io.thumblatch.Vault.AccessToken""#,
    #"{"method":"io.thumblatch.Vault.AccessTokens"}"#, #"{"method":"io.thumblatch.Vault.Lock"}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken"}x"#,
    #"{"method":"io.thumblatch.Vault.AccessToken",}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","more":true}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","oneway":true}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me",}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me","account":"me"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":""}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"Me"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":".me"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"m\u0065"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":null}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"prompt":"x"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me","scope":"a"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me","rejected":"a"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":-1}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":007}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":1.5}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":1e9}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":1000000000}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"minimum_lifetime":}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"ask":null}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"ask":falsey}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"ask":0}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"ask":false,"ask":false}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"helper":null}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"helper":true,"helper":true}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"reason":null}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"reason":"a\"b"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"reason":"a\u0041"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"reason":"é"}}"#,
    #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"reason":"a","reason":"a"}}"#,
    #"{"parameters":{"account":"me"},"method":"io.thumblatch.Vault.AccessToken"}"#,
  ])
  func whateverElseComesIsLeftToTheOther(_ text: String) {
    #expect(Self.read(text).0 == nil)
  }

  @Test
  func aMessageThatIsCutAnywhereIsNotRead() {
    let text =
      #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"me","minimum_lifetime":60,"helper":true,"reason":"a"},"more":false}"#
    #expect(Self.read(text).0 != nil)
    for count in 0..<text.utf8.count { #expect(Self.read(String(text.prefix(count))).0 == nil) }
  }

  @Test
  func aReasonOfMoreThan200LettersIsLeftToTheOther() {
    for (count, isRead) in [(200, true), (201, false)] {
      let reason = String(repeating: "a", count: count)
      let text =
        #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"reason":"\#(reason)"}}"#
      #expect((Self.read(text).0 != nil) == isRead)
    }
  }

  @Test
  func aNameOfMoreThan64LettersIsLeftToTheOther() {
    for (count, isRead) in [(64, true), (65, false)] {
      let name = String(repeating: "a", count: count)
      let text =
        #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"account":"\#(name)"}}"#
      #expect((Self.read(text).0 != nil) == isRead)
    }
  }
}
