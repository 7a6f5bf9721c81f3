import HelperInterface
import JSON
import SecretMemory
import Testing
import Varlink
import VaultInterface

@Suite
struct RoundTripTests {
  @Test
  func thereAreSamples() {
    #expect(samples.count > 80)
  }

  @Test(arguments: samples.indices)
  func everyMessageComesBackAsItWas(_ index: Int) throws {
    let sample = samples[index]
    let received = try sample.received(sample.parameters)
    #expect(received == sample.parameters, "\(sample)")
    #expect(try sample.again(received) == sample.parameters, "\(sample)")
  }

  @Test(arguments: samples.indices)
  func membersOfANewerInterfaceAreIgnored(_ index: Int) throws {
    let sample = samples[index]
    var parameters = sample.parameters
    parameters["newer_member"] = ["a": [1, nil, "b"]]
    #expect(try sample.again(sample.received(parameters)) == sample.parameters, "\(sample)")
  }

  @Test(arguments: samples.indices)
  func everyBeginningIsIncomplete(_ index: Int) throws {
    let sample = samples[index]
    let message = try sample.message(sample.parameters)
    let bytes = unsafe message.withUnsafeBytes { unsafe Array($0) }
    #expect(bytes.last == 0 && !bytes.dropLast().contains(0))
    var buffer = MessageBuffer(sample.interface)
    for byte in bytes.dropLast() {
      try unsafe [byte].withUnsafeBytes { unsafe try buffer.append($0) }
      switch sample.direction {
      case .call: #expect(try buffer.nextCall() == nil)
      case .reply, .error: #expect(try buffer.nextReply() == nil)
      }
    }
    #expect(buffer.count == bytes.count - 1)
    try unsafe [UInt8(0)].withUnsafeBytes { unsafe try buffer.append($0) }
    switch sample.direction {
    case .call: #expect(try buffer.nextCall() != nil)
    case .reply, .error: #expect(try buffer.nextReply() != nil)
    }
    #expect(buffer.count == 0)
  }

  @Test(arguments: samples.indices)
  func everyBeginningThatClaimsToBeWholeIsATypedError(_ index: Int) throws {
    let sample = samples[index]
    let message = try sample.message(sample.parameters)
    let bytes = unsafe message.withUnsafeBytes { unsafe Array($0) }
    for count in 0..<bytes.count - 1 {
      var buffer = MessageBuffer(sample.interface)
      let cut = Array(bytes.prefix(count)) + [0]
      try unsafe cut.withUnsafeBytes { unsafe try buffer.append($0) }
      do {
        switch sample.direction {
        case .call: _ = try buffer.nextCall()
        case .reply, .error: _ = try buffer.nextReply()
        }
        Issue.record("\(count) bytes of \(sample) were read")
      } catch {
        #expect(error == .malformed(.truncated) || error == .malformed(.notText))
      }
      #expect(buffer.count == 0)
    }
  }

  @Test(arguments: samples.indices)
  func aSecretIsInNoString(_ index: Int) throws {
    let sample = samples[index]
    let received = try sample.received(sample.parameters)
    func strings(_ value: JSONValue) -> [String] {
      switch value {
      case .string(let text): [text]
      case .array(let elements): elements.flatMap(strings)
      case .object(let object): object.members.flatMap { [$0.name] + strings($0.value) }
      case .null, .boolean, .integer, .number, .secret, .unusable: []
      }
    }
    // "hunter2" at the three alignments of base64.
    for text in strings(.object(received)) {
      for form in ["hunter", "aHVudGVy", "h1bnRlc", "odW50ZX"] {
        #expect(!text.contains(form), "\(sample)")
      }
    }
  }

  @Test
  func aMethodIsReadOnlyAsItself() throws {
    let call = try VarlinkCall(LockCall())
    #expect(try call.content(as: LockCall.self) == LockCall())
    #expect(throws: MessageError.otherMethod) { try call.content(as: GetStatusCall.self) }
    #expect(call.interface == "io.thumblatch.Vault")
  }

  @Test
  func flagsComeBack() throws {
    for flags in 0..<8 {
      let call = VarlinkCall(
        method: LockCall.method,
        more: flags & 1 != 0,
        oneway: flags & 2 != 0,
        upgrade: flags & 4 != 0
      )
      let again = unsafe try call.encoded(on: .vault).withUnsafeBytes { bytes in
        unsafe try VarlinkCall(
          decoding: UnsafeRawBufferPointer(rebasing: bytes.dropLast()),
          on: .vault
        )
      }
      #expect(again == call)
    }
    let reply = VarlinkReply(parameters: ["a": 1], continues: true)
    let again = unsafe try reply.encoded(on: .vault).withUnsafeBytes { bytes in
      unsafe try VarlinkReply(
        decoding: UnsafeRawBufferPointer(rebasing: bytes.dropLast()),
        on: .vault
      )
    }
    #expect(again == reply)
  }

  @Test
  func plainAndSecretWritingAgree() throws {
    for sample in samples
    where sample.direction == .reply && sample.interface === VarlinkInterface.vault {
      // Only tokens that leave the vault, a provider's client secret and a new recovery code are
      // secret.
      let withSecrets = ["Release", "AccountProvider", "AddSlot", "Restore"]
      guard !withSecrets.contains(sample.name) else { continue }
      let reply = VarlinkReply(parameters: sample.parameters)
      let secret = try reply.encoded(on: .vault)
      let bytes = unsafe secret.withUnsafeBytes { unsafe Array($0) }
      #expect(try reply.plainEncoded(on: .vault) == bytes)
    }
  }

  @Test
  func aReleasedTokenIsNotWrittenToOrdinaryMemory() throws {
    let reply = try VarlinkReply(
      ReleaseReply(refreshToken: try secret("hunter2"), signedOut: true)
    )
    #expect(throws: MessageError.malformed(.secretInOrdinaryMemory)) {
      try reply.plainEncoded(on: .vault)
    }
  }

  @Test
  func aSecretReplyIsNotWrittenToOrdinaryMemory() throws {
    let reply = try VarlinkReply(
      ExchangeReply.answered(status: 200, retryAfter: nil, body: secret("x"))
    )
    #expect(throws: MessageError.malformed(.secretInOrdinaryMemory)) {
      try reply.plainEncoded(on: .helper)
    }
  }
}
