import Cryptography
import SecretMemory
import Testing

@Suite
struct SlotImageTests {
  private func context() throws -> BoxContext { try Samples.context(kind: .answer) }

  private func file(_ image: [UInt8]) -> [UInt8] {
    image + [UInt8](repeating: 0, count: SlotImage.size - image.count)
  }

  private func image(_ outcome: ExchangeOutcome) throws -> [UInt8] {
    try SlotImage.seal(outcome, using: Samples.key(), context: context())
  }

  private func opened(_ file: [UInt8]) throws -> ExchangeOutcome {
    try SlotImage.open(file, using: Samples.key(), context: context())
  }

  private func answer(
    _ status: Int = 200,
    retryAfter: Int? = nil,
    count: Int = 0
  ) throws -> ExchangeOutcome {
    .answered(
      status: status,
      retryAfter: retryAfter,
      body: SharedSecret(try SecretBytes(copying: [UInt8](repeating: 0x61, count: count)))
    )
  }

  @Test(arguments: [0, 1, 1000, ExchangeOutcome.maximumBodyCount])
  func anAnswerComesBackAsItWas(count: Int) throws {
    for retryAfter in [nil, 0, 1, 3600, Int.max] {
      for status in [0, 200, 429, 999] {
        let image = try image(answer(status, retryAfter: retryAfter, count: count))
        #expect(image.count <= SlotImage.size)
        guard case .answered(let gotStatus, let gotRetry, let body) = try opened(file(image)) else {
          Issue.record("an answer came back as something else")
          return
        }
        #expect(gotStatus == status && gotRetry == retryAfter)
        #expect(bytes(of: body.bytes) == [UInt8](repeating: 0x61, count: count))
      }
    }
  }

  @Test(arguments: ["", "resolve", "grüße\n\0", String(repeating: "r", count: 256)])
  func aRequestThatWasNotSentComesBackWithItsReason(reason: String) throws {
    guard case .notSent(let got) = try opened(file(image(.notSent(reason: reason)))) else {
      Issue.record("it came back as something else")
      return
    }
    #expect(got == reason)
  }

  @Test
  func whatNoSlotCanHoldIsRefused() throws {
    #expect(throws: CryptographyError.wrongLength) {
      try image(answer(count: ExchangeOutcome.maximumBodyCount + 1))
    }
    #expect(throws: CryptographyError.wrongLength) {
      try image(.notSent(reason: String(repeating: "r", count: 257)))
    }
    for status in [-1, 1000, .min, .max] {
      #expect(throws: CryptographyError.malformed) { try image(answer(status)) }
    }
    for retryAfter in [-1, .min] {
      #expect(throws: CryptographyError.malformed) { try image(answer(retryAfter: retryAfter)) }
    }
  }

  @Test
  func onlyZerosAreAnEmptySlot() {
    var file = [UInt8](repeating: 0, count: SlotImage.size)
    #expect(SlotImage.isEmpty(file))
    for offset in [0, 1, SlotImage.size / 2, SlotImage.size - 1] {
      file[offset] = 1
      #expect(!SlotImage.isEmpty(file))
      file[offset] = 0
    }
  }

  @Test
  func anEmptySlotHoldsNoOutcome() {
    #expect(throws: CryptographyError.malformed) {
      try opened([UInt8](repeating: 0, count: SlotImage.size))
    }
  }

  @Test
  func aTornSlotIsRefusedAtEveryByte() throws {
    // The contents of the file when the write stopped: the rest is zero, or the file ends there.
    let image = try image(answer(count: 100))
    for count in 0..<image.count {
      let part = Array(image.prefix(count))
      #expect(throws: CryptographyError.self) { try opened(part) }
      guard image[count...].contains(where: { $0 != 0 }) else { continue }
      #expect(throws: CryptographyError.self) { try opened(file(part)) }
    }
  }

  @Test
  func everyBitFlippedIsRefused() throws {
    let image = try image(answer(count: 20))
    for offset in image.indices {
      for bit in 0..<8 {
        var flipped = image
        flipped[offset] ^= 1 << bit
        #expect(throws: CryptographyError.self) { try opened(file(flipped)) }
      }
    }
  }

  @Test
  func whatStandsBehindTheAnswerDoesNotCostIt() throws {
    var dirty = try file(image(answer(count: 10)))
    dirty[SlotImage.size - 1] = 0xff
    guard case .answered(200, nil, _) = try opened(dirty) else {
      Issue.record("the answer was lost")
      return
    }
  }

  @Test
  func aSlotOfAnotherIntentOrAccountIsRefused() throws {
    let image = try image(answer())
    let key = try Samples.key()
    let other = try key.derived(for: "exchange", context: [1])
    #expect(throws: CryptographyError.wrongKey) {
      try SlotImage.open(image, using: other, context: context())
    }
    #expect(throws: CryptographyError.otherAccount) {
      try SlotImage.open(
        image,
        using: key,
        context: Samples.context(kind: .answer, account: [UInt8](repeating: 9, count: 16))
      )
    }
    #expect(throws: CryptographyError.otherKind) {
      try SlotImage.open(image, using: key, context: Samples.context())
    }
    #expect(throws: CryptographyError.wrongLength) {
      try SlotImage.open(file(image) + [0], using: key, context: context())
    }
  }

  @Test
  func aSealedPlaintextThatNoExchangeHelperWritesIsRefused() throws {
    let plaintexts: [[UInt8]] = [
      [], [1], [1, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0],
      [1, 3, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0, 0xff], [1, 1, 0, 0, 0, 0, 0],
      [1, 2, 200, 0, 0, 0], [1, 2, 200, 0, 2] + [UInt8](repeating: 0, count: 12),
      [1, 2, 200, 0, 0, 1] + [UInt8](repeating: 0, count: 11),
      [1, 2, 200, 0, 1] + [UInt8](repeating: 0xff, count: 8) + [0, 0, 0, 0],
      [1, 2, 0xff, 0xff, 0] + [UInt8](repeating: 0, count: 12),
      [1, 2, 200, 0, 0] + [UInt8](repeating: 0, count: 8) + [1, 0, 0, 0],
      [1, 2, 200, 0, 0] + [UInt8](repeating: 0, count: 8) + [0xff, 0xff, 0xff, 0xff],
    ]
    for plaintext in plaintexts {
      let box = try SealedBox.seal(
        SecretBytes(copying: plaintext),
        using: Samples.key(),
        context: context()
      ).bytes
      let length = UInt8(box.count)
      let image = [UInt8]("TLSLOT01".utf8) + [length, 0, 0, 0] + box
      #expect(throws: CryptographyError.self, "\(plaintext)") { try opened(image) }
    }
  }
}
