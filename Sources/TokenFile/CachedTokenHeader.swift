package import System

/// The header of a token file, read in place.
///
/// It serves a program with a budget of half a millisecond: the first array or string of a process
/// costs more than opening and reading the file. `CachedToken` describes the format.
package struct CachedTokenHeader: Sendable {
  /// The token's expiry by the wall clock.
  package let wallExpiry: WallTime
  /// The token's expiry by the boot clock, which no program can set.
  package let bootExpiry: BootInstant
  /// The expiry as the provider stated it; `nil` if it stated none.
  package let statedExpiry: WallTime?
  /// Whether the token may go to each host for which the user names the account.
  package let isForAnyHost: Bool
  /// The boot in which `bootExpiry` is valid, as two little-endian numbers.
  let boot: (UInt64, UInt64)

  /// Reads a whole file; `nil` if the engine has not written it.
  ///
  /// The token is everything after `CachedToken.headerCount` bytes, and printable ASCII.
  package init?(_ file: borrowing Span<UInt8>) {
    let start = CachedToken.headerCount
    guard file.count > start, file.count <= CachedToken.maximumFileCount,
      Self.integer(file, at: 0, count: 8) == 0x324E_454B_4F54_4C54,  // TLTOKEN2
      Self.integer(file, at: 40, count: 4) == UInt64(file.count - start),
      Self.integer(file, at: 52, count: 4) <= 1
    else { return nil }
    // A control character would reach the terminal of a caller that prints the token.
    for index in start..<file.count {
      guard file[index] >= 0x21, file[index] <= 0x7E else { return nil }
    }
    wallExpiry = WallTime(seconds: Int64(bitPattern: Self.integer(file, at: 8, count: 8)))
    boot = (Self.integer(file, at: 16, count: 8), Self.integer(file, at: 24, count: 8))
    bootExpiry = BootInstant(nanoseconds: Int64(bitPattern: Self.integer(file, at: 32, count: 8)))
    let stated = Int64(bitPattern: Self.integer(file, at: 44, count: 8))
    statedExpiry = stated == 0 ? nil : WallTime(seconds: stated)
    isForAnyHost = Self.integer(file, at: 52, count: 4) == 1
  }

  /// Whether the token may be used now without a call to the engine; see `CachedToken.isValid`.
  package func isValid(minimumLifetime: Int64) -> Bool {
    guard
      CachedToken.isBelievable(
        wallExpiry: wallExpiry,
        bootExpiry: bootExpiry,
        wall: .now,
        boot: .now,
        minimumLifetime: minimumLifetime
      ), let current = BootIdentifier.currentNumbers()
    else { return false }
    return current == boot
  }

  private static func integer(
    _ bytes: borrowing Span<UInt8>,
    at offset: Int,
    count: Int
  ) -> UInt64 {
    var value: UInt64 = 0
    var index = offset + count
    while index > offset {
      index -= 1
      value = value << 8 | UInt64(bytes[index])
    }
    return value
  }
}
