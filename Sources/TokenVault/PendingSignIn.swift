internal import Configuration

/// What a login keeps in its intent until the answer is there: the provider that the account gets.
struct PendingSignIn {
  let providerName: String
  let providerSettings: [UInt8]
  let email: String
  let exportable: Bool

  /// The members behind their lengths, as the intent's context holds them.
  var encoded: [UInt8] {
    var parts = [Array(providerName.utf8), providerSettings, Array(email.utf8)]
    // Left out where it is not so: as it was before there were such accounts.
    if exportable { parts.append(Self.exportableMember) }
    return parts.flatMap { part in
      let count = UInt32(truncatingIfNeeded: part.count)
      return (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * UInt32($0))) } + part
    }
  }

  private static let exportableMember = [UInt8]("exportable".utf8)

  init(_ provider: Provider, email: String, exportable: Bool) {
    self.exportable = exportable
    providerName = provider.name.text
    providerSettings = provider.canonicalForm
    self.email = email
  }

  init?(decoding bytes: [UInt8]) {
    var rest = bytes[...]
    func next() -> [UInt8]? {
      guard rest.count >= 4 else { return nil }
      let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(4)
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    guard let name = next(), let settings = next(), let email = next() else {
      return nil
    }
    let last = rest.isEmpty ? nil : next()
    guard rest.isEmpty, last == nil || last == Self.exportableMember else { return nil }
    exportable = last != nil
    providerName = String(decoding: name, as: UTF8.self)
    providerSettings = settings
    self.email = String(decoding: email, as: UTF8.self)
  }
}
