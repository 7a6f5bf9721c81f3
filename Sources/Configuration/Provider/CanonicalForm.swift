public import SecretMemory

// The canonical form of a provider, to which accounts are bound.
extension Provider {
  /// The version byte at the start of a canonical form.
  private static let canonicalVersion: UInt8 = 1
  /// The most bytes of a canonical form.
  private static let maximumCanonicalCount = 48 * 1024

  /// The settings as bytes: a version byte, then each key and value.
  ///
  /// The keys are in byte order. Each key and value is preceded by its length in four bytes,
  /// big-endian. The length prefixes keep two different settings from having the same bytes. The
  /// name is not included, because the binding is to a provider, not to the user's name for it. The
  /// client secret is not included either; `wholeForm` inserts it.
  public var canonicalForm: [UInt8] {
    var bytes = [Self.canonicalVersion]
    for (key, value) in settings.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    {
      Self.append(Array(key.utf8), to: &bytes)
      Self.append(Array(value.utf8), to: &bytes)
    }
    return bytes
  }

  /// The part of the canonical form that the providers of this kind have, and no others.
  public static func canonicalPart(of kind: Kind) -> [UInt8] {
    var bytes: [UInt8] = []
    append(Array("kind".utf8), to: &bytes)
    append(Array(kind.rawValue.utf8), to: &bytes)
    return bytes
  }

  private static func append(_ text: [UInt8], to bytes: inout [UInt8]) {
    bytes += length(text.count)
    bytes += text
  }

  private static func length(_ count: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
  }

  /// Reads a canonical form that an account keeps.
  ///
  /// - Parameters:
  ///   - name: the user's name for the provider.
  ///   - bytes: the form.
  ///   - clientSecret: the client secret, which is not in the form.
  /// - Throws: `damaged` for bytes that `canonicalForm` cannot have made, such as in another order
  ///   or length, and the errors of the settings themselves.
  public init(
    name: ProviderName,
    canonicalForm bytes: [UInt8],
    clientSecret: ClientSecret? = nil
  ) throws(ConfigurationError) {
    guard bytes.count <= Self.maximumCanonicalCount, bytes.first == Self.canonicalVersion else {
      throw ConfigurationError(.damaged)
    }
    var rest = bytes.dropFirst()
    var settings: [String: String] = [:]
    var previous: String?
    while !rest.isEmpty {
      guard let key = Self.text(from: &rest), let value = Self.text(from: &rest),
        previous.map({ $0.utf8.lexicographicallyPrecedes(key.utf8) }) ?? true,
        key != ClientSecret.key
      else { throw ConfigurationError(.damaged) }
      settings[key] = value
      previous = key
    }
    try self.init(name: name, boundSettings: settings, clientSecret: clientSecret)
  }

  private static func text(from rest: inout ArraySlice<UInt8>) -> String? {
    part(from: &rest).flatMap { String(validating: $0, as: UTF8.self) }
  }

  private static func part(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard rest.count >= 4 else { return nil }
    let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    rest = rest.dropFirst(4)
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  // MARK: - The client secret

  /// A canonical form with the client secret inserted among the keys: accounts are bound to it.
  ///
  /// - Parameters:
  ///   - form: a form without a client secret, from `canonicalForm`.
  ///   - clientSecret: the secret.
  ///   - suffix: bytes to append.
  /// - Throws: `SecretMemoryError` if there is no locked memory.
  /// - Returns: the whole form, in locked memory.
  public static func wholeForm(
    _ form: [UInt8],
    _ clientSecret: ClientSecret,
    followedBy suffix: [UInt8] = []
  ) throws(SecretMemoryError) -> SecretBytes {
    let key = Array(ClientSecret.key.utf8)
    var rest = form.dropFirst()
    var insertion = rest.startIndex
    while let next = part(from: &rest), part(from: &rest) != nil,
      next.lexicographicallyPrecedes(key)
    {
      insertion = rest.startIndex
    }
    let secret = clientSecret.secret
    var before = Array(form[..<insertion])
    append(key, to: &before)
    before += length(secret.bytes.count)
    let after = form[insertion...] + suffix
    let count = before.count + secret.bytes.count + after.count
    return unsafe try SecretBytes(capacity: count) { room in
      unsafe room.copyBytes(from: before)
      unsafe secret.bytes.withUnsafeBytes { bytes in
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[before.count...])
          .copyMemory(from: bytes)
      }
      let end = before.count + secret.bytes.count
      unsafe UnsafeMutableRawBufferPointer(rebasing: room[end...]).copyBytes(from: after)
      return count
    }
  }
}
