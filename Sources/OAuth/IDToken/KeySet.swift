internal import Cryptography
internal import JSON
internal import PlainText
public import SecretMemory

/// The public keys that a provider signs ID tokens with: a JWK Set (RFC 7517, section 5).
///
/// Unreadable keys and keys for other uses are left out, as section 5 says: a set may hold kinds
/// that were invented later. A point that is not on its curve is found only when a token names its
/// key.
public struct KeySet: Sendable {
  /// The most bytes of a set.
  public static let maximumCount = 64 * 1024
  /// The most keys of one set.
  public static let maximumKeys = 100

  /// The usable keys.
  let keys: [SigningKey]

  /// The number of usable keys.
  public var count: Int { keys.count }

  /// Reads a set from a provider's answer.
  public init(_ body: borrowing SecretBytes) throws(KeySetError) {
    guard body.count <= Self.maximumCount else { throw .tooLong }
    guard case .object(let object) = Answer(body, secretMembers: SigningKey.privateMembers) else {
      throw .notAnObject
    }
    try self.init(object)
  }

  /// Reads the result of `encoded`.
  public init(_ text: [UInt8]) throws(KeySetError) {
    guard text.count <= Self.maximumCount else { throw .tooLong }
    guard
      case .object(let object)? = try? JSONReader.read(
        text,
        JSONRules(secretMembers: SigningKey.privateMembers, keepsRest: true)
      )
    else { throw .notAnObject }
    try self.init(object)
  }

  private init(_ object: JSONObject) throws(KeySetError) {
    guard case .array(let values) = object["keys"] else { throw .withoutKeys }
    guard values.count <= Self.maximumKeys else { throw .tooManyKeys }
    keys = values.compactMap { value in
      if case .object(let key) = value { SigningKey(key) } else { nil }
    }
  }

  /// The usable keys as a JWK Set, kept so that a token can be judged again later.
  public var encoded: [UInt8] {
    let values = keys.map { JSONValue.object($0.encoded) }
    // The set holds no secrets and no numbers, so the writer refuses nothing in it.
    return (try? JSONWriter.write(.object(["keys": .array(values)]))) ?? Array(#"{"keys":[]}"#.utf8)
  }

  /// The keys that may have made a signature that names `kid` and `algorithm`.
  func candidates(kid: String?, _ algorithm: SignatureAlgorithm) -> [SigningKey] {
    keys.filter { key in
      key.numbers.kind.fits(algorithm) && (key.algorithm ?? algorithm) == algorithm
        && (kid == nil || key.kid.map { $0.isByteEqual(to: kid ?? "") } ?? false)
    }
  }
}

/// Why a key set is not used.
public enum KeySetError: Error, Equatable, Sendable, CustomStringConvertible {
  /// More than `KeySet.maximumCount` bytes.
  case tooLong
  /// Not one JSON object, or an object with a repeated member.
  case notAnObject
  /// Without an array `keys`.
  case withoutKeys
  /// More than `KeySet.maximumKeys` keys.
  case tooManyKeys

  /// One line that quotes nothing from the set.
  public var description: String {
    switch self {
    case .tooLong: "the provider's key set is too long"
    case .notAnObject: "the provider's key set is not a JSON object"
    case .withoutKeys: "the provider's key set has no `keys`"
    case .tooManyKeys: "the provider's key set has more than \(KeySet.maximumKeys) keys"
    }
  }
}
