internal import Cryptography
internal import JSON
internal import PlainText

/// A JWT in the compact serialization of JWS (RFC 7515, section 3.1), taken apart; not yet checked.
struct SignedToken {
  /// The most keys of one name that may have signed it.
  private static let mostCandidates = 2

  let algorithm: SignatureAlgorithm
  let kid: String?
  private let payload: [UInt8]
  private let signed: [UInt8]
  private let signature: [UInt8]

  init(_ text: String) throws(IDTokenError) {
    let bytes = Array(text.utf8)
    guard bytes.count <= IDToken.maximumCount else { throw .refused("it is too long") }
    let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .refused("it is no signed token") }
    guard let text = Base64.url.bytes(parts[0]) else { throw .refused("it cannot be read") }
    let header = try Self.object(text)
    algorithm = try Self.algorithm(in: header)
    // A header that must be understood, and is not (RFC 7515, section 4.1.11).
    guard header["crit"] == nil else { throw .refused("it has extensions that are not known") }
    // A token of another kind, signed by the same key for the same client, is no ID token
    // (RFC 8725, section 3.11).
    switch header["typ"] {
    case nil: break
    case .string(let type) where type.utf8.count == 3 && type.lowercased().isByteEqual(to: "jwt"):
      break
    default: throw .refused("it is a token of another type")
    }
    switch header["kid"] {
    case nil: kid = nil
    case .string(let name): kid = name
    default: throw .refused("its `kid` is no text")
    }
    guard let payload = Base64.url.bytes(parts[1]) else { throw .refused("it cannot be read") }
    self.payload = payload
    guard let signature = Base64.url.bytes(parts[2]), !signature.isEmpty else {
      throw .refused("its signature cannot be read")
    }
    self.signature = signature
    signed = Array(bytes[..<parts[1].endIndex])
  }

  /// Whether one of the keys signed it.
  ///
  /// Keys that the token brings along (`jwk`, `jku`, `x5c`, `x5u`) are not looked at: anyone can
  /// sign with a key of one's own.
  func verify(with keys: KeySet) throws(IDTokenError) {
    let candidates = keys.candidates(kid: kid, algorithm)
    // Without a name there must be no choice (OpenID Connect Core 1.0, section 10.1).
    guard kid != nil || candidates.count <= 1 else {
      throw .refused("it does not say which of the provider's keys signed it")
    }
    // Each costs as much as a signature, and a set has room for a hundred. A name is of one key (RFC
    // 7517, section 4.5).
    guard candidates.count <= Self.mostCandidates else {
      throw .refused("the provider has \(candidates.count) keys of the name that it is signed with")
    }
    // Only now: a set of a hundred would cost more than the rest of the judgement.
    let usable = candidates.compactMap { try? SignatureKey($0.numbers) }
    guard !usable.isEmpty else {
      throw .unknownKey(kid.map { DisplayText.of($0, most: 64) ?? "" })
    }
    guard usable.contains(where: { $0.verifies(signature, of: signed, algorithm) }) else {
      // A key that has no name may have been changed for another that has none.
      throw kid == nil ? .unknownKey(nil) : .refused("its signature is wrong")
    }
  }

  private static func algorithm(in header: JSONObject) throws(IDTokenError) -> SignatureAlgorithm {
    guard case .string(let name) = header["alg"] else {
      throw .refused("it does not say how it is signed (`alg`)")
    }
    guard let known = SignatureAlgorithm(named: name) else {
      let shown = DisplayText.of(name, most: 32) ?? "nothing"
      throw .refused("it is signed with \(shown), and accepted is \(list(IDToken.algorithms))")
    }
    return known
  }

  /// The names of algorithms in the order of their table.
  static func list(_ names: Set<String>) -> String {
    let known = SignatureAlgorithm.allCases.map(\.rawValue).filter(names.contains)
    return known.isEmpty ? "none" : known.joined(separator: ", ")
  }

  /// What is signed, read as the JSON object that it must be; asked for after `verify`.
  func claims() throws(IDTokenError) -> JSONObject {
    try Self.object(payload)
  }

  private static func object(_ text: [UInt8]) throws(IDTokenError) -> JSONObject {
    guard case .object(let object)? = try? JSONReader.read(text, JSONRules(keepsRest: true)) else {
      throw .refused("it cannot be read")
    }
    return object
  }
}
