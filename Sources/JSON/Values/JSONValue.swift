internal import PlainText
public import SecretMemory

/// A JSON value (RFC 8259); some strings may be secrets.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case boolean(Bool)
  /// A number without fraction and exponent that fits in 64 bits.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A string.
  case string(String)
  /// A string in locked memory, unescaped.
  case secret(SharedSecret)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
  /// A value that is present but not kept, and has no type that a caller can request.
  ///
  /// It is a string with a run of combining marks. Rules that keep the rest of a document add
  /// strings with NUL or half a surrogate pair, and numbers that do not fit a `Double`. They also
  /// add arrays, objects and secrets over the limits of `JSONReader`.
  case unusable
}

extension JSONValue: Equatable {
  /// Whether both are the same value; secrets are compared in constant time.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null), (.unusable, .unusable): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.isByteEqual(to: right)
    case (.secret(let left), .secret(let right)):
      SecretBytes.constantTimeEqual(left.bytes, right.bytes)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A string.
  public init(stringLiteral value: String) {
    self = .string(value)
  }

  /// An integer.
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }

  /// A number.
  public init(floatLiteral value: Double) {
    self = .number(value)
  }

  /// `true` or `false`.
  public init(booleanLiteral value: Bool) {
    self = .boolean(value)
  }

  /// `null`.
  public init(nilLiteral: ()) {
    self = .null
  }

  /// An array.
  public init(arrayLiteral elements: JSONValue...) {
    self = .array(elements)
  }

  /// An object; for a duplicate name the last value counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}
