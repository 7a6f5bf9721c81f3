package import System

/// An access token as stored in a token file, with its expiry by two clocks.
///
/// The file is a cache of the store for a program that makes no call. The token is valid only while
/// the wall clock and the boot clock agree. So neither a changed clock nor a reboot can revive an
/// expired token.
///
/// Format, integers little-endian: magic `TLTOKEN2` (8 bytes), expiry by the wall clock (Int64,
/// seconds), boot identifier (16), expiry by CLOCK_BOOTTIME (Int64, nanoseconds), length of the
/// token (UInt32), expiry as the provider stated it (Int64, seconds; 0 if it did not), 1 if the
/// token may go to any host or else 0 (UInt32), token (printable ASCII), and nothing after it.
package struct CachedToken: Sendable, Equatable {
  /// The most bytes that a token file may have.
  package static let maximumFileCount = 65_536
  /// The bytes before the token.
  package static let headerCount = 56
  /// How far the clocks may disagree, in seconds.
  package static let tolerance: Int64 = 10

  private static let magic = [UInt8]("TLTOKEN2".utf8)

  /// The expiry by the wall clock.
  package let wallExpiry: WallTime
  /// The boot in which `bootExpiry` is valid.
  package let boot: BootIdentifier
  /// The expiry by the boot clock, which no program can set.
  package let bootExpiry: BootInstant
  /// The expiry as the provider stated it; `nil` if it stated none.
  package let statedExpiry: WallTime?
  /// Whether the token may go to each host for which the user names the account.
  ///
  /// A token for one resource may not.
  package let isForAnyHost: Bool
  /// The token: 1 or more bytes of printable ASCII.
  package let token: [UInt8]

  /// Takes a token with its expiry; `nil` if it is empty, too long, or not printable ASCII.
  package init?(
    token: [UInt8],
    wallExpiry: WallTime,
    boot: BootIdentifier,
    bootExpiry: BootInstant,
    statedExpiry: WallTime? = nil,
    isForAnyHost: Bool = false
  ) {
    // A control character would reach the terminal of a caller that prints the token.
    guard !token.isEmpty, token.count <= Self.maximumFileCount - Self.headerCount,
      token.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    self.token = token
    self.wallExpiry = wallExpiry
    self.boot = boot
    self.bootExpiry = bootExpiry
    // 0 stands for none.
    self.statedExpiry = statedExpiry?.seconds == 0 ? nil : statedExpiry
    self.isForAnyHost = isForAnyHost
  }

  /// The bytes of the file.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headerCount + token.count)
    bytes += Self.magic
    Self.append(UInt64(bitPattern: wallExpiry.seconds), count: 8, to: &bytes)
    bytes += boot.bytes
    Self.append(UInt64(bitPattern: bootExpiry.nanoseconds), count: 8, to: &bytes)
    Self.append(UInt64(token.count), count: 4, to: &bytes)
    Self.append(UInt64(bitPattern: statedExpiry?.seconds ?? 0), count: 8, to: &bytes)
    Self.append(isForAnyHost ? 1 : 0, count: 4, to: &bytes)
    bytes += token
    return bytes
  }

  /// Reads the bytes of a file; `nil` for any bytes that `encoded()` would not have written.
  package static func decode(_ bytes: [UInt8]) -> CachedToken? {
    guard let header = CachedTokenHeader(bytes.span),
      let boot = BootIdentifier(bytes: Array(bytes[16..<32]))
    else { return nil }
    return CachedToken(
      token: Array(bytes[headerCount...]),
      wallExpiry: header.wallExpiry,
      boot: boot,
      bootExpiry: header.bootExpiry,
      statedExpiry: header.statedExpiry,
      isForAnyHost: header.isForAnyHost
    )
  }

  /// Whether the token may be used without a call to the engine.
  ///
  /// Both clocks must leave it at least `minimumLifetime` seconds and agree within `tolerance`. The
  /// machine must not have rebooted since the token was stored.
  package func isValid(
    wall: WallTime,
    boot: BootInstant,
    bootID: BootIdentifier,
    minimumLifetime: Int64
  ) -> Bool {
    bootID == self.boot
      && Self.isBelievable(
        wallExpiry: wallExpiry,
        bootExpiry: bootExpiry,
        wall: wall,
        boot: boot,
        minimumLifetime: minimumLifetime
      )
  }

  static func isBelievable(
    wallExpiry: WallTime,
    bootExpiry: BootInstant,
    wall: WallTime,
    boot: BootInstant,
    minimumLifetime: Int64
  ) -> Bool {
    let (byWall, overflow) = wallExpiry.seconds.subtractingReportingOverflow(wall.seconds)
    guard !overflow else { return false }
    let byBoot = bootExpiry.seconds(since: boot)
    // A negative minimum must not make an expired token valid.
    guard byWall > 0, byBoot > 0, byWall >= minimumLifetime, byBoot >= minimumLifetime else {
      return false
    }
    return abs(byWall - byBoot) <= tolerance
  }

  private static func append(_ value: UInt64, count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}
