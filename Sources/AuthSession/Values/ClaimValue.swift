internal import JSON

/// A value that a provider tells of a person: any JSON value.
public enum ClaimValue: Sendable, Hashable {
  /// Nothing, said outright.
  case null
  /// True or false.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// Another number.
  case number(Double)
  /// A text, as the provider wrote it: make it harmless before a terminal shows it.
  case string(String)
  /// Several values.
  case array([ClaimValue])
  /// Values by their names.
  case object([String: ClaimValue])

  /// The text; `nil` for another value.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The truth; `nil` for another value.
  public var boolean: Bool? { if case .boolean(let truth) = self { truth } else { nil } }
  /// The whole number, also of one such as `3.0`; `nil` for another value.
  public var integer: Int64? {
    switch self {
    case .integer(let integer): integer
    case .number(let number): Int64(exactly: number)
    default: nil
    }
  }
  /// The number; `nil` for another value.
  public var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .number(let number): number
    default: nil
    }
  }
  /// The values; `nil` for another value.
  public var array: [ClaimValue]? { if case .array(let values) = self { values } else { nil } }
  /// The values by their names; `nil` for another value.
  public var object: [String: ClaimValue]? {
    if case .object(let values) = self { values } else { nil }
  }

  /// A member of an object; `nil` for another value, and if there is no such member.
  public subscript(name: String) -> ClaimValue? { object?[name] }
}

extension ClaimValue {
  init?(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .boolean(let truth): self = .boolean(truth)
    case .integer(let integer): self = .integer(integer)
    case .number(let number): self = .number(number)
    case .string(let text): self = .string(text)
    case .array(let values): self = .array(values.compactMap(ClaimValue.init))
    case .object(let object): self = .object(Self.members(object))
    case .secret, .unusable: return nil
    }
  }

  /// The members of an object by their names.
  static func members(_ object: JSONObject) -> [String: ClaimValue] {
    var members: [String: ClaimValue] = [:]
    for member in object.members { members[member.name] = ClaimValue(member.value) }
    return members
  }
}

extension ClaimValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A text.
  public init(stringLiteral text: String) { self = .string(text) }
  /// True or false.
  public init(booleanLiteral truth: Bool) { self = .boolean(truth) }
  /// A whole number.
  public init(integerLiteral integer: Int64) { self = .integer(integer) }
  /// A number.
  public init(floatLiteral number: Double) { self = .number(number) }
  /// Several values.
  public init(arrayLiteral values: ClaimValue...) { self = .array(values) }
  /// Values by their names; of a name that comes twice, the last one counts.
  public init(dictionaryLiteral members: (String, ClaimValue)...) {
    self = .object(Dictionary(members) { $1 })
  }
}

extension ClaimValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Nothing about the person.
  public var description: String { "ClaimValue(redacted)" }
  /// Nothing about the person.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
