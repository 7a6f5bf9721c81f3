import Configuration
import OAuth
import System
import Testing

@testable import TokenVault

/// The documents of providers, whose answers may arrive in another order than the requests.
struct MetadataCacheTests {
  private let source: MetadataCache.Source
  private let older: KeySet
  private let newer: KeySet

  init() throws {
    let provider = try Provider(
      name: try ProviderName("idp"),
      settings: ["kind": "oidc", "issuer": "https://id.test", "client_id": "app"],
      clientSecret: nil
    )
    source = MetadataCache.Source(
      issuer: provider.issuer.text,
      url: "https://id.test/keys",
      terms: ExchangeTerms(provider, owner: 1000)
    )
    older = try KeySet(Array(#"{"keys":[]}"#.utf8))
    // RFC 7517, appendix A.1.
    let key = """
      {"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
      "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","kid":"1"}
      """
    newer = try KeySet(Array("{\"keys\":[\(key)]}".utf8))
  }

  private func moment(_ seconds: Int64) -> BootInstant {
    BootInstant(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  @Test
  func theAnswerToAnEarlierRequestDoesNotReplaceNewerKeys() throws {
    try #require(older.count == 0 && newer.count == 1)
    var cache = MetadataCache()
    cache.put(newer, source, begun: moment(11))
    cache.put(older, source, begun: moment(10))
    #expect(cache.keys(source, at: moment(12))?.count == 1)
    // The newer keys also stay if a caller misses a key.
    for _ in 1...MetadataCache.mostRereads { cache.noteReread(source, at: moment(12)) }
    #expect(cache.keys(source, isMissingOne: true, at: moment(13))?.count == 1)
    // A later request counts.
    cache.put(older, source, begun: moment(14))
    #expect(cache.keys(source, at: moment(15))?.count == 0)
  }

  @Test
  func anyMinuteHasThreeRereadsAtMost() {
    var cache = MetadataCache()
    cache.put(newer, source, begun: moment(0))
    for second: Int64 in [1, 59, 60] { cache.noteReread(source, at: moment(second)) }
    #expect(cache.keys(source, isMissingOne: true, at: moment(60)) != nil)
    // The first one is a minute old, the others are not.
    #expect(cache.keys(source, isMissingOne: true, at: moment(61)) == nil)
    cache.noteReread(source, at: moment(61))
    #expect(cache.keys(source, isMissingOne: true, at: moment(118)) != nil)
    #expect(cache.keys(source, isMissingOne: true, at: moment(119)) == nil)
  }

  @Test
  func theFailureOfAnEarlierRequestIsNoneOfTheKeysThatCameSince() {
    var cache = MetadataCache()
    let failure = VaultFailure.providerUnavailable("down", retryAfter: 600)
    cache.put(newer, source, begun: moment(11))
    cache.noteKeyFailure(failure, source, begun: moment(10), at: moment(12))
    #expect(cache.keyFailure(source, at: moment(13)) == nil)
    cache.noteKeyFailure(failure, source, begun: moment(14), at: moment(15))
    #expect(cache.keyFailure(source, at: moment(16)) != nil)
    // The answer to an earlier request does not end the wait that the provider has asked for.
    cache.put(older, source, begun: moment(10))
    #expect(cache.keyFailure(source, at: moment(16)) != nil)
    cache.put(newer, source, begun: moment(17))
    #expect(cache.keyFailure(source, at: moment(18)) == nil)
  }
}
