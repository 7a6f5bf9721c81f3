import HelperInterface
import JSON
import PresenceTerms
import SecretMemory
import TestSupport
import Testing
import Varlink
import VaultInterface

private func call(_ text: String, on interface: VarlinkInterface = .vault) throws -> VarlinkCall {
  try unsafe Array(text.utf8).withUnsafeBytes {
    unsafe try VarlinkCall(decoding: $0, on: interface)
  }
}

private func reply(
  _ text: String,
  on interface: VarlinkInterface = .vault
) throws -> VarlinkReply {
  try unsafe Array(text.utf8).withUnsafeBytes {
    unsafe try VarlinkReply(decoding: $0, on: interface)
  }
}

@Suite
struct MessageTests {
  @Test
  func theEnvelopeIsChecked() {
    let refused: [(String, MessageError)] = [
      ("{}", .missing("method")), ("{\"method\":5}", .wrongType("method")),
      ("{\"method\":null}", .missing("method")), ("{\"method\":\"\"}", .badValue("method")),
      ("{\"method\":\"a\"}", .badValue("method")), ("{\"method\":\"a.b\\n\"}", .badValue("method")),
      ("{\"method\":\"a.b c\"}", .badValue("method")),
      ("{\"method\":\"a.é\"}", .badValue("method")),
      ("{\"method\":\"a.\(String(repeating: "b", count: 300))\"}", .badValue("method")),
      ("{\"method\":\"a.B\",\"parameters\":[]}", .wrongType("parameters")),
      ("{\"method\":\"a.B\",\"more\":1}", .wrongType("more")),
      ("{\"method\":\"a.B\",\"oneway\":\"true\"}", .wrongType("oneway")),
      ("{\"method\":\"a.B\",\"upgrade\":{}}", .wrongType("upgrade")), ("null", .notAnObject),
      ("{\"method\":\"a.B\",\"method\":\"a.B\"}", .malformed(.duplicateMember(offset: 16))),
    ]
    for (text, error) in refused {
      #expect(throws: error, "\(text)") { try call(text) }
    }
    #expect(throws: MessageError.wrongType("continues")) { try reply("{\"continues\":1}") }
    #expect(throws: MessageError.wrongType("error")) { try reply("{\"error\":[]}") }
    #expect(throws: MessageError.wrongType("parameters")) { try reply("{\"parameters\":1}") }
  }

