/// An error that a program gets from the Secret Service, by its name on the bus.
package struct SecretServiceError: Error, Equatable {
  package let name: String
  package let message: String

  private init(standard name: String, _ message: String) {
    self.name = "org.freedesktop.DBus.Error." + name
    self.message = message
  }

  private init(secret name: String, _ message: String) {
    self.name = "org.freedesktop.Secret.Error." + name
    self.message = message
  }

  package static let isLocked = Self(secret: "IsLocked", "the item is locked")
  static let noSession = Self(secret: "NoSession", "this program has no such session")
  package static let noSuchObject = Self(secret: "NoSuchObject", "no such object")
  static let unknownMethod = Self(standard: "UnknownMethod", "no such method of this object")
  static let unknownProperty = Self(standard: "UnknownProperty", "no such property")
  static let isReadOnly = Self(standard: "PropertyReadOnly", "the property cannot be set")

  package static let damaged = Self(standard: "Failed", "the stored value is damaged")
  package static let longCall = Self(standard: "LimitsExceeded", "the call is too long")
  package static let otherUser = Self(
    standard: "AccessDenied",
    "this is the service of another user"
  )

  /// The error for a value that is longer than a number of bytes.
  package static func longValue(_ most: Int) -> Self {
    Self(standard: "LimitsExceeded", "a secret has at most \(most) bytes")
  }

  static func invalidArguments(_ message: String) -> Self {
    Self(standard: "InvalidArgs", message)
  }

  package static func limitsExceeded(_ message: String) -> Self {
    Self(standard: "LimitsExceeded", message)
  }

  package static func notSupported(_ message: String) -> Self {
    Self(standard: "NotSupported", message)
  }

  package static func accessDenied(_ message: String) -> Self {
    Self(standard: "AccessDenied", message)
  }

  package static func failed(_ message: String) -> Self { Self(standard: "Failed", message) }
}
