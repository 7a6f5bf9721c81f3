import HelperInterface
import JSON
import SecretMemory
import Testing
import Varlink
import VaultInterface

extension MessageBuffer {
  /// Appends bytes of a test.
  fileprivate mutating func append(_ bytes: [UInt8]) throws(MessageError) {
    var failure: MessageError?
    unsafe bytes.withUnsafeBytes { bytes in
      do throws(MessageError) {
        unsafe try append(bytes)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }
}

/// A message of exactly `count` bytes, its NUL included.
private func message(of count: Int) -> [UInt8] {
  let frame = "{\"method\":\"a.B\",\"parameters\":{\"a\":\"\"}}"
  let padding = String(repeating: "x", count: count - 1 - frame.utf8.count)
  return Array(frame.utf8.dropLast(3)) + Array(padding.utf8) + Array("\"}}".utf8) + [0]
}

@Suite
struct MessageBufferTests {
  private static let most = VarlinkInterface.vault.maximumMessage

  @Test
  func theMostIs64KiB() {
    #expect(Self.most == 65_536)
  }

  @Test
  func aMessageOfTheMostBytesIsRead() throws {
    var buffer = MessageBuffer(.vault)
    try buffer.append(message(of: Self.most))
    #expect(buffer.room == 0)
    #expect(try buffer.nextCall()?.method == "a.B")
    #expect(buffer.count == 0 && buffer.room == Self.most)
  }

  @Test
  func thatAMessageIsThereIsKnownBeforeItIsRead() throws {
    var buffer = MessageBuffer(.vault)
    #expect(try !buffer.hasMessage())
    try buffer.append(Array("{".utf8))
    #expect(try !buffer.hasMessage())
    try buffer.append(Array("} ".utf8) + [0] + [UInt8](repeating: 32, count: Self.most - 4))
    #expect(try buffer.hasMessage() && buffer.count == Self.most)
    // Examining it removed nothing, and the bytes after the message count toward the next one's
    // length.
    let first = unsafe try buffer.next { bytes in bytes.count }
    #expect(first == 3)
    #expect(try !buffer.hasMessage())
    try buffer.append([UInt8](repeating: 32, count: 4))
    #expect(throws: MessageError.tooLong(maximum: Self.most)) { _ = try buffer.hasMessage() }
  }

  @Test
  func oneByteMoreIsRefusedBeforeItIsTaken() throws {
    var buffer = MessageBuffer(.vault)
    #expect(throws: MessageError.tooLong(maximum: Self.most)) {
      try buffer.append(message(of: Self.most + 1))
    }
    #expect(buffer.count == 0)
    try buffer.append([1])
    #expect(throws: MessageError.tooLong(maximum: Self.most)) {
      try buffer.append(message(of: Self.most))
    }
    #expect(buffer.count == 1)
  }

  @Test
  func aMessageThatCanNoLongerEndIsRefused() throws {
    var buffer = MessageBuffer(.vault)
    let endless = [UInt8](repeating: UInt8(ascii: " "), count: Self.most - 1)
    try buffer.append(endless)
    #expect(try buffer.nextCall() == nil)
    try buffer.append([UInt8(ascii: " ")])
    #expect(throws: MessageError.tooLong(maximum: Self.most)) { try buffer.nextCall() }
    // The same again: nothing was dropped between the two.
    #expect(throws: MessageError.tooLong(maximum: Self.most)) { try buffer.nextCall() }
    let received = unsafe buffer.receive { _ in
      Issue.record("there is no room to lend")
      return 1
    }
    #expect(received == nil)
  }

  @Test
  func aMessageTooLongIsNotMade() throws {
    let long = String(repeating: "x", count: Self.most)
    let call = VarlinkCall(method: "a.B", parameters: ["a": .string(long)])
    let reply = VarlinkReply(parameters: ["a": .string(long)])
    let error = MessageError.tooLong(maximum: Self.most)
    #expect(throws: error) { SharedSecret(try call.encoded(on: .vault)) }
    #expect(throws: error) { SharedSecret(try reply.encoded(on: .vault)) }
    #expect(throws: error) { try reply.plainEncoded(on: .vault) }
    let longer = VarlinkReply(parameters: ["a": .string(String(repeating: "x", count: 1 << 18))])
    #expect(throws: error) { SharedSecret(try longer.encoded(on: .vault)) }
  }

