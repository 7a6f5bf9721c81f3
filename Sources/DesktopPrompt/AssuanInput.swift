internal import Glibc
internal import SecretMemory
internal import System

/// The lines that a program sends by the Assuan protocol, in locked memory.
final class AssuanInput {
  /// A line, as far as this side needs it.
  enum Line {
    case ok
    case data(Data)
    /// With the number of the error; 0 if there is none.
    case refused(UInt32)
    /// The program has ended, or its line is too long.
    case ended
  }

  /// The decoded text of a data line.
  struct Data {
    let secret: SharedSecret?

    static let empty = Data(secret: try? SharedSecret(SecretBytes(copying: [])))

    /// The text, for data that is not secret.
    var text: String {
      guard let secret else { return "" }
      return secret.bytes.withBytes { span in
        String(decoding: (0..<span.count).map { span[$0] }, as: UTF8.self)
      }
    }
  }

  /// The most bytes of a line: each byte of a password may need three.
  private static let mostBytes = 8192
  /// The most bytes of all lines that answer one command.
  ///
  /// A program that sends comments or data without end would keep the thread past each time limit.
  private static let longestReply = 64 << 10

  let socket: Descriptor
  private var buffer: SecretBuffer
  private var count = 0
  /// How many bytes were received since the last command.
  private var replied = 0

  init(_ socket: consuming Descriptor) throws(SystemError) {
    self.socket = socket
    do throws(SecretMemoryError) {
      buffer = try SecretBuffer(capacity: Self.mostBytes)
    } catch {
      throw SystemError("mmap", code: ENOMEM)
    }
  }

  /// Sends one line.
  func send(_ line: String) throws(SystemError) {
    replied = 0
    try socket.write(line + "\n")
  }

  /// Receives more bytes; false at the end of the input, or if a line or a whole reply is too long.
  func receive() -> Bool {
    let free = count..<Self.mostBytes
    guard !free.isEmpty, replied < Self.longestReply else { return false }
    let received = unsafe buffer.withUnsafeMutableBytes { room in
      (try? unsafe socket.read(into: UnsafeMutableRawBufferPointer(rebasing: room[free]))) ?? 0
    }
    count += received
    replied += received
    return received > 0
  }

  /// The next whole line; `nil` if it has not come yet.
  func takeLine() -> Line? {
    while let length = lineLength() {
      let line = unsafe buffer.withUnsafeMutableBytes { room in unsafe Self.line(in: room, length) }
      drop(length + 1)
      if let line { return line }
    }
    return nil
  }

  private func lineLength() -> Int? {
    let count = count
    return unsafe buffer.withUnsafeMutableBytes { room in
      unsafe room[..<count].firstIndex(of: UInt8(ascii: "\n"))
    }
  }

  /// Removes the first bytes, and wipes what they leave behind.
  private func drop(_ length: Int) {
    let (old, rest) = (count, count - length)
    unsafe buffer.withUnsafeMutableBytes { room in
      for index in 0..<rest { unsafe room[index] = unsafe room[index + length] }
      for index in rest..<old { unsafe room[index] = 0 }
    }
    count = rest
  }

  /// The line of so many bytes; `nil` for a comment or a status line.
  private static func line(in room: UnsafeMutableRawBufferPointer, _ length: Int) -> Line? {
    func begins(_ word: StaticString) -> Bool {
      guard length >= word.utf8CodeUnitCount else { return false }
      return (0..<word.utf8CodeUnitCount).allSatisfy { index in
        unsafe room[index] == word.utf8Start[index]
      }
    }
    if begins("D ") { return .data(Data(secret: unsafe decoded(room, 2..<length))) }
    if begins("OK") { return .ok }
    if begins("ERR") { return .refused(unsafe number(in: room, from: 4, to: length)) }
    return nil
  }

  private static func number(
    in room: UnsafeMutableRawBufferPointer,
    from start: Int,
    to end: Int
  ) -> UInt32 {
    guard start < end else { return 0 }
    let figures = UInt8(ascii: "0")...UInt8(ascii: "9")
    let digits = unsafe room[start..<end].prefix { figures.contains($0) }
    return UInt32(unsafe String(decoding: digits, as: UTF8.self)) ?? 0
  }

  /// Decodes "%0A" and the like into a locked buffer of its own.
  private static func decoded(
    _ room: UnsafeMutableRawBufferPointer,
    _ range: Range<Int>
  ) -> SharedSecret? {
    guard let bytes = try? SecretBuffer(capacity: max(1, range.count)) else { return nil }
    var (next, used) = (range.lowerBound, 0)
    while next < range.upperBound {
      var byte = unsafe room[next]
      if byte == UInt8(ascii: "%"), next + 2 < range.upperBound,
        let high = unsafe digit(room[next + 1]), let low = unsafe digit(room[next + 2])
      {
        byte = high << 4 | low
        next += 2
      }
      unsafe bytes.withUnsafeMutableBytes { unsafe $0[used] = byte }
      (next, used) = (next + 1, used + 1)
    }
    return SharedSecret(bytes.secret(count: used))
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
