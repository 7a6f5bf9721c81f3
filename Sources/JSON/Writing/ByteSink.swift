/// Where the writer puts its bytes.
protocol ByteSink {
  /// Whether what is put here is wiped and locked.
  var mayHoldSecrets: Bool { get }
  mutating func put(_ byte: UInt8)
}

extension ByteSink {
  mutating func put(_ text: String) {
    for byte in text.utf8 { put(byte) }
  }
}

/// Ordinary memory.
struct ArraySink: ByteSink {
  var bytes: [UInt8] = []
  let mayHoldSecrets = false

  mutating func put(_ byte: UInt8) {
    bytes.append(byte)
  }
}

/// Nowhere: measures what there is to put.
struct CountingSink: ByteSink {
  var count = 0
  let mayHoldSecrets = true

  mutating func put(_ byte: UInt8) {
    count += 1
  }
}

/// Locked memory, cut to what was measured.
@safe
struct BufferSink: ByteSink {
  private let room: UnsafeMutableRawBufferPointer
  private let capacity: Int
  private(set) var count = 0
  let mayHoldSecrets = true

  init(_ room: UnsafeMutableRawBufferPointer) {
    unsafe self.room = room
    capacity = room.count
  }

  mutating func put(_ byte: UInt8) {
    guard count < capacity else { return }
    unsafe room[count] = byte
    count += 1
  }
}
