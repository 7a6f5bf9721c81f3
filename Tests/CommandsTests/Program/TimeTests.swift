import Testing

@testable import Commands

struct DurationTests {
  @Test(arguments: [
    ("15m", 900), ("2h", 7200), ("90s", 90), ("1h30m", 5400), ("2d", 172_800), ("0s", 0),
    ("1d2h3m4s", 93_784),
  ])
  func durationsArePartsWithUnits(_ text: String, _ seconds: Int64) {
    #expect(Durations.parse(text) == seconds)
  }

  @Test(arguments: [
    "", "10", "0", "m", "-5m", "+5m", "1.5h", "30m1h", "1h1h", "5 m", "5x", "1h30",
    "99999999999999999999s", "9223372036854775807d", "99999999999999999999", "٣m",
    "0x10s", "1h\n",
  ])
  func anythingElseIsRefused(_ text: String) {
    #expect(Durations.parse(text) == nil)
  }

  @Test(arguments: [
    (0, "0s"), (59, "59s"), (60, "1m"), (5400, "1h 30m"), (93_784, "1d 2h"), (-5, "0s"),
  ])
  func durationsAreShownByTheirTwoLargestUnits(_ seconds: Int64, _ text: String) {
    #expect(Durations.text(seconds) == text)
  }
}

struct TimestampTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (951_782_400, "2000-02-29T00:00:00Z"),
    (1_763_717_400, "2025-11-21T09:30:00Z"), (-1, "1969-12-31T23:59:59Z"),
    (4_107_542_399, "2100-02-28T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
    (253_402_300_799, "9999-12-31T23:59:59Z"),
  ])
  func secondsAndTextAreTheSameTime(_ seconds: Int64, _ text: String) {
    #expect(Timestamps.rfc3339(seconds) == text)
    #expect(Timestamps.parse(text) == seconds)
  }

  @Test
  func everyDayOfFourCenturiesReadsBack() {
    for day in stride(from: Int64(-80_000), to: 90_000, by: 1) {
      let seconds = day * 86_400 + 12_345
      #expect(Timestamps.parse(Timestamps.rfc3339(seconds)) == seconds)
    }
  }

  @Test(arguments: [
    ("2025-11-21T10:30:00+01:00", 1_763_717_400), ("2025-11-21t09:30:00z", 1_763_717_400),
    ("2025-11-21 09:30:00.987Z", 1_763_717_400), ("2025-11-21T00:00:00-09:30", 1_763_717_400),
  ])
  func offsetsAndFractionsAreUnderstood(_ text: String, _ seconds: Int64) {
    #expect(Timestamps.parse(text) == seconds)
  }

  @Test(arguments: [
    "", "2025-11-21", "2025-11-21T09:30:00", "2025-13-01T00:00:00Z", "2025-02-29T00:00:00Z",
    "2025-11-21T24:00:00Z", "2025-11-21T09:60:00Z", "2025-11-21T09:30:00.Z",
    "2025-11-21T09:30:00Zx", "2025-11-21T09:30:00+25:00", "0000-01-01T00:00:00Z",
    "+025-11-21T09:30:00Z",
  ])
  func whatIsNoTimeIsRefused(_ text: String) {
    #expect(Timestamps.parse(text) == nil)
  }

  @Test
  func timesBeyondAllYearsDoNotTrap() {
    #expect(Timestamps.rfc3339(.max) == "9999-12-31T23:59:59Z")
    #expect(Timestamps.rfc3339(.min) == "0001-01-01T00:00:00Z")
    #expect(!Timestamps.local(.max).isEmpty)
    #expect(!Timestamps.localBrief(.min, now: .max).isEmpty)
  }
}
