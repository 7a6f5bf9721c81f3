/// The number of calls on a carried connection that have no last reply yet.
///
/// It counts messages in the bytes as they pass, and keeps none of them. A call is complete with its
/// NUL. A reply is a call's last one unless it says that it continues.
package struct OpenCalls: Sendable {
  /// The member of a reply that is not the last, as the engine writes it.
  ///
  /// Within a string its quotes would be escaped, so these bytes are found nowhere else.
  private static let mark = Array("\"continues\":true".utf8)

  package private(set) var count = 0
  /// How many bytes of the mark have been read in a row.
  private var matched = 0
  private var continues = false

  package init() {}

  /// Counts the calls that bytes of the client complete.
  package mutating func addCalls(_ bytes: UnsafeRawBufferPointer) {
    for index in bytes.indices where unsafe bytes[index] == 0 { count += 1 }
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
