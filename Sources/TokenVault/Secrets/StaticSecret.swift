internal import Configuration
package import JSON
internal import PlainText
package import SecretMemory

/// A password, a personal access token or an API key, and what a client keeps beside it.
package struct StaticSecret: Sendable {
  /// The limit of a secret, in bytes.
  package static let mostBytes = 32 * 1024
  /// The limit of what a client keeps beside it, in bytes.
  package static let mostClaims = 4096
  /// The limit of a secret as it stands in a message, which has 64 KiB and other members.
  private static let mostInMessage = 60 * 1024
  /// The limits of the texts that name it, in bytes.
  private static let mostUsername = 256
  private static let mostLabel = 1024
  /// The last second of the year 9999.
  static let lastEnd: Int64 = 253_402_300_799

  package let secret: SharedSecret
  /// The user's name at the host.
  package let username: String?
  /// How a person calls it.
  package let label: String?
  /// Seconds since 1970; `nil` if it does not expire.
  package let expiresAt: Int64?
  package let claims: JSONObject

  package init(
    secret: SharedSecret,
    username: String? = nil,
    label: String? = nil,
    expiresAt: Int64? = nil,
    claims: JSONObject? = nil
  ) {
    self.secret = secret
    self.username = username
    self.label = label
    self.expiresAt = expiresAt
    self.claims = claims ?? JSONObject()
  }

  /// Refuses what could not be kept, or not be handed out later.
  func demandUsable(at now: Int64) throws(VaultFailure) {
    try demandUsableSecret()
    try Self.demandText(username, "username", most: Self.mostUsername)
    try Self.demandText(label, "label", most: Self.mostLabel)
    if let expiresAt {
      guard expiresAt <= Self.lastEnd else {
        throw .invalidArgument("expires_at is after the year 9999")
      }
      guard expiresAt > now else { throw .invalidArgument("the secret has expired already") }
    }
    guard Self.areUsable(claims) else {
      throw .invalidArgument(
        "claims have at most \(Self.mostClaims) bytes, and are not nested deeply"
      )
    }
    if let name = Self.secretName(in: .object(claims)) {
      throw .invalidArgument("claims must not have a member named \(name)")
    }
  }

  /// Refuses a secret that could not be handed out later.
  func demandUsableSecret() throws(VaultFailure) {
    let count = secret.bytes.count
    guard (1...Self.mostBytes).contains(count) else {
      throw .invalidArgument("a secret has 1 to \(Self.mostBytes) bytes, not \(count)")
    }
    let written: Int
    do throws(JSONError) {
      written = try JSONWriter.writeSecret(.secret(secret)).count
    } catch {
      throw .invalidArgument("a secret is UTF-8 text without NUL")
    }
    guard hasOnlyText else {
      throw .invalidArgument(
        "a secret may not contain control characters other than tabs and line ends: encode it as text"
      )
    }
    guard written <= Self.mostInMessage else {
      throw .invalidArgument("the secret has too many control characters and quotation marks")
    }
  }

  /// Whether the secret has no control characters but tabs and line ends.
  ///
  /// Clients hand out no other secret: control characters could steer a terminal.
  private var hasOnlyText: Bool {
    secret.bytes.withBytes { bytes in
      var previous: UInt8 = 0
      for index in bytes.indices {
        let byte = bytes[index]
        let isControl =
          switch byte {
          case 0x09, 0x0A, 0x0D: false
          case ..<0x20, 0x7F: true
          // U+0080 to U+009F in UTF-8.
          case 0x80...0x9F: previous == 0xC2
          default: false
          }
        if isControl { return false }
        previous = byte
      }
      return true
    }
  }

  private static func demandText(
    _ text: String?,
    _ name: String,
    most: Int
  ) throws(VaultFailure) {
    guard let text else { return }
    let isShown = text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
    guard (1...most).contains(text.utf8.count), isShown else {
      throw .invalidArgument("\(name) has 1 to \(most) bytes without control characters")
    }
  }

  /// The name of a member that would hold a secret: claims are stored and listed unsealed.
  private static func secretName(in claims: JSONValue) -> String? {
    switch claims {
    case .object(let object):
      object.members.lazy.compactMap { member in
        ["refresh_token", "client_secret"].first { member.name.isByteEqual(to: $0) }
          ?? secretName(in: member.value)
      }.first
    case .array(let elements): elements.lazy.compactMap { secretName(in: $0) }.first
    default: nil
    }
  }

  /// Whether a reply can hold these claims.
  static func areUsable(_ claims: JSONObject) -> Bool {
    // A reply and the store have them inside other objects.
    let deeper = JSONValue.array([.array([.array([.object(claims)])])])
    guard let bytes = try? JSONWriter.write(deeper) else { return false }
    return bytes.count <= mostClaims + 6
  }
}
