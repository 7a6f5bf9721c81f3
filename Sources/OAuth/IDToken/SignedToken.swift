internal import Cryptography
internal import JSON
internal import PlainText

/// A JWT in the compact serialization of JWS (RFC 7515, section 3.1), split into its parts, not yet
/// verified.
struct SignedToken {
  /// The most keys of one name that are tried.
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
    guard parts.count == 3 else { throw .refused("it is not a signed token") }
    guard let text = Base64.url.bytes(parts[0]) else { throw .refused("it cannot be read") }
    let header = try Self.object(text)
    algorithm = try Self.algorithm(in: header)
    // `crit` names extensions that must be understood, and none are (RFC 7515, section 4.1.11).
    guard header["crit"] == nil else { throw .refused("it has extensions that are not known") }
    // The same key may have signed a token of another kind for the same client. That is not an ID
    // token (RFC 8725, section 3.11).
    switch header["typ"] {
    case nil: break
    case .string(let type) where type.utf8.count == 3 && type.lowercased().isByteEqual(to: "jwt"):
      break
    default: throw .refused("it is a token of another type")
    }
    switch header["kid"] {
    case nil: kid = nil
    case .string(let name): kid = name
    default: throw .refused("its `kid` is not text")
    }
    guard let payload = Base64.url.bytes(parts[1]) else { throw .refused("it cannot be read") }
    self.payload = payload
    guard let signature = Base64.url.bytes(parts[2]), !signature.isEmpty else {
      throw .refused("its signature cannot be read")
    }
    self.signature = signature
    signed = Array(bytes[..<parts[1].endIndex])
  }

  /// Checks that one of the keys signed the token.
  ///
  /// Keys that the token itself supplies (`jwk`, `jku`, `x5c`, `x5u`) are ignored: an attacker can
  /// sign with its own key.
  func verify(with keys: KeySet) throws(IDTokenError) {
    let candidates = keys.candidates(kid: kid, algorithm)
    // Without a `kid` there must be only one candidate (OpenID Connect Core 1.0, section 10.1).
    guard kid != nil || candidates.count <= 1 else {
      throw .refused("it does not say which of the provider's keys signed it")
    }
    // Each candidate costs one signature check, and a set holds up to a hundred keys. A `kid`
    // should name one key (RFC 7517, section 4.5).
    guard candidates.count <= Self.mostCandidates else {
      throw .refused("the provider has \(candidates.count) keys of the name that it is signed with")
    }
    // Build the keys only now: building a hundred would cost more than the rest of the check.
    let usable = candidates.compactMap { try? SignatureKey($0.numbers) }
    guard !usable.isEmpty else { throw .unknownKey(kid.map { DisplayText.of($0, most: 64) ?? "" }) }
    guard usable.contains(where: { $0.verifies(signature, of: signed, algorithm) }) else {
      // The provider may have replaced a key by another one of the same name, or without a name.
      throw kid == nil ? .unknownKey(nil) : .wrongSignature
    }
  }

  private static func algorithm(in header: JSONObject) throws(IDTokenError) -> SignatureAlgorithm {
    guard case .string(let name) = header["alg"] else {
      throw .refused("it does not say how it is signed (`alg`)")
    }
    guard let known = SignatureAlgorithm(named: name) else {
      let shown = DisplayText.of(name, most: 32) ?? "nothing"
      throw .refused(
        "it is signed with \(shown), but only this is accepted: \(list(IDToken.algorithms))"
      )
    }
    return known
  }

  /// The names of algorithms, in the order of `SignatureAlgorithm`.
  static func list(_ names: Set<String>) -> String {
    let known = SignatureAlgorithm.allCases.map(\.rawValue).filter(names.contains)
    return known.isEmpty ? "none" : known.joined(separator: ", ")
  }

  /// The signed claims as a JSON object; call it only after `verify`.
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
