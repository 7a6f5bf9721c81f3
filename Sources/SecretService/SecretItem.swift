internal import PlainText
package import SecretMemory
internal import SystemBus

/// A stored secret without its value.
package struct SecretItem: Sendable, Equatable {
  /// Its name in the store.
  package let id: String
  package let label: String
  package let attributes: [String: String]
  package let contentType: String
  /// When it was first stored, in seconds since 1970.
  package let created: UInt64
  /// When it was last stored.
  package let modified: UInt64
  /// Whether its secret needs a presence check.
  package let isLocked: Bool

  package init(
    id: String,
    label: String,
    attributes: [String: String],
    contentType: String,
    created: UInt64,
    modified: UInt64,
    isLocked: Bool
  ) {
    self.id = id
    self.label = label
    self.attributes = attributes
    self.contentType = contentType
    self.created = created
    self.modified = modified
    self.isLocked = isLocked
  }

  var path: String { SecretObject.item(id).path }
  /// The last part of its path.
  var pathPart: String { String(path.dropFirst(SecretObject.collection.path.count + 1)) }

  /// Whether it has all of these attributes.
  func has(_ wanted: [String: String]) -> Bool {
    wanted.allSatisfy { name, value in attributes[name]?.isByteEqual(to: value) == true }
  }

  /// Whether it has exactly these attributes.
  func hasOnly(_ wanted: [String: String]) -> Bool {
    attributes.count == wanted.count && has(wanted)
  }

  /// The attribute that names the kind of the secret.
  private static let schema = "xdg:schema"

  var properties: [(String, BusValue)] {
    [
      ("Locked", .boolean(isLocked)),
      ("Attributes", Self.value(of: attributes)),
      ("Label", .text(label)),
      ("Type", .text(attributes[Self.schema] ?? "org.freedesktop.Secret.Generic")),
      ("Created", .wide(created)),
      ("Modified", .wide(modified)),
    ]
  }

  private static func value(of attributes: [String: String]) -> BusValue {
    .array(
      "{ss}",
      attributes.sorted { $0.key < $1.key }.map { .entry(.text($0.key), .text($0.value)) }
    )
  }
}

/// The value of a secret, and its type as a program calls it.
package struct SecretContent: Sendable {
  package let secret: SharedSecret
  package let type: String

  package init(secret: SharedSecret, type: String) {
    self.secret = secret
    self.type = type
  }
}

/// The data that a program wants to store.
package struct SecretChange: Sendable {
  /// `nil` keeps the present value of an item, as for the other members.
  package var label: String?
  package var attributes: [String: String]?
  package var content: SecretContent?
}
