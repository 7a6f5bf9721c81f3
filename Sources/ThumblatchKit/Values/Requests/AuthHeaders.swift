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
    /// Its name, as it was spelled.
    public let name: String
    /// Its value.
    public let value: String

    /// Makes a field.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }

    /// Whether the field has this name.
    ///
    /// Case does not count.
    func has(_ other: String) -> Bool {
      name.utf8.elementsEqual(other.utf8) { Self.lowercased($0) == Self.lowercased($1) }
    }

    /// Only ASCII letters have a case here, because names are ASCII (RFC 9110, section 5.6.2).
    fileprivate static func lowercased(_ byte: UInt8) -> UInt8 {
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
  }

  private var fields: [Field] = []

  /// Makes an empty list of fields.
  public init() {}

  /// Makes a list of these fields.
  ///
  /// A name may occur more than once.
  public init(_ fields: some Sequence<Field>) {
    self.fields = Array(fields)
  }

  /// The value of the first field of this name.
  ///
  /// A new value replaces all fields of the name, and `nil` removes them.
  public subscript(name: String) -> String? {
    get { fields.first { $0.has(name) }?.value }
    set {
      let index = fields.firstIndex { $0.has(name) } ?? fields.endIndex
      fields.removeAll { $0.has(name) }
      if let newValue { fields.insert(Field(name: name, value: newValue), at: index) }
    }
  }

  /// The values of all fields of this name, in their order.
  public func values(of name: String) -> [String] {
    fields.filter { $0.has(name) }.map(\.value)
  }

  /// Adds a field after the present ones, even if one has this name.
  public mutating func append(name: String, value: String) {
    fields.append(Field(name: name, value: value))
  }
}

extension AuthHeaders {
  /// Parses lines of the form `Name: value`.
  ///
  /// Other lines are dropped.
  init(lines: [String]) {
    fields = lines.compactMap { line in
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return Field(name: String(line[..<colon]), value: String(value))
    }
  }
}

extension AuthHeaders: RandomAccessCollection {
  /// The index of the first field.
  public var startIndex: Int { fields.startIndex }
  /// The index after the last field.
  public var endIndex: Int { fields.endIndex }
  /// The field at an index.
  public subscript(position: Int) -> Field { fields[position] }
}

extension AuthHeaders: ExpressibleByDictionaryLiteral {
  /// Makes fields of these names and values.
  ///
  /// A name may occur more than once.
  public init(dictionaryLiteral elements: (String, String)...) {
    fields = elements.map { Field(name: $0.0, value: $0.1) }
  }
}

extension AuthHeaders: Redacted {
  /// Only the names, because a value may be a token or a cookie.
  public var description: String {
    "AuthHeaders(\(fields.map(\.name).joined(separator: ", ")))"
  }
}

extension AuthHeaders.Field {
  /// Whether both fields mean the same.
  ///
  /// The case of a name does not count.
  public static func == (left: AuthHeaders.Field, right: AuthHeaders.Field) -> Bool {
    left.has(right.name) && left.value.utf8.elementsEqual(right.value.utf8)
  }

  /// Hashes the bytes that `==` compares.
  ///
  /// Both texts may come from a server.
  public func hash(into hasher: inout Hasher) {
    for byte in name.utf8 { hasher.combine(Self.lowercased(byte)) }
    for byte in value.utf8 { hasher.combine(byte) }
  }
}

extension AuthHeaders.Field: Redacted {
  /// Only the name.
  public var description: String { name }
}
