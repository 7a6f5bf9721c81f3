import Glibc
import System
import Testing

@Suite
struct ClockTests {
  @Test
  func theBootClockIsTheKernelsUptime() throws {
    let file = try Directory(path: "/proc").openForReading("uptime")
    let text = String(decoding: try file.readAll(limit: 100), as: UTF8.self)
    let uptime = try #require(text.split(separator: " ").first.flatMap { Double($0) })
    let now = Double(BootInstant.now.nanoseconds) / 1e9
    // proc(5): uptime "including time spent in suspend", rounded down to hundredths.
    #expect(now >= uptime && now - uptime < 60)
    #expect(BootInstant.now <= BootInstant.now)
  }

  @Test
  func theWallClockIsTheSystems() {
    let before = time(nil)
    let now = WallTime.now.seconds
    // time(2) may read the clock of the last tick.
    #expect(now >= before && now <= time(nil) + 1)
  }

  @Test
  func secondsBetweenInstantsAreRoundedDown() {
    let start = BootInstant(nanoseconds: 1_000_000_000)
    let table: [(Int64, Int64)] = [
      (1_000_000_000, 0), (1_999_999_999, 0), (2_000_000_000, 1), (999_999_999, -1), (0, -1),
      (-1, -2),
    ]
    for (nanoseconds, seconds) in table {
      #expect(BootInstant(nanoseconds: nanoseconds).seconds(since: start) == seconds)
    }
  }

  @Test
  func noTimeOverflows() {
    let instants = [Int64.min, -1, 0, 1, .max].map { BootInstant(nanoseconds: $0) }
    for instant in instants {
      #expect(instant.advanced(bySeconds: 0) == instant)
      #expect(instant.advanced(bySeconds: .max).nanoseconds == .max)
      #expect(instant.advanced(bySeconds: .min).nanoseconds == .min)
      for other in instants {
        let seconds = instant.seconds(since: other)
        #expect((seconds < 0) == (instant < other))
      }
    }
    #expect(BootInstant(nanoseconds: 5).advanced(bySeconds: -1).nanoseconds == -999_999_995)
  }

  @Test
  func thisBootHasOneIdentifier() throws {
    let file = try Directory(path: "/proc/sys/kernel/random").openForReading("boot_id")
    let text = String(decoding: try file.readAll(limit: 100), as: UTF8.self)
    let digits = text.filter(\.isHexDigit)
    let identifier = try BootIdentifier.current()
    #expect(identifier.bytes.count == 16)
    let shown = identifier.bytes
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
    #expect(shown == digits)
    #expect(try BootIdentifier.current() == identifier)
    #expect(BootIdentifier(bytes: []) == nil)
    #expect(BootIdentifier(bytes: [UInt8](repeating: 0, count: 17)) == nil)
  }
}
