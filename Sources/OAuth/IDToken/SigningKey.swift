internal import Cryptography
internal import JSON
internal import PlainText

/// One public key of a provider for signatures: a JWK (RFC 7517, section 4).
struct SigningKey: Sendable {
  /// The members that only private keys have (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1).
  ///
  /// They are read as secrets, so that a leaked private key never becomes a `String`.
  static let privateMembers: Set<String> = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]
  private static let maximumName = 256

  /// The key's name in tokens.
  let kid: String?
  /// The only algorithm of the key, if it names one.
  let algorithm: SignatureAlgorithm?
  /// The key's numbers.
  let numbers: PublicKeyNumbers
  /// The members that the key was made of, to be written again.
  let encoded: JSONObject

  /// `nil` if the key is not for signatures, cannot be read, or is private: a published private key
  /// is no proof.
  init?(_ object: JSONObject) {
    guard Self.privateMembers.allSatisfy({ object[$0] == nil }) else { return nil }
    switch object["use"] {
    case nil, .string("sig"): break
    default: return nil
    }
    switch object["key_ops"] {
    case nil: break
    case .array(let operations) where operations.contains(.string("verify")): break
    default: return nil
    }
    switch object["kid"] {
    case nil: kid = nil
    case .string(let name) where name.utf8.count <= Self.maximumName: kid = name
    default: return nil
    }
    switch object["alg"] {
    case nil: algorithm = nil
    case .string(let name):
      guard let known = SignatureAlgorithm(named: name) else { return nil }
      algorithm = known
    default: return nil
    }
    guard let (numbers, members) = Self.numbers(in: object),
      algorithm.map(numbers.kind.fits) ?? true
    else { return nil }
    self.numbers = numbers
    let names = ["kty", "kid", "alg"] + members
    encoded = JSONObject(names.compactMap { name in object[name].map { (name, $0) } })
  }

  private static func numbers(in object: JSONObject) -> (PublicKeyNumbers, members: [String])? {
    switch (object["kty"], object["crv"]) {
    case (.string("RSA"), _):
      guard let modulus = number("n", object), let exponent = number("e", object),
        let numbers = try? PublicKeyNumbers(rsaModulus: modulus, exponent: exponent)
      else { return nil }
      return (numbers, ["n", "e"])
    case (.string("EC"), .string(let name)):
      guard let curve = SignatureKey.Curve(named: name), let x = number("x", object),
        let y = number("y", object), let numbers = try? PublicKeyNumbers(on: curve, x: x, y: y)
      else { return nil }
      return (numbers, ["crv", "x", "y"])
    case (.string("OKP"), .string("Ed25519")):
      guard let x = number("x", object), let numbers = try? PublicKeyNumbers(ed25519: x) else {
        return nil
      }
      return (numbers, ["crv", "x"])
    default: return nil
    }
  }

  private static func number(_ name: String, _ object: JSONObject) -> [UInt8]? {
    guard case .string(let text) = object[name], text.utf8.count <= 1400 else { return nil }
    return Base64.url.bytes(text.utf8)
  }
}
