import SecretMemory
import Testing

@Suite
struct SecretBytesTests {
  private struct Refusal: Error {}

  @Test
  func theBytesAreLentAsTheyWereGiven() throws {
    let secret = try SecretBytes(copying: [1, 2, 3, 255])
    let seen = unsafe secret.withUnsafeBytes { unsafe [UInt8]($0) }
    #expect(seen == [1, 2, 3, 255])
    let spanned = secret.withBytes { span in span.indices.map { span[$0] } }
    #expect(spanned == seen)
    let second = unsafe try secret.copy().withUnsafeBytes { unsafe [UInt8]($0) }
    #expect(second == seen)
  }

  @Test
  func anEmptySecretIsASecret() throws {
    let secret = try SecretBytes(copying: [])
    #expect(secret.count == 0)
    let count = secret.withBytes { $0.count }
    #expect(count == 0)
  }

  @Test(arguments: [SecretBytes.maximumCount + 1, Int.max, Int.max - 63, -1, Int.min])
  func aCountThatCannotBeHeldIsRefusedBeforeMemoryIsTaken(count: Int) {
    #expect(throws: SecretMemoryError.tooLong(count)) {
      _ = unsafe try SecretBytes(capacity: count) { _ in 0 }.count
    }
    #expect(throws: SecretMemoryError.tooLong(count)) {
      _ = try SecretBytes.random(count: count).count
    }
  }

  @Test
  func theLongestSecretIsHeld() throws {
    let secret = try SecretBytes.random(count: SecretBytes.maximumCount)
    #expect(secret.count == SecretBytes.maximumCount)
  }

  @Test
  func aBodyThatThrowsLeavesNothing() {
    #expect(throws: Refusal.self) {
      _ = unsafe try SecretBytes(capacity: 32) { buffer in
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 7)
        throw Refusal()
      }.count
    }
  }

  @Test
  func memoryIsZeroWhenItIsHandedOut() throws {
    for _ in 0..<200 {
      do {
        _ = unsafe try SecretBytes(capacity: 4096) { buffer in
          unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0xa5)
          return buffer.count
        }.count
      }
      let isZero = unsafe try SecretBytes(capacity: 4096) { _ in 4096 }
        .withUnsafeBytes { unsafe $0.allSatisfy { $0 == 0 } }
      #expect(isZero)
    }
  }

  @Test
  func secretsAreEqualOnlyByteForByte() throws {
    let bytes = (0..<64).map { UInt8($0) }
    let secret = try SecretBytes(copying: bytes)
    let same = try SecretBytes(copying: bytes)
    let isEqual = SecretBytes.constantTimeEqual(secret, same)
    #expect(isEqual)
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 1
      let changed = try SecretBytes(copying: other)
      let isEqual = SecretBytes.constantTimeEqual(secret, changed)
      #expect(!isEqual)
    }
    let shorter = try SecretBytes(copying: Array(bytes.dropLast()))
    let isEqualToPart = SecretBytes.constantTimeEqual(secret, shorter)
    #expect(!isEqualToPart)
  }

  @Test
  func randomBytesDiffer() throws {
    let first = try SecretBytes.random(count: 32)
    let second = try SecretBytes.random(count: 32)
    let isEqual = SecretBytes.constantTimeEqual(first, second)
    #expect(!isEqual)
  }

  @Test
  func aSharedSecretLivesAsLongAsItsLastReference() throws {
    var references = [SharedSecret(try SecretBytes(copying: [9, 9]))]
    references.append(references[0])
    references.removeFirst()
    let first = references[0].bytes.withBytes { $0[0] }
    #expect(first == 9)
  }
}

/// Memory that is filled bit by bit.
struct SecretBufferTests {
  @Test
  func theBufferBecomesTheSecretWithoutACopy() throws {
    let buffer = try SecretBuffer(capacity: 100)
    let filled = unsafe buffer.withUnsafeMutableBytes { room in
      unsafe room[0] = 1
      unsafe room[1] = 2
      return UInt(bitPattern: room.baseAddress)
    }
    let secret = buffer.secret(count: 2)
    #expect(secret.count == 2)
    #expect(secret.withBytes { span in span[0] == 1 && span[1] == 2 })
    #expect(unsafe secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == filled)
  }
}
