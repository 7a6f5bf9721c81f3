internal import PlainText

/// A recursive descent parser.
///
/// Every byte is read through `byte(at:)`, which checks the bounds.
@safe
struct JSONParser {
  let text: UnsafeRawBufferPointer
  let count: Int
  let rules: JSONRules
  /// Whether the text is known to be UTF-8; otherwise each string is checked.
  let isText: Bool
  var position = 0
  var depth = 0
  private var containers = 0
  var secrets = 0

  init(_ text: UnsafeRawBufferPointer, _ rules: JSONRules, isText: Bool) {
    unsafe self.text = text
    count = text.count
    self.rules = rules
    self.isText = isText
  }

  mutating func document() throws(JSONError) -> JSONValue {
    if rules.allowsFaultyText { skipByteOrderMark() }
    let value = try value(isSecret: false)
    if rules.allowsFaultyText, case .object = value { return value }
    skipSpace()
    guard position == count else { throw .unexpected(offset: position) }
    return value
  }

  private mutating func skipByteOrderMark() {
    guard byte(at: 0) == 0xEF, byte(at: 1) == 0xBB, byte(at: 2) == 0xBF else { return }
    position = 3
  }

  func byte(at index: Int) -> UInt8? {
    guard index >= 0, index < count else { return nil }
    return unsafe text[index]
  }

  private mutating func skipSpace() {
    while let next = byte(at: position),
      next == 0x20 || next == 0x0A || next == 0x0D || next == 0x09
    {
      position += 1
    }
  }

  /// The next byte that is not white space, without consuming it.
  mutating func peek() throws(JSONError) -> UInt8 {
    skipSpace()
    guard let next = byte(at: position) else { throw .truncated }
    return next
  }

  private mutating func value(isSecret: Bool) throws(JSONError) -> JSONValue {
    switch try peek() {
    case UInt8(ascii: "{"):
      return try nested { parser throws(JSONError) in
        try parser.object(isSecret: isSecret)
      }
    case UInt8(ascii: "["):
      return try nested { parser throws(JSONError) in
        try parser.array(isSecret: isSecret)
      }
    case UInt8(ascii: "\""): return try isSecret ? secret() : string()
    default: return try scalar()
    }
  }

  /// A literal or a number.
  mutating func scalar() throws(JSONError) -> JSONValue {
    switch try peek() {
    case UInt8(ascii: "t"): return try literal("true", .boolean(true))
    case UInt8(ascii: "f"): return try literal("false", .boolean(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw .unexpected(offset: position)
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONError) -> JSONValue
  ) throws(JSONError) -> JSONValue {
    guard depth < JSONReader.maximumDepth else { return try leaveOut(.tooDeep) }
    guard containers < JSONReader.maximumContainers(ofBytes: count) else {
      return try leaveOut(.tooManyContainers)
    }
    containers += 1
    depth += 1
    defer { depth -= 1 }
    position += 1
    return try body(&self)
  }

  /// Handles an array or object over the limits: an error, unless the rules keep the rest of the
  /// document.
  private mutating func leaveOut(_ error: JSONError) throws(JSONError) -> JSONValue {
    guard rules.keepsRest else { throw error }
    try skipValue()
    return .unusable
  }

  private mutating func array(isSecret: Bool) throws(JSONError) -> JSONValue {
    if try peek() == UInt8(ascii: "]") {
      position += 1
      return .array([])
    }
    var elements = [try value(isSecret: isSecret)]
    while try !isLast(UInt8(ascii: "]")) { elements.append(try value(isSecret: isSecret)) }
    return .array(elements)
  }

  private mutating func object(isSecret: Bool) throws(JSONError) -> JSONValue {
    var members: [(name: String, value: JSONValue)] = []
    var names = MemberNames()
    if try peek() == UInt8(ascii: "}") {
      position += 1
      return .object(JSONObject())
    }
    while true {
      guard try peek() == UInt8(ascii: "\"") else { throw .unexpected(offset: position) }
      let start = position
      let name = try memberName()
      try skipColon()
      if let name {
        let isNamedSecret = rules.isSecret(name)
        if let earlier = names.insert(name, after: members) {
          guard rules.allowsRepeated, !(isNamedSecret && depth == 1) else {
            throw .duplicateMember(offset: start)
          }
          try skipValue()
          members[earlier].value = .unusable
        } else {
          members.append((name, try value(isSecret: isSecret || isNamedSecret)))
        }
      } else {
        try skipValue()
      }
      if try isLast(UInt8(ascii: "}")) { return .object(JSONObject(unique: members)) }
    }
  }

  /// Reads the name of a member; `nil` if the member must be skipped.
  private mutating func memberName() throws(JSONError) -> String? {
    let start = position
    let (length, isUsable) = try scanString()
    // Check the length before creating the name: longer names are never hashed or compared.
    if isUsable, length <= JSONReader.maximumName {
      let name = unescaped(from: start + 1, count: length)
      if name.isStreamSafe { return name }
    }
    guard rules.keepsRest else { throw .unusableName(offset: start) }
    return nil
  }

  mutating func skipColon() throws(JSONError) {
    guard try peek() == UInt8(ascii: ":") else { throw .unexpected(offset: position) }
    position += 1
  }

  /// Consumes a comma (false) or the closing bracket (true).
  mutating func isLast(_ closing: UInt8) throws(JSONError) -> Bool {
    let next = try peek()
    guard next == closing || next == UInt8(ascii: ",") else { throw .unexpected(offset: position) }
    position += 1
    return next == closing
  }

  private mutating func literal(
    _ word: StaticString,
    _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    for index in 0..<word.utf8CodeUnitCount {
      guard let next = byte(at: position) else { throw .truncated }
      guard unsafe next == word.utf8Start[index] else { throw .unexpected(offset: position) }
      position += 1
    }
    return value
  }
}
