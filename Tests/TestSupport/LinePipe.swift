internal import System

/// A stream socket on which each side sends lines.
struct LinePipe: ~Copyable {
  private let descriptor: Descriptor
  private var waiting: [UInt8] = []

  init(_ descriptor: consuming Descriptor) {
    self.descriptor = descriptor
  }

  func write(_ line: [UInt8]) throws(SystemError) {
    try descriptor.write(line + [UInt8(ascii: "\n")])
  }

  /// One line without its line feed.
  ///
  /// Fails after 60 s, or if the other side has closed.
  mutating func readLine() throws -> String {
    while true {
      if let end = waiting.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: waiting[..<end], as: UTF8.self)
        waiting.removeFirst(end + 1)
        return line
      }
      guard try descriptor.waitReadable(milliseconds: 60_000) else {
        throw DevBackendError.didNotStart
      }
      var chunk = [UInt8](repeating: 0, count: 16 * 1024)
      let got = unsafe try chunk.withUnsafeMutableBytes { unsafe try descriptor.read(into: $0) }
      guard got > 0 else { throw DevBackendError.didNotStart }
      waiting += chunk[..<got]
    }
  }
}
