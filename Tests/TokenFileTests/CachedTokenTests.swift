import System
import Testing
import TokenFile

@Suite
struct CachedTokenTests {
  private let boot = BootIdentifier(bytes: [UInt8](1...16))

  private func made(
    _ text: String = "abc.DEF~123",
    wall: Int64 = 1_000_600,
    bootSeconds: Int64 = 5_600
  ) -> CachedToken? {
    boot.flatMap { boot in
      CachedToken(
        token: Array(text.utf8),
        wallExpiry: WallTime(seconds: wall),
        boot: boot,
        bootExpiry: BootInstant(nanoseconds: bootSeconds * 1_000_000_000)
      )
    }
  }

  @Test
  func whatIsWrittenIsRead() throws {
    let token = try #require(made())
    let bytes = token.encoded()
    #expect(bytes.count == CachedToken.headerCount + 11)
    #expect(Array(bytes.prefix(8)) == Array("TLTOKEN2".utf8))
    #expect(Array(bytes[8..<16]) == [0x98, 0x44, 0x0f, 0, 0, 0, 0, 0])
    #expect(Array(bytes[40..<44]) == [11, 0, 0, 0])
    #expect(CachedToken.decode(bytes) == token)
  }

  @Test
  func theLongestTokenIsReadAndALongerOneRefused() throws {
    let longest = String(
      repeating: "x",
      count: CachedToken.maximumFileCount - CachedToken.headerCount
    )
    let token = try #require(made(longest))
    // The values are not put into the report, because they have 64 KiB.
    let (read, longer) = (
      CachedToken.decode(token.encoded()), CachedToken.decode(token.encoded() + [0x78])
    )
    let same = read == token
    #expect(same && longer == nil)
    let refused = made(longest + "x") == nil
    #expect(refused)
  }

  @Test
  func noPartOfAFileIsBelieved() throws {
    let bytes = try #require(made()).encoded()
    for count in 0..<bytes.count {
      #expect(CachedToken.decode(Array(bytes.prefix(count))) == nil)
    }
    #expect(CachedToken.decode(bytes + [0x61]) == nil)
  }

  @Test
  func everyFlippedBitIsRefusedOrReadAsWhatItSays() throws {
    let original = try #require(made())
    let bytes = original.encoded()
    for bit in 0..<(bytes.count * 8) {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let read = CachedToken.decode(changed) else { continue }
      #expect(read != original)
      #expect(read.encoded() == changed)
    }
  }

  @Test
  func randomBytesDoNotTrap() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      let count = Int.random(in: 0..<200, using: &generator)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      bytes.replaceSubrange(0..<min(8, count), with: Array("TLTOKEN2".utf8.prefix(count)))
      let token = CachedToken.decode(bytes)
      #expect(token == nil || token?.encoded() == bytes)
    }
  }

  @Test(arguments: ["", "a b", "a\nb", "a\u{1b}[2J", "a\u{7f}", "tökén", "a\u{0}"])
  func aTokenThatATerminalWouldObeyIsRefused(_ text: String) throws {
    #expect(made(text) == nil)
    var bytes = try #require(made("12345678")).encoded()
    let end = Array(text.utf8)
    bytes.replaceSubrange(40..<44, with: [UInt8(end.count), 0, 0, 0])
    bytes.replaceSubrange(CachedToken.headerCount..., with: end)
    #expect(CachedToken.decode(bytes) == nil)
  }

  /// A case of the rule: the clocks' distance from the expiry, and the requested lifetime.
  struct Moment: Sendable {
    let wallLeft: Int64
    let bootLeft: Int64
    let minimum: Int64
    let valid: Bool
  }

  @Test(arguments: [
    Moment(wallLeft: 600, bootLeft: 600, minimum: 10, valid: true),
    Moment(wallLeft: 10, bootLeft: 10, minimum: 10, valid: true),
    Moment(wallLeft: 9, bootLeft: 10, minimum: 10, valid: false),
    Moment(wallLeft: 10, bootLeft: 9, minimum: 10, valid: false),
    Moment(wallLeft: 600, bootLeft: 590, minimum: 10, valid: true),
    Moment(wallLeft: 590, bootLeft: 600, minimum: 10, valid: true),
    Moment(wallLeft: 600, bootLeft: 589, minimum: 10, valid: false),
    Moment(wallLeft: 589, bootLeft: 600, minimum: 10, valid: false),
    Moment(wallLeft: 0, bootLeft: 0, minimum: 0, valid: false),
    Moment(wallLeft: -5, bootLeft: -5, minimum: -10, valid: false),
    // A clock set back, and one set forward, by a year.
    Moment(wallLeft: 31_536_600, bootLeft: 600, minimum: 10, valid: false),
    Moment(wallLeft: -31_535_400, bootLeft: 600, minimum: 10, valid: false),
    Moment(wallLeft: 600, bootLeft: 600, minimum: .max, valid: false),
  ])
  func bothClocksMustAgree(_ moment: Moment) throws {
    let token = try #require(made())
    let valid = token.isValid(
      wall: WallTime(seconds: 1_000_600 - moment.wallLeft),
      boot: BootInstant(nanoseconds: (5_600 - moment.bootLeft) * 1_000_000_000),
      bootID: token.boot,
      minimumLifetime: moment.minimum
    )
    #expect(valid == moment.valid)
  }

  @Test
  func anotherBootIsNotBelieved() throws {
    let token = try #require(made())
    let other = try #require(BootIdentifier(bytes: [UInt8](repeating: 9, count: 16)))
    #expect(
      !token.isValid(
        wall: WallTime(seconds: 1_000_000),
        boot: BootInstant(nanoseconds: 5_000_000_000_000),
        bootID: other,
        minimumLifetime: 10
      )
    )
  }

  @Test(arguments: [Int64.min, -1, 0, 1, Int64.max], [Int64.min, -1, 0, 1, Int64.max])
  func theEndsOfTimeDoNotTrap(_ expiry: Int64, _ now: Int64) throws {
    let boot = try #require(boot)
    let token = try #require(
      CachedToken(
        token: [0x61],
        wallExpiry: WallTime(seconds: expiry),
        boot: boot,
        bootExpiry: BootInstant(nanoseconds: expiry)
      )
    )
    for minimum in [Int64.min, 0, Int64.max] {
      _ = token.isValid(
        wall: WallTime(seconds: now),
        boot: BootInstant(nanoseconds: now),
        bootID: boot,
        minimumLifetime: minimum
      )
    }
  }
}