  @Test
  func membersOfTheEnvelopeMayBeLeftOut() throws {
    #expect(try call("{\"method\":\"a.B\"}") == VarlinkCall(method: "a.B"))
    #expect(
      try call("{\"method\":\"a.B\",\"parameters\":null,\"more\":null,\"new\":[]}")
        == VarlinkCall(method: "a.B")
    )
    #expect(try reply("{}") == VarlinkReply(parameters: JSONObject()))
  }

  @Test
  func aPasswordIsSecretOnlyInCalls() throws {
    let parameters = "{\"parameters\":{\"text\":\"Password: \",\"password\":\"p\"}}"
    let received = try reply(parameters)
    #expect(try received.parameters.string("text") == "Password: ")
    let asked = try call("{\"method\":\"a.B\",\"parameters\":{\"text\":\"hunter2\"}}")
    #expect(throws: JSONError.wrongType("text")) { try asked.parameters.string("text") }
    #expect(try asked.parameters.secret("text").bytes.count == 7)
  }

  /// A provider may give a person's country a `code`.
  @Test
  func aClaimIsNoSecretWhateverItsName() throws {
    let account = try #require(samples.first { $0.name == "GetAccount" && $0.direction == .reply })
    var parameters = account.parameters
    guard case .object(var fields)? = parameters["account"] else {
      Issue.record("no account")
      return
    }
    let claims: JSONObject = ["code": "1", "country": ["code": "DE"], "all": [["code": "2"]]]
    fields["claims"] = .object(claims)
    parameters["account"] = .object(fields)
    let message = try VarlinkReply(parameters: parameters).encoded(on: .vault)
    let reply = try unsafe message.withUnsafeBytes { bytes in
      unsafe try VarlinkReply(
        decoding: UnsafeRawBufferPointer(rebasing: bytes.dropLast()),
        on: .vault
      )
    }
    let read = try GetAccountReply(decoding: reply.parameters).account?.claims
    #expect(read == claims)
    #expect(throws: Never.self) { try JSONWriter.write(.object(try #require(read))) }
  }

  @Test
  func requestsAreToldApart() throws {
    for sample in samples where sample.direction == .call {
      let call = VarlinkCall(
        method: "\(sample.interface.name).\(sample.name)",
        parameters: sample.parameters
      )
      if sample.interface === VarlinkInterface.vault {
        _ = try VaultRequest(call)
        #expect(throws: VarlinkError.methodNotFound(call.method)) { try HelperRequest(call) }
      } else {
        _ = try HelperRequest(call)
        #expect(throws: VarlinkError.methodNotFound(call.method)) { try VaultRequest(call) }
      }
    }
    guard case .lock = try VaultRequest(VarlinkCall(LockCall())) else {
      Issue.record("another request")
      return
    }
    let wrong = VarlinkCall(method: CancelCall.method, parameters: ["prompt": 5])
    #expect(throws: VarlinkError.invalidParameter("prompt")) { try VaultRequest(wrong) }
    let empty = VarlinkCall(method: LogoutCall.method, parameters: ["account": "me"])
    #expect(throws: VarlinkError.invalidParameter("local")) { try VaultRequest(empty) }
  }

  @Test
  func aHintThatIsNotKnownIsAGeneralOne() throws {
    let event = try CheckEvent(decoding: ["event": "retry", "hint": "wash_your_hands"])
    #expect(event == .retry(.general))
    #expect(try CheckEvent(decoding: ["event": "retry"]) == .retry(.general))
  }

  @Test
  func anAnswerIsHiddenUnlessItSaysNot() throws {
    let event = try CheckEvent(decoding: ["event": "ask", "text": "?"])
    #expect(event == .ask(text: "?", hidden: true))
  }

  @Test
  func errorsComeBackAsTheyWere() throws {
    let service: [VarlinkError] = [
      .interfaceNotFound("a.b"), .methodNotFound("a.b.C"), .methodNotImplemented("a.b.C"),
      .invalidParameter("a"), .permissionDenied, .expectedMore,
    ]
    for error in service {
      #expect(throws: ReplyError.service(error)) { try error.reply.result(of: LockCall.self) }
    }
    let error = VaultError.providerUnavailable(message: "m", retryAfter: nil)
    #expect(try VaultError(decoding: error.reply) == error)
    #expect(try VarlinkError(decoding: error.reply) == nil)
    #expect(try VaultError(decoding: VarlinkError.expectedMore.reply) == nil)
  }

  @Test
  func anUnknownErrorIsNoReply() throws {
    for name in [
      "io.thumblatch.Vault.Newer", "io.thumblatch.VaultBusy", "org.varlink.service.X", "",
    ] {
      let reply = VarlinkReply(parameters: ["was_unlocked": true], error: name)
      #expect(try VaultError(decoding: reply) == nil)
      #expect(throws: ReplyError.other(name)) { try reply.result(of: LockCall.self) }
    }
    let broken = VarlinkReply(parameters: [:], error: "io.thumblatch.Vault.Busy")
    #expect(throws: MessageError.missing("message")) { try VaultError(decoding: broken) }
    #expect(throws: ReplyError.malformed(.missing("was_unlocked"))) {
      try VarlinkReply(parameters: [:]).result(of: LockCall.self)
    }
  }

  @Test
  func base64HasOneFormForEachBytes() throws {
    let vectors = [  // RFC 4648 section 10
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("\u{3F}\u{3F}\u{3E}", "Pz8+"),
    ]
    for (plain, encoded) in vectors {
      let bytes = Array(plain.utf8)
      let object = try ExchangeReply.sealed(bytes).encoded
      #expect(try object.string("sealed") == encoded)
      guard case .sealed(bytes) = try ExchangeReply(decoding: object) else {
        Issue.record("\(encoded) is not \(plain)")
        continue
      }
      // The same as a secret.
      let print = try LoadPrintCall(finger: "a", print: secret(plain))
      let written = try print.encoded.secret("print")
      #expect(unsafe written.bytes.withUnsafeBytes { unsafe Array($0) } == Array(encoded.utf8))
      let again = try LoadPrintCall(decoding: print.encoded).print
      #expect(unsafe again.bytes.withUnsafeBytes { unsafe Array($0) } == bytes)
    }
    for text in [
      "Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zh==", "Zm9=", "Zg==Zg==", " Zg==", "Zg==\n",
      "Z g=", "_-__", "Zm9v=", "Z=g=", "Zmé", "Zm9vYg==Zm9v",
    ] {
      #expect(throws: MessageError.badValue("sealed"), "\(text)") {
        try ExchangeReply(decoding: ["outcome": "sealed", "sealed": .string(text)])
      }
      #expect(throws: MessageError.badValue("print"), "\(text)") {
        try LoadPrintCall(decoding: ["finger": "a", "print": .secret(secret(text))])
      }
    }
    let all = (0...255).map { UInt8($0) }
    guard case .sealed(all) = try ExchangeReply(decoding: ExchangeReply.sealed(all).encoded) else {
      Issue.record("bytes were changed")
      return
    }
  }

  @Test
  func aServiceDescribesItself() throws {
    let service = VarlinkServiceInfo(version: "0.1", interfaces: [.vault])
    let info = try #require(try service.reply(to: VarlinkCall(GetInfoCall())))
    let told = try info.result(of: GetInfoCall.self)
    #expect(told.interfaces == ["org.varlink.service", "io.thumblatch.Vault"])
    #expect(told.version == "0.1")
    for name in told.interfaces {
      let call = try VarlinkCall(GetInterfaceDescriptionCall(interface: name))
      let reply = try #require(try service.reply(to: call))
      let text = try reply.result(of: GetInterfaceDescriptionCall.self).description
      #expect(try InterfaceFile(text).name == name)
      #expect(try reply.plainEncoded(on: .vault).count < 65_536)
    }
    let refused: [(VarlinkCall, VarlinkError)] = [
      (
        try VarlinkCall(GetInterfaceDescriptionCall(interface: "io.thumblatch.Helper")),
        .interfaceNotFound("io.thumblatch.Helper")
      ),
      (
        VarlinkCall(method: GetInterfaceDescriptionCall.method),
        .invalidParameter("interface")
      ),
      (VarlinkCall(method: "org.varlink.service.No"), .methodNotFound("org.varlink.service.No")),
      (VarlinkCall(method: "a.b.C"), .interfaceNotFound("a.b")),
      (try VarlinkCall(HelperGetReaderCall()), .interfaceNotFound("io.thumblatch.Helper")),
    ]
    for (call, error) in refused {
      let reply = try #require(try service.reply(to: call))
      #expect(try VarlinkError(decoding: reply) == error)
    }
    #expect(try service.reply(to: VarlinkCall(LockCall())) == nil)
  }
}
