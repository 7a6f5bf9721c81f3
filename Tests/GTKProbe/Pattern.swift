import Glibc
import SecretMemory

/// A secret that is nowhere in the heap unless a copy was made there: it is computed.
enum Pattern {
  private static let length = 48
  /// malloc(3) itself overwrites the beginning of what is freed.
  private static let begin = 20

  private static func byte(_ index: Int) -> UInt8 { UInt8(0x41 + index * index % 25) }

  static func secret() throws(SecretMemoryError) -> SecretBytes {
    try unsafe SecretBytes(capacity: length) { room in
      for index in 0..<length { unsafe room[index] = byte(index) }
      return length
    }
  }

  /// How often the end of the secret is in the heap.
  static func count() -> Int {
    // A buffer of this size lies outside of the heap.
    guard let (start, size) = heap, let copy = unsafe malloc(max(size, 1 << 20)) else { return -1 }
    defer { unsafe free(copy) }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: UnsafeRawPointer(bitPattern: start),
      count: size
    )
    unsafe copy.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(copy), byteCount: size)
    let seen = unsafe UnsafeRawBufferPointer(start: copy, count: size)
    var found = 0
    for place in 0..<max(0, size - length) {
      var matching = 0
      while matching < length - begin, unsafe seen[place + matching] == byte(begin + matching) {
        matching += 1
      }
      if matching == length - begin { found += 1 }
    }
    return found
  }

  /// The place and the size of the heap (proc_pid_maps(5)).
  private static var heap: (Int, Int)? {
    guard let file = unsafe fopen("/proc/self/maps", "r") else { return nil }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    while unsafe fgets(&line, Int32(line.count), file) != nil {
      let text = String(
        decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
        as: UTF8.self
      )
      guard text.contains("[heap]") else { continue }
      let ends = text.prefix { $0 != " " }.split(separator: "-").compactMap { Int($0, radix: 16) }
      return ends.count == 2 ? (ends[0], ends[1] - ends[0]) : nil
    }
    return nil
  }
}
