import JSON
import SecretMemory
import TestSupport
import Testing
import Varlink
import VarlinkMethods
import VaultInterface

/// Texts that are expensive to compare: the project's interfaces let none through.
@Suite
struct HostileTextTests {
  private static let marks = String(
    String.UnicodeScalarView((0..<2000).map { $0 % 2 == 0 ? "\u{301}" : "\u{323}" })
  )

  private func call(_ text: String, on interface: VarlinkInterface) throws -> VarlinkCall {
    try unsafe Array(text.utf8).withUnsafeBytes {
      unsafe try VarlinkCall(decoding: $0, on: interface)
    }
  }

  @Test(arguments: VarlinkMethods.interfaces)
  func aMessageWithANameOfNoUseIsRefused(_ interface: VarlinkInterface) throws {
    for name in [Self.marks, String(repeating: "a", count: 129)] {
      #expect(throws: MessageError.malformed(.unusableName(offset: 1))) {
        try call(#"{"\#(name)":1,"method":"a.B"}"#, on: interface)
      }
      let reply = Array(#"{"parameters":{"\#(name)":1}}"#.utf8)
      #expect(throws: MessageError.malformed(.unusableName(offset: 15))) {
        try unsafe reply.withUnsafeBytes {
          unsafe try VarlinkReply(decoding: $0, on: interface)
        }
      }
    }
  }

  /// Every text of every call, as the interfaces describe them.
  @Test(arguments: VarlinkMethods.interfaces)
  func aTextOfMarksHasNoValue(_ interface: VarlinkInterface) throws {
    var count = 0
    for sample in samples where sample.interface === interface && sample.direction == .call {
      for member in sample.parameters.members {
        for text in [Self.marks, String(repeating: "\u{E9}", count: 513)] {
          guard case .string = member.value else { continue }
          var parameters = sample.parameters
          parameters[member.name] = .string(text)
          let message = try sample.message(parameters)
          let received = unsafe try message.withUnsafeBytes { bytes throws(MessageError) in
            unsafe try VarlinkCall(
              decoding: UnsafeRawBufferPointer(rebasing: bytes.dropLast()),
              on: interface
            )
          }
          count += 1
          #expect(throws: MessageError.badValue(member.name), "\(sample).\(member.name)") {
            try sample.again(received.parameters)
          }
        }
      }
    }
    #expect(count > 10)
  }

  @Test
  func theKeysOfAMapAreWordsOfASCII() throws {
    func settings(_ members: String) throws {
      let text =
        #"{"method":"io.thumblatch.Vault.TestProvider","parameters":{"provider":{"name":"a","settings":{\#(members)}}}}"#
      _ = try VaultRequest(try call(text, on: .vault))
    }
    try settings(#""issuer":"é","\#(String(repeating: "a", count: 64))":"b""#)
    let many = (0..<257).map { #""\#($0)":"a""# }.joined(separator: ",")
    for members in [
      #""é":"a""#, #""a b":"a""#, #""":1"#, #""a\u0007":"a""#, many,
      #""\#(String(repeating: "a", count: 65))":"a""#, #""issuer":"\#(Self.marks)""#,
    ] {
      #expect(throws: VarlinkError.self, "\(members.prefix(40))") { try settings(members) }
    }
  }
}
