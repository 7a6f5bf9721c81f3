import OAuth
import SecretMemory
import Testing

@Suite
struct ProofKeyTests {
  /// RFC 7636, appendix B.
  @Test
  func theChallengeIsTheDigestOfTheVerifier() throws {
    let verifier = try secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(
      try ProofKey.challenge(for: verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )
  }

  @Test
  func verifiersAndIdentifiersAreWellFormedAndNeverTheSame() throws {
    let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var seen: Set<String> = []
    for _ in 0..<500 {
      let verifier = try #require(text(SharedSecret(try ProofKey.verifier())))
      for text in [verifier, try ProofKey.identifier()] {
        #expect(text.count == 43 && text.allSatisfy(letters.contains))
        #expect(seen.insert(text).inserted)
      }
    }
    // Every letter occurs, and the last one encodes only four bits.
    #expect(Set(seen.joined()) == letters)
    #expect(Set(seen.compactMap(\.last)).count == 16)
  }
}
