/// A line as it is typed or pasted into a terminal that collects none itself.
@safe
struct PastedLine {
  private let buffer: UnsafeMutableRawBufferPointer
  /// The bytes that are there.
  private(set) var count = 0
  /// Whether Enter came, or the end.
  private(set) var isComplete = false
  /// Whether it was ended without a line (Ctrl-D).
  private(set) var hasEnded = false

  /// Collects into a buffer that outlives this value.
  init(_ buffer: UnsafeMutableRawBufferPointer) {
    unsafe self.buffer = buffer
  }

  /// Takes a byte; false where there is no room for it.
  mutating func take(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): isComplete = true
    // Ctrl-D.
    case 0x04:
      isComplete = true
      hasEnded = count == 0
    // Backspace, in either spelling.
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
