internal import PlainText
public import SecretMemory

/// The members of a JSON object, in order, without duplicates; names are compared by their bytes.
public struct JSONObject: Sendable {
  /// Names and values, in the order of the text.
  public private(set) var members: [(name: String, value: JSONValue)] = []

  /// An object without members.
  public init() {}

  /// An object of these members; for a duplicate name the last value counts.
  public init(_ members: [(String, JSONValue)]) {
    // Not a dictionary, whose type Swift makes at run time: most objects have few members.
    var names = MemberNames()
    for (name, value) in members {
      if let index = names.insert(name, after: self.members) {
        self.members[index].value = value
      } else {
        self.members.append((name, value))
      }
    }
  }

  /// An object of members without duplicate names, such as those of another object.
  public init(unique members: [(name: String, value: JSONValue)]) {
    self.members = members
  }

  /// The value of a member; `nil` removes it, and another value keeps its position.
  public subscript(name: String) -> JSONValue? {
    get { members.first { $0.name.isByteEqual(to: name) }?.value }
    set {
      let index = members.firstIndex { $0.name.isByteEqual(to: name) }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((name, value))
      case (nil, nil): break
      }
    }
  }

  /// The string of a required member.
  public func string(_ name: String) throws(JSONError) -> String {
    try present(optionalString(name), name)
  }

  /// The string of a member, or `nil` if it is missing or null.
  public func optionalString(_ name: String) throws(JSONError) -> String? {
    guard let value = present(name) else { return nil }
    guard case .string(let text) = value else { throw .wrongType(name) }
    return text
  }

  /// The integer of a member that must be there.
  public func integer(_ name: String) throws(JSONError) -> Int64 {
    try present(optionalInteger(name), name)
  }

  /// The integer of a member, or `nil` if it is missing or null.
  ///
  /// A number such as `3600.0` or `1e3` is an integer too (RFC 8259, section 6, has only one kind).
  public func optionalInteger(_ name: String) throws(JSONError) -> Int64? {
    switch present(name) {
    case nil: return nil
    case .integer(let integer): return integer
    case .number(let number):
      guard let integer = Int64(exactly: number) else { throw .wrongType(name) }
      return integer
    default: throw .wrongType(name)
    }
  }

  /// The boolean of a required member.
  public func boolean(_ name: String) throws(JSONError) -> Bool {
    try present(optionalBoolean(name), name)
  }

  /// The boolean of a member, or `nil` if it is missing or null.
  public func optionalBoolean(_ name: String) throws(JSONError) -> Bool? {
    guard let value = present(name) else { return nil }
    guard case .boolean(let truth) = value else { throw .wrongType(name) }
    return truth
  }

  /// The secret of a required member that the reader's rules name as a secret.
  public func secret(_ name: String) throws(JSONError) -> SharedSecret {
    try present(optionalSecret(name), name)
  }

  /// The secret of a member, or `nil` if it is missing or null.
  public func optionalSecret(_ name: String) throws(JSONError) -> SharedSecret? {
    guard let value = present(name) else { return nil }
    guard case .secret(let secret) = value else { throw .wrongType(name) }
    return secret
  }

  /// The object of a required member.
  public func object(_ name: String) throws(JSONError) -> JSONObject {
    try present(optionalObject(name), name)
  }

  /// The object of a member, or `nil` if it is missing or null.
  public func optionalObject(_ name: String) throws(JSONError) -> JSONObject? {
    guard let value = present(name) else { return nil }
    guard case .object(let object) = value else { throw .wrongType(name) }
    return object
  }

  /// The array of a required member.
  public func array(_ name: String) throws(JSONError) -> [JSONValue] {
    try present(optionalArray(name), name)
  }

  /// The array of a member, or `nil` if it is missing or null.
  public func optionalArray(_ name: String) throws(JSONError) -> [JSONValue]? {
    guard let value = present(name) else { return nil }
    guard case .array(let elements) = value else { throw .wrongType(name) }
    return elements
  }

  private func present(_ name: String) -> JSONValue? {
    guard let value = self[name], value != .null else { return nil }
    return value
  }

  private func present<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
    guard let value else { throw .missing(name) }
    return value
  }
}

extension JSONObject: Equatable {
  /// Whether both have the same members in the same order.
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members.elementsEqual(right.members) { left, right in
      left.name.isByteEqual(to: right.name) && left.value == right.value
    }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object; for a duplicate name the last value counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(elements)
  }
}
