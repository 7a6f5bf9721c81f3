import FingerprintReader
import TestSupport
import Testing

extension ReaderTests {
  /// The matcher of image readers, with drawn ridges.
  @Suite
  struct Matcher {
    @Test
    func theSameFingerMatchesHoweverItLiesAndOthersDoNot() throws {
      let reader = try VirtualReader(.image)
      defer { reader.remove() }
      try reader.connected {
        let finger = VirtualFinger(seed: 1)
        let right = try enroll(finger, as: .rightIndex, on: reader)
        let left = try enroll(VirtualFinger(seed: 2), as: .leftThumb, on: reader)
        func verdict(_ image: [UInt8]) throws -> Verdict {
          let check = RunningCheck([right, left])
          #expect(check.next() == .ready(only: nil))
          let connection = try VirtualImageConnection(reader)
          try connection.scan(image)
          return try check.wait()
        }
        #expect(try verdict(finger.image(noise: 0.2, seed: 9)) == .matched(.rightIndex))
        #expect(
          try verdict(finger.image(moved: (12, -9), turned: 12, noise: 0.3, seed: 10))
            == .matched(.rightIndex)
        )
        #expect(try verdict(VirtualFinger(seed: 2).image(moved: (5, 5))) == .matched(.leftThumb))
        for seed in UInt64(3)...8 {
          #expect(try verdict(VirtualFinger(seed: seed).image()) == .noMatch, "finger \(seed)")
        }
      }
    }

    @Test
    func aScanWithoutAFingerIsARetry() throws {
      let reader = try VirtualReader(.image)
      defer { reader.remove() }
      try reader.connected {
        let finger = VirtualFinger(seed: 1)
        let print = try enroll(finger, as: .rightIndex, on: reader)
        let check = RunningCheck([print])
        #expect(check.next() == .ready(only: nil))
        let connection = try VirtualImageConnection(reader)
        let blank = [UInt8](repeating: 255, count: VirtualFinger.width * VirtualFinger.height)
        try connection.scan(blank)
        while let event = check.events.next() {
          if case .retry = event { break }
          #expect(event == .waiting)
        }
        try connection.scan(finger.image())
        #expect(try check.wait() == .matched(.rightIndex))
      }
    }
  }

  /// A reader that can distinguish several fingers.
  @Suite
  struct Identification {
    @Test
    func theFingerThatTouchedIsNamed() throws {
      let reader = try VirtualReader(.storage)
      defer { reader.remove() }
      try reader.connected {
        let right = try enroll("right", as: .rightIndex, on: reader)
        let left = try enroll("left", as: .leftThumb, on: reader)
        for (name, verdict) in [("left", Verdict.matched(.leftThumb)), ("other", .noMatch)] {
          let check = RunningCheck([right, left])
          #expect(check.next() == .ready(only: nil))
          // This reader keeps its prints in itself, and loses them when it is closed.
          for stored in ["right", "left"] { try reader.send("INSERT \(stored)") }
          try reader.send("SCAN \(name)")
          #expect(try check.wait() == verdict)
        }
      }
    }
  }
}

/// Enrolls a drawn finger, with each touch at a slightly different position.
func enroll(
  _ drawn: VirtualFinger,
  as finger: Finger,
  on reader: VirtualReader
) throws -> StoredPrint {
  let events = VirtualReaderEvents<EnrollEvent>()
  let operation = Reader(.virtual).enroll(finger, milliseconds: 60_000) { events.put($0) }
  guard case .ready(let stages) = events.next() else { return try operation.wait() }
  let connection = try VirtualImageConnection(reader)
  for stage in 1...stages {
    let shift = Double(stage * 3 - 9)
    try connection.scan(
      drawn.image(moved: (shift, -shift), turned: shift / 2, noise: 0.1, seed: UInt64(stage))
    )
    while let event = events.next(), event != .stage(stage, of: stages) {
      guard event == .waiting else {
        Issue.record("\(event) at stage \(stage)")
        break
      }
    }
  }
  return try operation.wait()
}
