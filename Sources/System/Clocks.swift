internal import CLinux
internal import Glibc

/// A moment of CLOCK_BOOTTIME: nanoseconds since boot, suspend counted, set by nobody.
///
/// It means nothing after a reboot: store it beside a `BootIdentifier`.
public struct BootInstant: Sendable, Comparable, Hashable {
  /// Nanoseconds since boot (clock_gettime(2), CLOCK_BOOTTIME).
  public let nanoseconds: Int64

  /// Makes an instant from nanoseconds since boot.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The moment now.
  public static var now: BootInstant { BootInstant(nanoseconds: clinux_boottime()) }

  /// Earlier instants come first.
  public static func < (left: BootInstant, right: BootInstant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// This instant moved by a number of seconds, clamped to the range that can be told.
  public func advanced(bySeconds seconds: Int64) -> BootInstant {
    let (product, tooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, tooFar) = nanoseconds.addingReportingOverflow(product)
    guard !tooLong && !tooFar else {
      return BootInstant(nanoseconds: seconds < 0 ? .min : .max)
    }
    return BootInstant(nanoseconds: sum)
  }

  /// Whole seconds from `earlier` until this instant, rounded down; negative if it is earlier.
  public func seconds(since earlier: BootInstant) -> Int64 {
    let (difference, overflow) = nanoseconds.subtractingReportingOverflow(earlier.nanoseconds)
    return wholeSeconds(overflow ? (nanoseconds < 0 ? .min : .max) : difference)
  }
}

/// Wall-clock time in whole seconds since 1970, which anyone with the right may set.
public struct WallTime: Sendable, Comparable, Hashable {
  /// Seconds since 1970-01-01 00:00 UTC.
  public let seconds: Int64

  /// Makes a time from seconds since 1970.
  public init(seconds: Int64) {
    self.seconds = seconds
  }

  /// The time now, rounded down (clock_gettime(2), CLOCK_REALTIME).
  public static var now: WallTime {
    WallTime(seconds: wholeSeconds(clinux_realtime()))
  }

  /// Earlier times come first.
  public static func < (left: WallTime, right: WallTime) -> Bool { left.seconds < right.seconds }
}

/// The identity of this boot, sixteen bytes that change at each start of the machine.
public struct BootIdentifier: Sendable, Equatable {
  /// Sixteen bytes.
  public let bytes: [UInt8]

  /// Takes sixteen bytes; nil for any other count.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// Reads this boot's identifier (proc(5), /proc/sys/kernel/random/boot_id).
  public static func current() throws(SystemError) -> BootIdentifier {
    let number = unsafe clinux_openat(
      AT_FDCWD,
      "/proc/sys/kernel/random/boot_id",
      O_RDONLY,
      0
    )
    let file = Descriptor(owning: Int32(try check(Int(number), "open", subject: "boot_id")))
    let text = try file.readAll(limit: 64)
    var bytes: [UInt8] = []
    var high: UInt8?
    for character in text {
      let digit: UInt8
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = character - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = character - UInt8(ascii: "a") + 10
      default: continue
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard let identifier = BootIdentifier(bytes: bytes) else {
      throw SystemError("read", code: EINVAL, subject: "boot_id")
    }
    return identifier
  }
}

/// Nanoseconds to whole seconds, rounded down below zero as well.
private func wholeSeconds(_ nanoseconds: Int64) -> Int64 {
  let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
  return rest < 0 ? seconds - 1 : seconds
}
