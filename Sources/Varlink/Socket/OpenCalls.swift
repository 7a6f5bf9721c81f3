/// The number of calls on a forwarded connection that have no last reply yet.
///
/// It counts messages in the bytes as they pass, and keeps none of them. A call is complete with
/// its NUL. A reply is a call's last one unless it says that it continues. A oneway call gets no
/// reply, and is not counted.
package struct OpenCalls: Sendable {
  /// The member that marks a reply as not the last, as the engine writes it.
  ///
  /// In a string its quotes would be escaped, so these bytes occur nowhere else.
  private static let mark = Array("\"continues\":true".utf8)

  package private(set) var count = 0
  /// How many bytes of the mark have been read in a row.
  private var matched = 0
  private var continues = false
  private var scan = OnewayScan()

  package init() {}

  /// Counts the calls that bytes of the client complete.
  package mutating func addCalls(_ bytes: UnsafeRawBufferPointer) {
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      guard byte == 0 else {
        scan.add(byte)
        continue
      }
      if !scan.isOneway { count += 1 }
      scan = OnewayScan()
    }
  }

  /// Counts the last replies that bytes of the server complete.
  package mutating func addReplies(_ bytes: UnsafeRawBufferPointer) {
    for index in bytes.indices { addReply(unsafe bytes[index]) }
  }

  private mutating func addReply(_ byte: UInt8) {
    guard byte > 0 else {
      if !continues { count = max(0, count - 1) }
      matched = 0
      continues = false
      return
    }
    guard byte == Self.mark[matched] else {
      matched = byte == Self.mark[0] ? 1 : 0
      return
    }
    matched += 1
    guard matched == Self.mark.count else { return }
    continues = true
    matched = 0
  }
}

/// Finds the member `oneway` of a call in its bytes as they pass.
///
/// A key that is written with an escape also counts as that member. So a client cannot hide it.
private struct OnewayScan {
  /// The kind of the last string in the call itself, outside its parameters.
  private enum Key { case none, named, beforeValue }

  private static let name = Array("oneway".utf8)

  private(set) var isOneway = false
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var hasEscape = false
  /// How many bytes of the name have been read; `nil` if the string is another one.
  private var matched: Int?
  private var key = Key.none

  mutating func add(_ byte: UInt8) {
    if isInString { addToString(byte) } else { addOutside(byte) }
  }

  private mutating func addToString(_ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      (isEscaped, hasEscape) = (true, true)
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      key = depth == 1 && (hasEscape || matched == Self.name.count) ? .named : .none
    } else if let count = matched {
      matched = count < Self.name.count && byte == Self.name[count] ? count + 1 : nil
    }
  }

  private mutating func addOutside(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): return
    case UInt8(ascii: ":") where key == .named:
      key = .beforeValue
      // A value of such a key may be anything.
      if hasEscape { isOneway = true }
      return
    case UInt8(ascii: "t") where key == .beforeValue: isOneway = true
    case UInt8(ascii: "\""): (isInString, hasEscape, matched) = (true, false, 0)
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
    default: break
    }
    key = .none
  }
}
