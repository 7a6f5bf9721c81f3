internal import Glibc
public import System

/// A drawn finger: ridges of which some end or fork, always at the same points.
public struct VirtualFinger: Sendable {
  /// The size of the images, in pixels at 500 dots an inch.
  public static let width = 300
  /// The height of the images, in pixels.
  public static let height = 400

  private let minutiae: [(x: Double, y: Double, turn: Double)]
  private let arch: Double

  /// A different finger for each number.
  public init(seed: UInt64) {
    var random = Generator(state: seed &* 0x9e37_79b9_7f4a_7c15 | 1)
    arch = 0.0006 + 0.0006 * random.unit()
    minutiae = (0..<44).map { _ in
      (
        x: 25 + 250 * random.unit(),
        y: 25 + 350 * random.unit(),
        turn: random.unit() < 0.5 ? -1.0 : 1.0
      )
    }
  }

  /// A scan, moved by pixels, rotated by degrees, with noise between 0 and 1.
  public func image(
    moved: (x: Double, y: Double) = (0, 0),
    turned degrees: Double = 0,
    noise: Double = 0,
    seed: UInt64 = 1
  ) -> [UInt8] {
    var random = Generator(state: seed &* 0x2545_f491_4f6c_dd1d | 1)
    let angle = degrees * .pi / 180
    let (sine, cosine) = (sin(angle), cos(angle))
    let (middleX, middleY) = (Double(Self.width) / 2, Double(Self.height) / 2)
    // A plain array and a plain loop, because tests are built without optimisation.
    let points = minutiae.flatMap { [$0.x, $0.y, $0.turn] }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(Self.width * Self.height)
    for row in 0..<Self.height {
      for column in 0..<Self.width {
        let dx = Double(column) - middleX - moved.x
        let dy = Double(row) - middleY - moved.y
        let x = cosine * dx + sine * dy + middleX
        let y = -sine * dx + cosine * dy + middleY
        // The phase of the ridges: nine pixels from one to the next, arched. Around each minutia it
        // makes one full turn, so that a ridge begins there. The turns are a product of complex
        // numbers.
        let phase = 2 * .pi / 9 * (y + arch * (x - middleX) * (x - middleX))
        var (real, imaginary) = (cos(phase), sin(phase))
        var index = 0
        while index < points.count {
          let a = x - points[index]
          let b = (y - points[index + 1]) * points[index + 2]
          (real, imaginary) = (real * a - imaginary * b, real * b + imaginary * a)
          index += 3
        }
        let length = max(hypot(real, imaginary), .leastNormalMagnitude)
        let value = 128 + 100 * real / length + noise * 100 * (random.unit() - 0.5)
        pixels.append(UInt8(max(0, min(255, value))))
      }
    }
    return pixels
  }

  private struct Generator {
    var state: UInt64

    /// A number from 0 up to 1 (xorshift64*).
    mutating func unit() -> Double {
      state ^= state >> 12
      state ^= state << 25
      state ^= state >> 27
      return Double((state &* 0x2545_f491_4f6c_dd1d) >> 11) / Double(UInt64(1) << 53)
    }
  }
}

/// The persistent connection to a virtual reader of images.
public struct VirtualImageConnection: ~Copyable {
  private let connection: Descriptor

  /// Connects to an open reader.
  public init(_ reader: VirtualReader) throws(SystemError) {
    connection = try reader.connect()
  }

  /// Puts a finger on the reader, and lifts it.
  public func scan(_ pixels: [UInt8]) throws(SystemError) {
    try connection.write(
      Self.pair(Int32(VirtualFinger.width), Int32(VirtualFinger.height)) + pixels
    )
  }

  /// Reports a scan that must be repeated (FpDeviceRetry).
  public func retry(_ code: Int32) throws(SystemError) {
    try connection.write(Self.pair(-1, code))
  }

  private static func pair(_ first: Int32, _ second: Int32) -> [UInt8] {
    [first, second].flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
  }
}
