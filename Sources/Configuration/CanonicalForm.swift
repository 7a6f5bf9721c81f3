extension Provider {
  /// The version that stands first in a canonical form.
  private static let canonicalVersion: UInt8 = 1
  /// The most bytes that a canonical form may have.
  private static let maximumCanonicalCount = 48 * 1024

  /// The settings as bytes: a version byte, then each key and value in the order of the keys'
  /// bytes, each preceded by its length in four bytes, big-endian.
  ///
  /// Length prefixes keep two different settings from having the same bytes. The name is not in
  /// it: the binding is to a place, not to what a user calls it.
  public var canonicalForm: [UInt8] {
    var bytes = [Self.canonicalVersion]
    for (key, value) in settings.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    {
      for text in [key, value] {
        let count = UInt32(text.utf8.count)
        for shift: UInt32 in [24, 16, 8, 0] {
          bytes.append(UInt8(truncatingIfNeeded: count >> shift))
        }
        bytes.append(contentsOf: text.utf8)
      }
    }
    return bytes
  }

  /// Reads a canonical form that an account keeps.
  ///
  /// - Throws: `damaged` for bytes that `canonicalForm` cannot have made, in any order or length,
  ///   and whatever the settings themselves are refused for.
  public init(name: ProviderName, canonicalForm bytes: [UInt8]) throws(ConfigurationError) {
    guard bytes.count <= Self.maximumCanonicalCount, bytes.first == Self.canonicalVersion else {
      throw ConfigurationError(.damaged)
    }
    var rest = bytes.dropFirst()
    var settings: [String: String] = [:]
    var previous: String?
    while !rest.isEmpty {
      guard let key = Self.text(from: &rest), let value = Self.text(from: &rest),
        previous.map({ $0.utf8.lexicographicallyPrecedes(key.utf8) }) ?? true
      else { throw ConfigurationError(.damaged) }
      settings[key] = value
      previous = key
    }
    try self.init(name: name, boundSettings: settings)
  }

  private static func text(from rest: inout ArraySlice<UInt8>) -> String? {
    guard rest.count >= 4 else { return nil }
    let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(4)
    guard count <= rest.count, let text = String(validating: rest.prefix(count), as: UTF8.self)
    else { return nil }
    rest = rest.dropFirst(count)
    return text
  }
}
