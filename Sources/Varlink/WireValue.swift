package import JSON
internal import PlainText
package import SecretMemory

/// A type that a member of a record can have.
package protocol WireValue: Sendable {
  /// Reads the member called `name`.
  static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self
  /// The member's value.
  var wire: JSONValue { get throws(MessageError) }
}

extension JSONObject {
  /// An object of `first`, and of the members that are not `nil`.
  package static func wire(
    _ members: KeyValuePairs<String, (any WireValue)?>,
    after first: JSONObject = JSONObject()
  ) throws(MessageError) -> JSONObject {
    var object = first
    for (name, value) in members {
      guard let value else { continue }
      object[name] = try value.wire
    }
    return object
  }

  package func required<Value: WireValue>(_ name: String) throws(MessageError) -> Value {
    guard let value: Value = try optional(name) else { throw .missing(name) }
    return value
  }

  /// The value of a member, or `nil` if it is missing or null.
  package func optional<Value: WireValue>(_ name: String) throws(MessageError) -> Value? {
    guard let value = self[name], value != .null else { return nil }
    return try Value.from(value, name: name)
  }
}

extension String: WireValue {
  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    switch value {
    case .string(let text): return text
    case .unusable: throw .badValue(name)
    default: throw .wrongType(name)
    }
  }

  package var wire: JSONValue { .string(self) }
}

extension Int: WireValue {
  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    guard case .integer(let integer) = value, let exact = Int(exactly: integer) else {
      throw .wrongType(name)
    }
    return exact
  }

  package var wire: JSONValue { .integer(Int64(self)) }
}

extension Bool: WireValue {
  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    guard case .boolean(let truth) = value else { throw .wrongType(name) }
    return truth
  }

  package var wire: JSONValue { .boolean(self) }
}

extension SharedSecret: WireValue {
  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> SharedSecret {
    guard case .secret(let secret) = value else { throw .wrongType(name) }
    return secret
  }

  package var wire: JSONValue { .secret(self) }
}

/// An object with any members, as `object`.
///
/// The reader of a message takes strings under the names of secrets as secrets, at any depth. No
/// member of such an object is secret, so they become texts again. Otherwise a claim `code` of a
/// provider could not be printed.
extension JSONObject: WireValue {
  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    try members(of: value, name).withTexts
  }

  package var wire: JSONValue { .object(self) }

  /// The parameters of a message; empty if they are missing or null.
  var parameters: JSONObject {
    get throws(MessageError) {
      guard let value = self["parameters"], value != .null else { return JSONObject() }
      return try Self.members(of: value, "parameters")
    }
  }

  /// The object of a required member, with its secrets.
  package func members(of name: String) throws(MessageError) -> JSONObject {
    guard let value = self[name], value != .null else { throw .missing(name) }
    return try Self.members(of: value, name)
  }

  /// The members of a value that must be an object, with its secrets.
  fileprivate static func members(
    of value: JSONValue,
    _ name: String
  ) throws(MessageError) -> JSONObject {
    guard case .object(let object) = value else { throw .wrongType(name) }
    return object
  }

  fileprivate var withTexts: JSONObject {
    JSONObject(unique: members.map { ($0.name, $0.value.withTexts) })
  }
}

extension JSONValue {
  fileprivate var withTexts: JSONValue {
    switch self {
    case .secret(let secret):
      .string(unsafe secret.bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
    case .array(let elements): .array(elements.map(\.withTexts))
    case .object(let object): .object(object.withTexts)
    default: self
    }
  }
}

extension Array: WireValue where Element: WireValue {
  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    guard case .array(let elements) = value else { throw .wrongType(name) }
    var values: Self = []
    for element in elements { values.append(try Element.from(element, name: name)) }
    return values
  }

  package var wire: JSONValue {
    get throws(MessageError) {
      var elements: [JSONValue] = []
      for element in self { elements.append(try element.wire) }
      return .array(elements)
    }
  }
}

/// A map of strings, as `[string]string`.
///
/// Its keys are ASCII words, and there are few of them.
extension Dictionary: WireValue where Key == String, Value == String {
  /// The most members and the most bytes of a key.
  ///
  /// No map of the interfaces has more.
  private static var mostMembers: Int { 256 }
  private static var longestKey: Int { 64 }

  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    guard case .object(let object) = value else { throw .wrongType(name) }
    guard object.members.count <= mostMembers else { throw .badValue(name) }
    var values: Self = [:]
    for (key, value) in object.members {
      // Check the key before it is hashed: String hashing normalizes Unicode at quadratic cost.
      guard key.utf8.count <= longestKey, key.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
        throw .badValue(name)
      }
      values[key] = try String.from(value, name: name)
    }
    return values
  }

  package var wire: JSONValue {
    .object(JSONObject(sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
  }
}

extension WireValue where Self: RawRepresentable & CaseIterable, RawValue == String {
  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    guard let known = Self(named: try String.from(value, name: name)) else {
      throw .badValue(name)
    }
    return known
  }

  package var wire: JSONValue { .string(rawValue) }
}

extension WireValue where Self: VarlinkRecord {
  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    let object = try JSONObject.members(of: value, name)
    do {
      return try Self(decoding: object)
    } catch {
      throw error.inside(name)
    }
  }

  package var wire: JSONValue {
    get throws(MessageError) { .object(try encoded) }
  }
}
