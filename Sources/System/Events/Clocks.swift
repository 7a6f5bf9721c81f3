internal import CLinux
internal import Glibc

/// A moment of CLOCK_BOOTTIME: nanoseconds since boot, including suspend; no program can set it.
///
/// It is meaningless after a reboot: store it beside a `BootIdentifier`.
public struct BootInstant: Sendable, Comparable, Hashable {
  /// Nanoseconds since boot (clock_gettime(2), CLOCK_BOOTTIME).
  public let nanoseconds: Int64

  /// Makes an instant from nanoseconds since boot.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The current moment.
  public static var now: BootInstant { BootInstant(nanoseconds: clinux_boottime()) }

  /// Earlier instants come first.
  public static func < (left: BootInstant, right: BootInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// This instant moved by a number of seconds, clamped to the range of the type.
  public func advanced(bySeconds seconds: Int64) -> BootInstant {
    let (product, tooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, tooFar) = nanoseconds.addingReportingOverflow(product)
    guard !tooLong && !tooFar else { return BootInstant(nanoseconds: seconds < 0 ? .min : .max) }
    return BootInstant(nanoseconds: sum)
  }

  /// Whole seconds from `earlier` until this instant, rounded down; negative if it is earlier.
  public func seconds(since earlier: BootInstant) -> Int64 {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return wholeSeconds(overflow ? (nanoseconds < 0 ? .min : .max) : difference)
  }
}

/// CPU time of the calling thread.
package enum ThreadTime {
  /// The CPU time used so far, in nanoseconds (clock_gettime(2), CLOCK_THREAD_CPUTIME_ID).
  package static var used: Int64 {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Wall-clock time in whole seconds since 1970, which a privileged program may set.
package struct WallTime: Sendable, Comparable, Hashable {
  /// Seconds since 1970-01-01 00:00 UTC.
  package let seconds: Int64

  /// Makes a time from seconds since 1970.
  package init(seconds: Int64) {
    self.seconds = seconds
  }

  /// The current time, rounded down (clock_gettime(2), CLOCK_REALTIME).
  package static var now: WallTime {
    WallTime(seconds: wholeSeconds(clinux_realtime()))
  }

  /// Earlier times come first.
  package static func < (left: WallTime, right: WallTime) -> Bool { left.seconds < right.seconds }
}

/// The identity of this boot, sixteen bytes that change at each start of the machine.
package struct BootIdentifier: Sendable, Equatable {
  package let bytes: [UInt8]

  /// Takes sixteen bytes; `nil` for any other count.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads this boot's identifier (proc(5), /proc/sys/kernel/random/boot_id).
  package static func current() throws(SystemError) -> BootIdentifier {
    guard let (first, second) = currentNumbers() else {
      throw SystemError("read", code: EIO, subject: "boot_id")
    }
    var bytes: [UInt8] = []
    for number in [first, second] {
      for index in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(index)))) }
    }
    guard let identifier = BootIdentifier(bytes: bytes) else {
      throw SystemError("read", code: EINVAL, subject: "boot_id")
    }
    return identifier
  }

  /// This boot's identifier as two little-endian numbers; `nil` if it cannot be read.
  ///
  /// It is read without an allocation, for a program whose start must be short.
  package static func currentNumbers() -> (UInt64, UInt64)? {
    let path: StaticString = "/proc/sys/kernel/random/boot_id"
    let number = unsafe clinux_openat(
      AT_FDCWD,
      UnsafeRawPointer(path.utf8Start).assumingMemoryBound(to: CChar.self),
      O_RDONLY,
      0
    )
    guard number >= 0 else { return nil }
    let file = Descriptor(owning: number)
    return unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { text in
      guard let count = unsafe try? file.read(into: text) else { return nil }
      var halves: (UInt64, UInt64) = (0, 0)
      var digits: UInt64 = 0
      for index in 0..<count {
        let character = unsafe text[index]
        let digit: UInt8
        switch character {
        case 0x30...0x39: digit = character - 0x30
        case 0x61...0x66: digit = character - 0x61 + 10
        default: continue
        }
        // Two digits make a byte, the high one first.
        let shift = digits % 16 / 2 * 8 + (digits % 2 == 0 ? 4 : 0)
        if digits < 16 {
          halves.0 |= UInt64(digit) << shift
        } else {
          halves.1 |= UInt64(digit) << shift
        }
        digits += 1
        guard digits <= 32 else { return nil }
      }
      return digits == 32 ? halves : nil
    }
  }
}

/// Nanoseconds as whole seconds, rounded down for negative values too.
private func wholeSeconds(_ nanoseconds: Int64) -> Int64 {
  let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
  return rest < 0 ? seconds - 1 : seconds
}
