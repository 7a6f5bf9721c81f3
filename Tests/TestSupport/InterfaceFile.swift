internal import Glibc

/// An interface file, parsed by the grammar of <https://varlink.org/Interface-Definition>.
public struct InterfaceFile {
  /// A type of the interface language.
  public indirect enum Kind: Equatable {
    case plain(String)
    case named(String)
    case record([Member])
    case oneOf([String])
    case list(Kind)
    case map(Kind)
    case maybe(Kind)
  }

  /// A member of a record.
  public struct Member: Equatable {
    /// Its name.
    public var name: String
    /// Its type.
    public var kind: Kind

    /// Whether it may be left out.
    public var isOptional: Bool {
      if case .maybe = kind { return true }
      return false
    }
  }

  /// The reason why a text is not an interface file.
  public struct SyntaxError: Error {
    var line: Int
    var message: String
  }

  /// The full name of the interface.
  public var name = ""
  /// The named types.
  public var types: [String: Kind] = [:]
  /// The methods.
  public var methods: [String: (parameters: [Member], reply: [Member])] = [:]
  /// The errors.
  public var errors: [String: [Member]] = [:]

  /// The definition behind a name, if it is an enumeration.
  public func resolved(_ kind: Kind) -> Kind {
    switch kind {
    case .named(let name):
      if case .oneOf? = types[name] { types[name] ?? kind } else { kind }
    case .list(let inner): .list(resolved(inner))
    case .maybe(let inner): .maybe(resolved(inner))
    default: kind
    }
  }

  /// Parses the text of an interface file.
  public init(_ text: String) throws {
    var parser = InterfaceParser(text)
    try parser.expect("interface")
    name = parser.take { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }
    while let word = parser.keyword() {
      let title = parser.take { $0.isLetter || $0.isNumber }
      guard title.first?.isUppercase == true else { throw parser.error("a name") }
      guard types[title] == nil, methods[title] == nil, errors[title] == nil else {
        throw parser.error("\(title) once")
      }
      switch word {
      case "type": types[title] = try parser.aggregate()
      case "error": errors[title] = try parser.record()
      case "method":
        let parameters = try parser.record()
        try parser.expect("->")
        methods[title] = (parameters, try parser.record())
      default: throw parser.error("type, method or error")
      }
    }
    guard parser.isAtEnd else { throw parser.error("an end") }
  }

  /// The bytes of a file of this package.
  public static func read(_ path: String) throws -> [UInt8] {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    let root = here.dropLast(3).joined(separator: "/")
    guard let file = unsafe fopen("\(root)/\(path)", "r") else {
      throw SyntaxError(line: 0, message: "no \(path)")
    }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = unsafe getc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return bytes
  }
}

/// A recursive-descent parser for the text of an interface.
private struct InterfaceParser {
  private var rest: Substring
  private var line = 1

  init(_ text: String) {
    rest = text[...]
  }

  func error(_ wanted: String) -> InterfaceFile.SyntaxError {
    .init(line: line, message: "wanted \(wanted), found \(rest.prefix(20))")
  }

  var isAtEnd: Bool {
    mutating get {
      skip()
      return rest.isEmpty
    }
  }

  private mutating func skip() {
    while let next = rest.first {
      if next == "#" {
        rest = rest.drop { $0 != "\n" }
      } else if next.isWhitespace {
        if next == "\n" { line += 1 }
        rest.removeFirst()
      } else {
        return
      }
    }
  }

  mutating func take(_ matches: (Character) -> Bool) -> String {
    skip()
    let word = rest.prefix(while: matches)
    rest = rest.dropFirst(word.count)
    return String(word)
  }

  mutating func keyword() -> String? {
    let word = take { $0.isLowercase }
    return word.isEmpty ? nil : word
  }

  private mutating func accept(_ text: String) -> Bool {
    skip()
    guard rest.hasPrefix(text) else { return false }
    rest = rest.dropFirst(text.count)
    return true
  }

  mutating func expect(_ text: String) throws {
    guard accept(text) else { throw error(text) }
  }

  mutating func record() throws -> [InterfaceFile.Member] {
    guard case .record(let members) = try aggregate() else { throw error("a struct") }
    return members
  }

  /// A struct or an enum: both are in parentheses.
  mutating func aggregate() throws -> InterfaceFile.Kind {
    try expect("(")
    var members: [InterfaceFile.Member] = []
    var values: [String] = []
    if accept(")") { return .record([]) }
    repeat {
      let name = try fieldName()
      if accept(":") {
        members.append(.init(name: name, kind: try kind()))
      } else {
        values.append(name)
      }
    } while accept(",")
    try expect(")")
    guard members.isEmpty || values.isEmpty else { throw error("one of struct and enum") }
    let names = members.map(\.name) + values
    guard Set(names).count == names.count else { throw error("each name once") }
    return members.isEmpty ? .oneOf(values) : .record(members)
  }

  /// A name by the pattern `[A-Za-z](_?[A-Za-z0-9])*`.
  private mutating func fieldName() throws -> String {
    let name = take { $0.isLetter || $0.isNumber || $0 == "_" }
    guard name.first?.isLetter == true, name.last != "_", !name.contains("__"),
      name.utf8.count == name.count
    else { throw error("a field name") }
    return name
  }

  private mutating func kind() throws -> InterfaceFile.Kind {
    if accept("?") {
      let inner = try kind()
      if case .maybe = inner { throw error("one ?") }
      return .maybe(inner)
    }
    if accept("[]") { return .list(try kind()) }
    if accept("[string]") { return .map(try kind()) }
    skip()
    if rest.first == "(" { return try aggregate() }
    let word = take { $0.isLetter || $0.isNumber }
    if ["bool", "int", "float", "string", "object"].contains(word) { return .plain(word) }
    guard word.first?.isUppercase == true else { throw error("a type") }
    return .named(word)
  }
}
