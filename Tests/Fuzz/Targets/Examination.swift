internal import FuzzMeter
internal import Glibc
internal import SecretMemory
internal import Synchronization

/// The cost of one input.
struct Cost {
  /// CPU time of the thread.
  let nanoseconds: Int64
  /// Peak memory.
  let bytes: Int64

  /// 50 ms: some twenty times what the most expensive message takes.
  static let mostNanoseconds: Int64 = 50_000_000

  var isSlow: Bool { nanoseconds > Self.mostNanoseconds }
  var milliseconds: Double { Double(nanoseconds / 10_000) / 100 }
  var kibibytes: Int64 { bytes / 1024 }

  func isLarge(for input: [UInt8], of fuzzer: Fuzzer) -> Bool {
    bytes > fuzzer.memory + Int64(input.count)
  }

  /// Makes libFuzzer keep inputs that cost more for each byte than all earlier ones.
  ///
  /// They lead step by step to an input that costs too much.
  func reach(for input: [UInt8]) {
    guard input.count >= 64 else { return }
    let count = Int64(input.count)
    for (first, perByte) in [(0, nanoseconds / count / 16), (32, bytes / count)] {
      let bits = Int64.bitWidth - perByte.leadingZeroBitCount
      fuzzmeter_reach(UInt32(first + min(bits, 31)))
    }
  }
}

extension Fuzzer {
  /// Runs the function once and measures it.
  func examine(_ bytes: [UInt8]) -> Cost {
    fuzzmeter_start()
    run(bytes)
    let reading = fuzzmeter_stop()
    return Cost(nanoseconds: reading.nanoseconds, bytes: reading.bytes)
  }
}

/// Ends the program if a property does not hold, so that libFuzzer keeps the input.
func demand(_ holds: Bool, _ what: @autoclosure () -> String) {
  guard !holds else { return }
  note("fuzz: " + what())
  abort()
}

/// Makes a fuzzer's prerequisite.
///
/// Without it the fuzzer would silently find nothing.
func made<Value>(_ body: () throws -> Value) -> Value {
  do {
    return try body()
  } catch {
    note("fuzz: what a fuzzer needs cannot be made: \(error)")
    exit(2)
  }
}

/// Ends the program if another way gives other bytes, or none.
func demandSame(
  _ text: borrowing SecretBytes,
  _ what: @autoclosure () -> String,
  again: () throws -> SecretBytes
) {
  let isSame = (try? SecretBytes.constantTimeEqual(again(), text)) ?? false
  demand(isSame, what())
}

/// Writes a line to the standard error.
func note(_ text: String) {
  let line = Array((text + "\n").utf8)
  _ = unsafe line.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
}

/// Inputs that took long in a program with sanitizers, which is slow in itself.
///
/// A program without sanitizers examines each again, and only an input that is slow there is a
/// finding.
enum Suspects {
  private static let most = 32
  private static let slowest = Mutex<[(nanoseconds: Int64, path: String)]>([])

  /// Saves an input in the directory of FUZZ_SUSPECTS, in place of a faster one.
  static func add(_ bytes: [UInt8], _ cost: Cost) {
    guard let directory = unsafe getenv("FUZZ_SUSPECTS") else { return }
    slowest.withLock { slowest in
      if slowest.count == most {
        guard let last = slowest.last, last.nanoseconds < cost.nanoseconds else { return }
        unsafe unlink(last.path)
        slowest.removeLast()
      }
      var dice = Dice(bytes)
      let path = unsafe String(cString: directory) + "/slow-\(String(dice.next(), radix: 16))"
      guard write(bytes, to: path) else { return }
      let place = slowest.firstIndex { $0.nanoseconds < cost.nanoseconds } ?? slowest.endIndex
      slowest.insert((cost.nanoseconds, path), at: place)
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) -> Bool {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    defer { _ = close(file) }
    return unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      == bytes.count
  }
}
