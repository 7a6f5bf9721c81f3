import SecretMemory
import TestSupport
import Testing

@testable import FingerprintReader

extension ReaderTests {
  @Suite
  struct Prints {
    /// A print that libfprint wrote for a reader of images.
    ///
    /// It is shared, because drawing the touches is slow.
    private static let imagePrint = Result {
      let reader = try VirtualReader(.image)
      defer { reader.remove() }
      return try reader.connected {
        try enroll(VirtualFinger(seed: 1), as: .rightIndex, on: reader)
      }
    }

    /// A print that libfprint wrote for each kind of reader.
    private func genuine(_ kind: VirtualReader.Kind) throws -> StoredPrint {
      guard kind != .image else { return try Self.imagePrint.get() }
      let reader = try VirtualReader(kind)
      defer { reader.remove() }
      return try reader.connected { try enroll("right", as: .rightIndex, on: reader) }
    }

    private func bytes(_ print: StoredPrint) -> [UInt8] {
      unsafe print.bytes.bytes.withUnsafeBytes { unsafe [UInt8]($0) }
    }

    private func parse(_ bytes: [UInt8], _ finger: Finger = .rightIndex) throws -> StoredPrint {
      try StoredPrint(SharedSecret(try SecretBytes(copying: bytes)), finger: finger)
    }

    @Test(arguments: [VirtualReader.Kind.device, .image])
    func aGenuinePrintIsTakenAndComesBackTheSame(kind: VirtualReader.Kind) throws {
      let print = try genuine(kind)
      let again = try parse(bytes(print))
      #expect(again.driver == print.driver)
      #expect(again.device == print.device)
      let object = unsafe again.deserialized()
      #expect(unsafe object != nil)
      unsafe release(object)
    }

    @Test(arguments: [VirtualReader.Kind.device, .image])
    func mutatedPrintsNeverEndTheProcess(kind: VirtualReader.Kind) throws {
      let original = bytes(try genuine(kind))
      var random = SystemRandomNumberGenerator()
      var taken = 0
      for round in 0..<2000 {
        var bytes = original
        switch round % 5 {
        case 0:
          for _ in 0...Int.random(in: 0..<4, using: &random) {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
              UInt8.random(in: 1...255, using: &random)
          }
        case 1: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random))
        case 2: bytes.insert(.random(in: 0...255), at: .random(in: 0...bytes.count))
        case 3:
          // The end contains the offsets of all parts of variable length.
          bytes[bytes.count - 1 - Int.random(in: 0..<min(24, bytes.count))] =
            .random(in: 0...255)
        default:
          let from = Int.random(in: 3..<bytes.count, using: &random)
          let count = Int.random(in: 0...(bytes.count - from), using: &random)
          bytes.replaceSubrange(
            from..<from + count,
            with: (0..<count).map { _ in .random(in: 0...255) }
          )
        }
        guard let print = try? parse(bytes) else { continue }
        taken += 1
        // The library must survive every print that the check accepts.
        unsafe release(print.deserialized())
      }
      // Some mutations only change a name or a number: the check is not a plain refusal.
      #expect(taken > 0 && taken < 1500)
    }

    @Test
    func aPrintOfAnotherFingerIsRefused() throws {
      let print = try genuine(.device)
      #expect(throws: PrintFlaw.otherFinger) { try parse(bytes(print), .leftThumb) }
    }

    @Test
    func nonsenseIsRefused() throws {
      #expect(throws: PrintFlaw.malformed) { try parse([]) }
      #expect(throws: PrintFlaw.malformed) { try parse(Array("FP3".utf8)) }
      #expect(throws: PrintFlaw.malformed) { try parse(Array("FP2xxxxxxxxxxxxxxxx".utf8)) }
      #expect(throws: PrintFlaw.malformed) {
        try parse(Array("FP3".utf8) + [UInt8](repeating: 0xff, count: 300))
      }
      #expect(throws: PrintFlaw.tooLong) {
        try parse(Array("FP3".utf8) + [UInt8](repeating: 0, count: StoredPrint.maximumCount))
      }
    }

    @Test
    func aPrintOfAnotherReaderIsNotUsed() throws {
      let image = try genuine(.image)
      let reader = try VirtualReader(.device)
      defer { reader.remove() }
      reader.connected {
        #expect(throws: ReaderError.notEnrolled) { try RunningCheck([image]).wait() }
      }
    }

    @Test
    func fingersHaveTheirNames() {
      #expect(Finger(name: "right-index") == .rightIndex)
      #expect(Finger(name: "Right-Index") == nil)
      for finger in Finger.allCases { #expect(Finger(name: finger.name) == finger) }
    }
  }
}
