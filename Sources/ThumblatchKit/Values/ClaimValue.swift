internal import JSON

/// A claim of a provider about a user: any JSON value.
public enum ClaimValue: Sendable, Hashable {
  /// An explicit null.
  case null
  /// True or false.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// Another number.
  case number(Double)
  /// A text, as the provider wrote it.
  ///
  /// Escape it before you show it at a terminal.
  case string(String)
  /// An array of values.
  case array([ClaimValue])
  /// An object: values by name.
  case object([String: ClaimValue])

  /// The text; `nil` for another value.
  public var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The boolean; `nil` for another value.
  public var boolean: Bool? { if case .boolean(let truth) = self { truth } else { nil } }
  /// The whole number, even if it is written as `3.0`; `nil` for another value.
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
  /// The elements; `nil` for another value.
  public var array: [ClaimValue]? { if case .array(let values) = self { values } else { nil } }
  /// The members by name; `nil` for another value.
  public var object: [String: ClaimValue]? {
    if case .object(let values) = self { values } else { nil }
  }

  /// A member of an object; `nil` if the value is no object or has no such member.
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

  /// The members of an object by name.
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
  /// Makes a text.
  public init(stringLiteral text: String) { self = .string(text) }
  /// Makes a boolean.
  public init(booleanLiteral truth: Bool) { self = .boolean(truth) }
  /// Makes a whole number.
  public init(integerLiteral integer: Int64) { self = .integer(integer) }
  /// Makes a number.
  public init(floatLiteral number: Double) { self = .number(number) }
  /// Makes an array.
  public init(arrayLiteral values: ClaimValue...) { self = .array(values) }
  /// Makes an object.
  ///
  /// If a name occurs twice, the last value counts.
  public init(dictionaryLiteral members: (String, ClaimValue)...) {
    self = .object(Dictionary(members) { $1 })
  }
}

extension ClaimValue: Redacted {
  /// The type's name, without the value, which may be personal.
  public var description: String { "ClaimValue(redacted)" }
}
