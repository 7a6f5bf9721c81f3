/// What stands before the token in a token file, read in place.
///
/// For a program that has half a millisecond: the first array or string that a process makes costs
/// it more than opening and reading the file. `CachedToken` describes the format.
public struct CachedTokenHeader: Sendable {
  /// When the token expires by the wall clock.
  public let wallExpiry: WallTime
  /// When it expires by the clock that nobody sets.
  public let bootExpiry: BootInstant
  /// The boot in which `bootExpiry` has a meaning, as two numbers, the first bytes lowest.
  let boot: (UInt64, UInt64)

  /// Reads a whole file; nil for any that the engine has not written.
  ///
  /// The token is all that stands behind `CachedToken.headerCount` bytes, and printable ASCII.
  public init?(_ file: borrowing Span<UInt8>) {
    let start = CachedToken.headerCount
    guard file.count > start, file.count <= CachedToken.maximumFileCount,
      Self.integer(file, at: 0, count: 8) == 0x314E_454B_4F54_4C54,  // TLTOKEN1
      Self.integer(file, at: 40, count: 4) == UInt64(file.count - start)
    else { return nil }
    // A control character would go to the terminal of whoever prints the token.
    for index in start..<file.count {
      guard file[index] >= 0x21, file[index] <= 0x7E else { return nil }
    }
    wallExpiry = WallTime(seconds: Int64(bitPattern: Self.integer(file, at: 8, count: 8)))
    boot = (Self.integer(file, at: 16, count: 8), Self.integer(file, at: 24, count: 8))
    bootExpiry = BootInstant(nanoseconds: Int64(bitPattern: Self.integer(file, at: 32, count: 8)))
  }

  /// Whether the token may be used now without asking anyone; see `CachedToken.isValid`.
  public func isValid(minimumLifetime: Int64) -> Bool {
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
