/// The peer of the readers: it reads 64 KiB of numbers between commas with Swift's standard
/// library.
///
/// Like the readers, it finds the end of each value, copies the value, and allocates memory for it.
struct PlainReader {
  private static let text = [UInt8](repeatElement("1234567,", count: 8192).joined().utf8)
  /// The last readings, in milliseconds.
  ///
  /// The lowest counts. Earlier ones are forgotten, because the speed of a machine changes.
  private var readings: [Double] = []
  private static let kept = 8

  /// The CPU time for 64 KiB, in milliseconds.
  var milliseconds: Double { readings.min() ?? .infinity }

  /// Reads the text once more, and measures that.
  mutating func measure() {
    var sum = 0
    let time = Gauge.time { sum = Self.read() }
    precondition(sum == 8192 * 1_234_567)
    readings.append(time)
    if readings.count > Self.kept { readings.removeFirst() }
  }

  @inline(never)
  private static func read() -> Int {
    var numbers: [String] = []
    for field in text.split(separator: UInt8(ascii: ",")) {
      numbers.append(String(decoding: field, as: UTF8.self))
    }
    return numbers.reduce(0) { $0 + (Int($1) ?? 0) }
  }
}
