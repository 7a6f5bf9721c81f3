/// A line that is typed or pasted into a terminal that does not collect lines itself.
@safe
struct PastedLine {
  private let buffer: UnsafeMutableRawBufferPointer
  /// The number of bytes so far.
  private(set) var count = 0
  /// Whether Enter or the end of the input came.
  private(set) var isComplete = false
  /// Whether it was ended without a line (Ctrl-D).
  private(set) var hasEnded = false

  /// Collects into a buffer that outlives this value.
  init(_ buffer: UnsafeMutableRawBufferPointer) {
    unsafe self.buffer = buffer
  }

  /// Takes a byte; returns false if there is no room for it.
  mutating func take(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): isComplete = true
    // Ctrl-D.
    case 0x04:
      isComplete = true
      hasEnded = count == 0
    // Backspace, in both encodings.
    case 0x08, 0x7F: count = max(0, count - 1)
    // Ctrl-U.
    case 0x15: count = 0
    default:
      guard unsafe count < buffer.count else { return false }
      unsafe buffer[count] = byte
      count += 1
    }
    return true
  }
}