  @Test
  func aWholeSlotFitsAHelpersMessage() throws {
    let slot = [UInt8](repeating: 0xA5, count: 65_536)
    let reply = try VarlinkReply(ExchangeReply.sealed(slot))
    let encoded = try reply.encoded(on: .helper)
    var buffer = MessageBuffer(.helper)
    try unsafe encoded.withUnsafeBytes { unsafe try buffer.append($0) }
    let result = try #require(try buffer.nextReply()).result(of: ExchangeCall.self)
    guard case .sealed(slot) = result else {
      Issue.record("another reply")
      return
    }
  }

  @Test
  func messagesInOneReadComeOneByOne() throws {
    var buffer = MessageBuffer(.vault)
    var bytes: [UInt8] = []
    for index in 0..<100 { bytes += Array("{\"method\":\"a.B\(index)\"}".utf8) + [0] }
    try buffer.append(bytes + Array("{\"met".utf8))
    for index in 0..<100 { #expect(try buffer.nextCall()?.method == "a.B\(index)") }
    #expect(try buffer.nextCall() == nil)
    #expect(buffer.count == 5)
    try buffer.append(Array("hod\":\"a.C\"}".utf8) + [0])
    #expect(try buffer.nextCall()?.method == "a.C")
  }

  @Test
  func aBadMessageDoesNotSpoilTheNext() throws {
    var buffer = MessageBuffer(.vault)
    try buffer.append(Array("{\"method\":}\u{0}{\"method\":\"a.B\"}\u{0}\u{0}[]\u{0}5\u{0}".utf8))
    #expect(throws: MessageError.malformed(.unexpected(offset: 10))) { try buffer.nextCall() }
    #expect(try buffer.nextCall()?.method == "a.B")
    #expect(throws: MessageError.malformed(.truncated)) { try buffer.nextCall() }
    #expect(throws: MessageError.notAnObject) { try buffer.nextCall() }
    #expect(throws: MessageError.notAnObject) { try buffer.nextCall() }
    #expect(try buffer.nextCall() == nil)
  }

  @Test
  func whatWasReadIsWiped() throws {
    var buffer = MessageBuffer(.vault)
    let text = Array("{\"method\":\"a.B\",\"parameters\":{\"password\":\"hunter2\"}}".utf8) + [0]
    try buffer.append(text)
    _ = try buffer.nextCall()
    let seen = unsafe buffer.receive { room in
      #expect(room.count >= text.count)
      // The allocator may have overwritten the beginning of the freed memory with its own words.
      let left = unsafe room.prefix(text.count).dropFirst(32)
      #expect(unsafe left.allSatisfy { $0 == 0 })
      return 0
    }
    #expect(seen == 0)
  }

  @Test
  func aWrongCountFromTheSocketTakesNothing() {
    var buffer = MessageBuffer(.vault)
    for count in [-1, Int.min, Int.max, 65_537] {
      #expect(unsafe buffer.receive { _ in count } == 0)
      #expect(buffer.count == 0)
    }
  }

  @Test
  func anyCutsOfTheStreamGiveTheSameMessages() throws {
    var state: UInt64 = 42
    func random(_ below: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % below
    }
    var stream: [UInt8] = []
    var expected: [Int] = []
    for _ in 0..<300 {
      let size = random(10) == 0 ? 60_000 + random(5536) : 40 + random(3000)
      stream += message(of: size)
      expected.append(size)
    }
    var buffer = MessageBuffer(.vault)
    var sizes: [Int] = []
    var position = 0
    while position < stream.count {
      while let size = unsafe try buffer.next({ bytes in bytes.count + 1 }) { sizes.append(size) }
      let wanted = 1 + random(9000)
      let count = unsafe buffer.receive { room in
        let count = min(room.count, wanted, stream.count - position)
        unsafe room.copyBytes(from: stream[position..<position + count])
        return count
      }
      position += try #require(count)
    }
    while let size = unsafe try buffer.next({ bytes in bytes.count + 1 }) { sizes.append(size) }
    #expect(sizes == expected)
    #expect(buffer.count == 0)
  }
}
