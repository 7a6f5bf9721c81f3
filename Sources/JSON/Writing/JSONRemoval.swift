package import SecretMemory

/// A step from a value to one inside it.
package enum JSONStep: Sendable, Equatable {
  case member(String)
  case element(Int)
}

/// Removes a value from a text, and changes no other byte.
///
/// Other programs' files keep their layout, their numbers and their unknown members this way. The
/// result is read again, and compared with the former value without the part.
package enum JSONRemoval {
  /// A text without the value at a path.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - path: the steps from the outermost value; not empty.
  ///   - rules: the rules for reading it.
  /// - Throws: errors of the text; `missing` if it has no such value.
  /// - Returns: the text without the value, and without one comma.
  package static func text(
    of text: borrowing SecretBytes,
    without path: [JSONStep],
    _ rules: JSONRules
  ) throws(JSONError) -> SecretBytes {
    let value = try JSONReader.read(text, rules)
    let cut = text.withBytes { bytes -> Range<Int>? in
      var index = 0
      return Self.range(of: path[...], in: bytes, from: &index)
    }
    guard let cut else { throw .missing("the value to remove") }
    let result: SecretBytes
    do throws(SecretMemoryError) {
      result = try text.without(cut)
    } catch {
      throw .memory(error)
    }
    guard try JSONReader.read(result, rules) == value.without(path[...]) else {
      throw .unexpected(offset: cut.lowerBound)
    }
    return result
  }

  /// The bytes to remove; `nil` if the text has no such value.
  ///
  /// The text was read before, so only the bounds are checked.
  private static func range(
    of path: ArraySlice<JSONStep>,
    in text: borrowing Span<UInt8>,
    from index: inout Int
  ) -> Range<Int>? {
    skipSpace(text, &index)
    guard let step = path.first, index < text.count, isOpening(step, text[index]) else {
      return nil
    }
    index += 1
    let begin = index
    var previousEnd: Int?
    var number = 0
    while index < text.count {
      skipSpace(text, &index)
      let start = index
      guard index < text.count, text[index] != UInt8(ascii: "]") else { return nil }
      guard let isWanted = isAt(step, number, text, &index) else { return nil }
      if isWanted, path.count > 1 { return range(of: path.dropFirst(), in: text, from: &index) }
      skipValue(text, &index)
      let end = index
      skipSpace(text, &index)
      let hasNext = index < text.count && text[index] == UInt8(ascii: ",")
      if hasNext { index += 1 }
      if isWanted {
        if hasNext { skipSpace(text, &index) }
        // The last value is removed with the comma before it.
        return hasNext ? start..<index : previousEnd.map { $0..<end } ?? begin..<index
      }
      guard hasNext else { return nil }
      previousEnd = end
      number += 1
    }
    return nil
  }

  private static func isOpening(_ step: JSONStep, _ byte: UInt8) -> Bool {
    switch step {
    case .member: byte == UInt8(ascii: "{")
    case .element: byte == UInt8(ascii: "[")
    }
  }

  /// Whether the value that follows is the one of a step; `nil` if none follows.
  private static func isAt(
    _ step: JSONStep,
    _ number: Int,
    _ text: borrowing Span<UInt8>,
    _ index: inout Int
  ) -> Bool? {
    guard case .member(let wanted) = step else { return step == .element(number) }
    let start = index
    guard start < text.count, text[start] == UInt8(ascii: "\"") else { return nil }
    skipString(text, &index)
    var name: [UInt8] = []
    for position in start..<min(index, text.count) { name.append(text[position]) }
    skipSpace(text, &index)
    index += 1
    skipSpace(text, &index)
    guard case .string(let known)? = try? JSONReader.read(name) else { return false }
    return known.utf8.elementsEqual(wanted.utf8)
  }

  // MARK: - Scanning

  private static func skipSpace(_ text: borrowing Span<UInt8>, _ index: inout Int) {
    while index < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[index]) { index += 1 }
  }

  private static func skipString(_ text: borrowing Span<UInt8>, _ index: inout Int) {
    index += 1
    while index < text.count, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    index += 1
  }

  private static func skipValue(_ text: borrowing Span<UInt8>, _ index: inout Int) {
    var depth = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "\""):
        skipString(text, &index)
        if depth == 0 { return }
        continue
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
        if depth == 0 {
          index += 1
          return
        }
      case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D: if depth == 0 { return }
      default: break
      }
      index += 1
    }
  }
}

extension JSONValue {
  /// A copy of the value without the one at a path.
  fileprivate func without(_ path: ArraySlice<JSONStep>) -> JSONValue {
    let rest = path.dropFirst()
    switch (self, path.first) {
    case (.object(var object), .member(let name)?):
      object[name] = rest.isEmpty ? nil : object[name]?.without(rest)
      return .object(object)
    case (.array(var elements), .element(let number)?) where elements.indices.contains(number):
      if rest.isEmpty {
        elements.remove(at: number)
      } else {
        elements[number] = elements[number].without(rest)
      }
      return .array(elements)
    default: return self
    }
  }
}

extension SecretBytes {
  /// A copy without some of the bytes.
  package func without(_ cut: Range<Int>) throws(SecretMemoryError) -> SecretBytes {
    unsafe try withUnsafeBytes { bytes throws(SecretMemoryError) in
      unsafe try SecretBytes(capacity: bytes.count - cut.count) { room in
        unsafe room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<cut.lowerBound]))
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[cut.lowerBound...])
        unsafe rest.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[cut.upperBound...]))
        return bytes.count - cut.count
      }
    }
  }
}
