internal import Cryptography
internal import JSON
internal import OAuth
internal import SecretMemory

extension Fuzzer {
  /// A provider's keys.
  static let keys = Fuzzer("keys", maximum: KeySet.maximumCount, dictionary: "json") { input in
    let keys = try KeySet(input.secret().bytes)
    let again = try? KeySet(keys.encoded)
    demand(again?.count == keys.count, "keys that were written are others when they are read again")
  }

  /// An ID token as received.
  static let idTokens = Fuzzer("id-tokens", maximum: IDToken.maximumCount) { input in
    let text = String(decoding: input.bytes(), as: UTF8.self)
    _ = try IDToken.check(text, keys: PublishedKeys.set, expectations: PublishedKeys.wanted)
  }

  /// The header, a line feed, and the payload of an ID token, which are encoded here.
  ///
  /// A change of one byte of base64 is rarely a change of one byte of JSON.
  static let idTokenParts = Fuzzer(
    "id-token-parts",
    maximum: IDToken.maximumCount / 4 * 3,
    dictionary: "json"
  ) { input in
    let parts = input.bytes().split(separator: 10, maxSplits: 1).map { Base64.url.text(Array($0)) }
    let text = (parts + [Base64.url.text([UInt8](repeating: 1, count: 64))]).joined(separator: ".")
    _ = try IDToken.check(text, keys: PublishedKeys.set, expectations: PublishedKeys.wanted)
  }

  /// The claims of an ID token with a valid signature, after one choice: the algorithm.
  static let idTokenClaims = Fuzzer(
    "id-token-claims",
    maximum: IDToken.maximumCount,
    dictionary: "json"
  ) { input in
    let algorithm = input.choice(SignatureAlgorithm.allCases)
    guard case .object(let claims) = try JSONReader.read(input.bytes()) else { return }
    let token = try IDToken(claims, algorithm: algorithm, PublishedKeys.wanted)
    demand((1...255).contains(token.subject.utf8.count), "a subject of no length or too long")
  }
}

/// The keys of RFC 7515, appendices A.2 and A.3, and of RFC 8037, appendix A.1.
///
/// The RFCs publish their private halves as well.
private enum PublishedKeys {
  static let set = made { try KeySet(Array(text.utf8)) }

  static let wanted = IDToken.Expectations(
    issuer: "https://id.example.com",
    clientID: "client-1",
    nonce: "n-1",
    accessToken: "access",
    now: 1_800_000_000,
    subject: nil
  )

  private static let text = #"""
    {"keys":[{"kty":"RSA","kid":"r","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"},
    {"kty":"EC","kid":"e","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
    {"kty":"OKP","kid":"d","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}
    """#
}
