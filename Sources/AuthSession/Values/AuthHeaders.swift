/// Header fields of a request or of an answer, in their order.
///
/// A name is looked up without regard to case (RFC 9110, section 5.1).
///
/// ```swift
/// var request = AuthRequest("https://api.example.com/mail", headers: ["Accept": "text/plain"])
/// request.headers["If-None-Match"] = "\"17\""
/// ```
public struct AuthHeaders: Sendable, Hashable {
  /// One header field.
  public struct Field: Sendable, Hashable {
    /// Its name, as it was written.
    public let name: String
    /// Its value.
    public let value: String

    /// A field of this name and value.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    /// Whether it has this name, whatever the case of its letters.
    func has(_ other: String) -> Bool {
      name.utf8.elementsEqual(other.utf8) { Self.lowercased($0) == Self.lowercased($1) }
    }

    /// Names are ASCII (RFC 9110, section 5.6.2); nothing else has a case here.
    fileprivate static func lowercased(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }

  private var fields: [Field] = []

  /// No fields.
  public init() {}

  /// These fields; a name may come more than once.
  public init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// The value of the first field of this name; setting it replaces all fields of the name, and
  /// setting `nil` removes them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.has(name) }?.value }
    set {
      let place = fields.firstIndex { $0.has(name) } ?? fields.endIndex
      fields.removeAll { $0.has(name) }
      if let newValue { fields.insert(Field(name: name, value: newValue), at: place) }
    }
  }

  /// The values of all fields of this name, in their order.
  public func values(of name: String) -> [String] {
    fields.filter { $0.has(name) }.map(\.value)
  }

  /// Adds a field behind those that are there, also where one has this name.
  public mutating func append(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }
}

extension AuthHeaders {
  /// Fields as `Name: value`; other lines are left out.
  init(lines: [String]) {
    fields = lines.compactMap { line in
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return Field(name: String(line[..<colon]), value: String(value))
    }
  }
}

extension AuthHeaders: RandomAccessCollection {
  /// The place of the first field.
  public var startIndex: Int { fields.startIndex }
  /// The place behind the last field.
  public var endIndex: Int { fields.endIndex }
  /// The field at a place.
  public subscript(position: Int) -> Field { fields[position] }
}

extension AuthHeaders: ExpressibleByDictionaryLiteral {
  /// Fields of these names and values; a name may come more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }
}

extension AuthHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The names alone: a value may be a token or a cookie.
  public var description: String {
    "AuthHeaders(\(fields.map(\.name).joined(separator: ", ")))"
  }
  /// The names alone.
  public var debugDescription: String { description }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AuthHeaders.Field {
  /// Whether both mean the same: the case of a name does not count.
  public static func == (left: AuthHeaders.Field, right: AuthHeaders.Field) -> Bool {
    left.has(right.name) && left.value.utf8.elementsEqual(right.value.utf8)
  }

  /// Hashes what the comparison looks at, as bytes: both may come from a server.
  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(Self.lowercased(byte)) }
    for byte in value.utf8 { hasher.combine(byte) }
  }
}

extension AuthHeaders.Field: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The name alone.
  public var description: String { name }
  /// The name alone.
  public var debugDescription: String { name }
  /// Without members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
