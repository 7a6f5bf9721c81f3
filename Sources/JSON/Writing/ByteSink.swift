/// A destination for the writer's bytes.
protocol ByteSink {
  /// Whether the memory is locked and wiped.
  var mayHoldSecrets: Bool { get }
  mutating func put(_ byte: UInt8)
}

extension ByteSink {
  mutating func put(_ text: String) {
    for byte in text.utf8 { put(byte) }
  }
}

/// Writes to ordinary memory.
struct ArraySink: ByteSink {
  var bytes: [UInt8] = []
  let mayHoldSecrets = false

  mutating func put(_ byte: UInt8) {
    bytes.append(byte)
  }
}

/// Writes nothing and only counts the bytes.
struct CountingSink: ByteSink {
  var count = 0
  let mayHoldSecrets = true

  mutating func put(_ byte: UInt8) {
    count += 1
  }
}

/// Writes to locked memory of the measured size.
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
