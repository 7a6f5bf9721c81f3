internal import JSON

/// A JSON document of another program, changed at single members.
///
/// All other bytes stay as they are: order, white space, and numbers of any form.
struct JSONEdit {
  /// Why a document cannot be changed.
  enum Problem: Error {
    case notJSON
    /// The object that has this member is something else.
    case notObject(String)
    /// A server of this name has another URL.
    case otherServer(String, String)
    case unreadable(CommandError)
  }

  /// The bytes of the document.
  private(set) var bytes: [UInt8]

  /// Begins with a document, which must be one object.
  init(_ bytes: [UInt8]) throws(Problem) {
    self.bytes = bytes
    var scanner = JSONScanner(bytes)
    guard scanner.next == UInt8(ascii: "{") else { throw .notJSON }
    try scanner.skipValue()
    guard scanner.next == nil else { throw .notJSON }
  }

  /// An empty document.
  init() { bytes = Array("{}\n".utf8) }

  /// Whether the document has no members.
  var isEmpty: Bool { (try? members(at: start(of: bytes)))?.list.isEmpty ?? true }

  /// The names of the members of an object; empty if it is missing.
  func names(at path: [String]) throws(Problem) -> [String] {
    guard let span = try span(of: path) else { return [] }
    return try members(at: span.lowerBound).list.compactMap { member in
      guard case .string(let name)? = try? JSONReader.read(Array(bytes[member.name])) else {
        return nil
      }
      return name
    }
  }

  /// The string at a path; `nil` if it is missing or not a string.
  func string(at path: [String]) throws(Problem) -> String? {
    guard let literal = try literal(at: path),
      case .string(let text)? = try? JSONReader.read(literal)
    else { return nil }
    return text
  }

  /// The text of the value at a path; `nil` if it is missing.
  func literal(at path: [String]) throws(Problem) -> [UInt8]? {
    try span(of: path).map { Array(bytes[$0]) }
  }

  /// Sets the value at a path, and makes the objects on the way to it.
  mutating func set(_ path: [String], to literal: [UInt8]) throws(Problem) {
    var at = start(of: bytes)
    for (depth, name) in path.enumerated() {
      let found = try members(at: at, of: name)
      let isLast = depth == path.count - 1
      if let member = found.list.last(where: { isNamed($0, name) }) {
        if isLast {
          bytes.replaceSubrange(member.value, with: literal)
          return
        }
        at = member.value.lowerBound
        continue
      }
      // The rest of the path is new.
      var value = literal
      for name in path[(depth + 1)...].reversed() {
        value = Array("{".utf8) + quoted(name) + Array(": ".utf8) + value + Array("}".utf8)
      }
      insert(quoted(name) + Array(": ".utf8) + value, into: found, at: at)
      return
    }
  }

  /// Removes the member at a path, and the comma that parts it from its neighbor.
  mutating func remove(_ path: [String]) throws(Problem) {
    guard let name = path.last, let parent = try span(of: path.dropLast()) else { return }
    let found = try members(at: parent.lowerBound, of: name)
    guard let index = found.list.lastIndex(where: { isNamed($0, name) }) else { return }
    let member = found.list[index]
    if index > 0 {
      bytes.removeSubrange(found.list[index - 1].value.upperBound..<member.value.upperBound)
    } else if found.list.count > 1 {
      bytes.removeSubrange(member.name.lowerBound..<found.list[1].name.lowerBound)
    } else {
      bytes.removeSubrange((parent.lowerBound + 1)..<found.end)
    }
  }

  // MARK: Places

  private struct Member {
    let name: Range<Int>
    let value: Range<Int>
  }

  private struct Members {
    var list: [Member] = []
    /// Where the closing brace is.
    var end = 0
  }

  private func start(of bytes: [UInt8]) -> Int {
    var scanner = JSONScanner(bytes)
    _ = scanner.next
    return scanner.position
  }

  private func span(of path: some Sequence<String>) throws(Problem) -> Range<Int>? {
    let start = start(of: bytes)
    var span = start..<bytes.count
    for name in path {
      let found = try members(at: span.lowerBound, of: name)
      guard let member = found.list.last(where: { isNamed($0, name) }) else { return nil }
      span = member.value
    }
    return span
  }

  private func members(at start: Int, of name: String = "") throws(Problem) -> Members {
    var scanner = JSONScanner(bytes, at: start)
    guard scanner.next == UInt8(ascii: "{") else { throw .notObject(name) }
    scanner.position += 1
    var found = Members()
    while let byte = scanner.next {
      if byte == UInt8(ascii: "}") {
        found.end = scanner.position
        return found
      }
      if byte == UInt8(ascii: ",") {
        scanner.position += 1
        continue
      }
      let nameStart = scanner.position
      try scanner.skipString()
      let nameSpan = nameStart..<scanner.position
      guard scanner.next == UInt8(ascii: ":") else { throw .notJSON }
      scanner.position += 1
      _ = scanner.next
      let valueStart = scanner.position
      try scanner.skipValue()
      found.list.append(Member(name: nameSpan, value: valueStart..<scanner.position))
    }
    throw .notJSON
  }

  private func isNamed(_ member: Member, _ name: String) -> Bool {
    bytes[member.name].elementsEqual(quoted(name))
  }

  private func quoted(_ text: String) -> [UInt8] {
    (try? JSONWriter.write(.string(text))) ?? []
  }

  /// Inserts a member as the last one, on a line of its own if its neighbors have that.
  private mutating func insert(_ member: [UInt8], into found: Members, at start: Int) {
    if let last = found.list.last {
      let space = space(before: last.name.lowerBound)
      bytes.insert(contentsOf: [UInt8(ascii: ",")] + space + member, at: last.value.upperBound)
    } else {
      let outer = indentation(of: start)
      let lines = Array("\n".utf8) + outer + Array("  ".utf8) + member + Array("\n".utf8) + outer
      bytes.replaceSubrange((start + 1)..<found.end, with: lines)
    }
  }

  private func space(before index: Int) -> [UInt8] {
    var first = index
    while first > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[first - 1]) { first -= 1 }
    let space = Array(bytes[first..<index])
    // An empty line before the last member is not repeated.
    return space.lastIndex(of: 0x0A).map { Array(space[$0...]) } ?? [0x20]
  }

  private func indentation(of index: Int) -> [UInt8] {
    let line = bytes[..<index].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return Array(bytes[line..<index].prefix { $0 == 0x20 || $0 == 0x09 })
  }
}
