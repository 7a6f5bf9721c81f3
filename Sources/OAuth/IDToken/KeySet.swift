internal import Cryptography
internal import JSON
internal import PlainText
public import SecretMemory

/// The public keys with which a provider signs ID tokens: a JWK Set (RFC 7517, section 5).
///
/// Keys that are not for this, or that cannot be read, are left out, as the section says: a set
/// may hold kinds that were invented later. A point that is not on its curve is found only when a
/// token names its key.
public struct KeySet: Sendable {
  /// The most bytes of a set.
  public static let maximumCount = 64 * 1024
  /// The most keys of one.
  public static let maximumKeys = 100

  /// The keys that can be used.
  let keys: [SigningKey]

  /// How many keys can be used.
  public var count: Int { keys.count }

  /// Reads a set from a provider's answer.
  public init(_ body: borrowing SecretBytes) throws(KeySetError) {
    guard body.count <= Self.maximumCount else { throw .tooLong }
    guard case .object(let object) = Answer(body, secretMembers: SigningKey.privateMembers) else {
      throw .notAnObject
    }
    try self.init(object)
  }

  /// Reads what `encoded` gave.
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

  /// The usable keys as a JWK Set: what must be kept to judge a token later as one would now.
  public var encoded: [UInt8] {
    let values = keys.map { JSONValue.object($0.encoded) }
    // There are no secrets in it, and no numbers: nothing that the writer refuses.
    return (try? JSONWriter.write(.object(["keys": .array(values)]))) ?? Array(#"{"keys":[]}"#.utf8)
  }

  /// The keys that may have signed what names `kid` and `algorithm`.
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
  /// Not one JSON object, or one whose members come twice.
  case notAnObject
  /// Without an array `keys`.
  case withoutKeys
  /// More than `KeySet.maximumKeys`.
  case tooManyKeys

  /// One line, without anything of the set.
  public var description: String {
    switch self {
    case .tooLong: "the provider's key set is too long"
    case .notAnObject: "the provider's key set is no JSON object"
    case .withoutKeys: "the provider's key set has no `keys`"
    case .tooManyKeys: "the provider's key set has more than \(KeySet.maximumKeys) keys"
    }
  }
}
