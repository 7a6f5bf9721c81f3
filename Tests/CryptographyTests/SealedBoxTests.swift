import Cryptography
import SecretMemory
import Testing

@Suite
struct SealedBoxTests {
  @Test(arguments: [0, 1, 15, 16, 17, 1024, 16 * 1024, SecretBytes.maximumCount])
  func whatWasSealedOpens(count: Int) throws {
    let context = try Samples.context()
    let secret = try SecretBytes.random(count: count)
    let box = try SealedBox.seal(secret, using: Samples.key(), context: context)
    #expect(box.bytes.count == count + SealedBox.overhead)
    #expect(box.context == context)
    let again = try SealedBox(parsing: box.bytes)
    #expect(again == box)
    let opened = try again.open(using: Samples.key(), context: context)
    let isEqual = SecretBytes.constantTimeEqual(opened, secret)
    #expect(isEqual)
  }

  @Test
  func theSameSecretSealedTwiceHasNothingInCommon() throws {
    let first = try Samples.box().bytes
    let second = try Samples.box().bytes
    let salt = 101..<133
    #expect(first[..<100] == second[..<100])
    #expect(first[salt] != second[salt])
    #expect(first[149...] != second[149...])
  }

  @Test
  func noSaltAndNonceComeTwice() throws {
    let key = try Samples.key()
    let context = try Samples.context()
    let secret = try SecretBytes(copying: [1])
    var seen: Set<ArraySlice<UInt8>> = []
    for _ in 0..<20_000 {
      seen.insert(try SealedBox.seal(secret, using: key, context: context).bytes[100..<146])
    }
    #expect(seen.count == 20_000)
  }

  /// Made by another implementation (Python's hmac and pyca/cryptography 48) from the table in
  /// `SealedBox`.
  ///
  /// A box of format 1 must open in every later version.
  @Test
  func aBoxOfThePublishedFormatOpens() throws {
    let golden = bytes(
      hex: """
        544c425801010110101112131415161718191a1b1c1d1e1f04e803000010202122232425262728292a2b2c2d2e
        2f010108070000000000000020404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
        08e57763d82601f41420808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f0cc0c1
        c2c3c4c5c6c7c8c9cacb16000000aa3caeddb7c4e8f151af86219cda62d2de698e9ee58c2e04677ffe0416ad99
        00c995987b3bed
        """
    )
    let box = try SealedBox(parsing: golden)
    let key = try Samples.key()
    #expect(box.keyIdentifier == key.identifier)
    let opened = bytes(of: try box.open(using: key, context: Samples.context()))
    #expect(opened == [UInt8]("a golden refresh token".utf8))
  }

  @Test
  func anotherKeyIsToldFromDamage() throws {
    let context = try Samples.context()
    let other = try Samples.key(first: 2)
    var box = try Samples.box().bytes
    #expect(refusal(of: box, context: context, key: other) == .wrongKey)
    // With the other key's identifier in the header the tag does not fit.
    box.replaceSubrange(91..<99, with: other.identifier)
    #expect(refusal(of: box, context: context, key: other) == .damaged)
    #expect(refusal(of: box, context: context, key: try Samples.key()) == .wrongKey)
  }

  @Test
  func aRecordMovedAnywhereElseDoesNotOpen() throws {
    let box = try Samples.box().bytes
    let others = [UInt8](repeating: 0xee, count: 32)
    let short = [UInt8](others.prefix(16))
    #expect(try refusal(of: box) == nil)
    #expect(try refusal(of: box, context: Samples.context(vault: short)) == .otherVault)
    #expect(try refusal(of: box, context: Samples.context(owner: 1001)) == .otherOwner)
    #expect(try refusal(of: box, context: Samples.context(account: short)) == .otherAccount)
    #expect(try refusal(of: box, context: Samples.context(kind: .print)) == .otherKind)
    #expect(try refusal(of: box, context: Samples.context(protection: .none)) == .otherProtection)
    #expect(try refusal(of: box, context: Samples.context(generation: 8)) == .otherGeneration(7))
    #expect(try refusal(of: box, context: Samples.context(generation: 6)) == .otherGeneration(7))
    #expect(try refusal(of: box, context: Samples.context(binding: others)) == .otherBinding)
  }

  @Test
  func theFirstRefusalThatAppliesIsTheOneGiven() throws {
    var wanted = try Samples.context(
      kind: .print,
      vault: [UInt8](repeating: 0, count: 16),
      owner: 1,
      account: [UInt8](repeating: 0, count: 16),
      protection: .none,
      generation: 1,
      binding: [UInt8](repeating: 0, count: 32)
    )
    let sealed = try Samples.context()
    let box = try Samples.box(context: sealed).bytes
    let key = try Samples.key()
    #expect(refusal(of: box, context: wanted, key: try Samples.key(first: 9)) == .wrongKey)
    #expect(refusal(of: box, context: wanted, key: key) == .otherVault)
    wanted = try Samples.context(kind: .print, owner: 1, protection: .none, generation: 1)
    #expect(refusal(of: box, context: wanted, key: key) == .otherOwner)
    wanted.owner = sealed.owner
    #expect(refusal(of: box, context: wanted, key: key) == .otherKind)
    wanted.kind = sealed.kind
    #expect(refusal(of: box, context: wanted, key: key) == .otherProtection)
    wanted.protection = sealed.protection
    #expect(refusal(of: box, context: wanted, key: key) == .otherGeneration(7))
  }

  @Test
  func ofManyRecordsNoneOpensInThePlaceOfAnother() throws {
    let contexts = try Samples.contexts()
    #expect(contexts.count > 20)
    let key = try Samples.key()
    let boxes = try contexts.map { try Samples.box(context: $0).bytes }
    for (from, box) in boxes.enumerated() {
      for (to, context) in contexts.enumerated() {
        let refused = refusal(of: box, context: context, key: key)
        #expect((refused == nil) == (from == to), "\(from) in the place of \(to)")
        guard from != to else { continue }
        #expect(refused != .damaged, "the header alone tells why")
        // With the header of its new location, the box is damaged.
        let forged = boxes[to][..<100] + box[100...]
        #expect(refusal(of: [UInt8](forged), context: context, key: key) == .damaged)
        let grafted = boxes[to][..<149] + box[149...]
        #expect(refusal(of: [UInt8](grafted), context: context, key: key) == .damaged)
      }
    }
  }

  @Test
  func aKeyOrSecretLeavesNoCopyInOrdinaryMemory() async {
    await #expect(processExitsWith: .success) { try sealAndLookForCopies() }
  }

  @Test
  func noConfigurationFileReachesTheLibrary() async {
    // Under this configuration the default library context finds no cipher at all.
    await #expect(processExitsWith: .success) { try sealUnderHostileConfiguration() }
  }
}
