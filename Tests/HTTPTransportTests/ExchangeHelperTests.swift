import Cryptography
import Glibc
import HTTPTransport
import HelperInterface
import JSON
import SecretMemory
import System
import TestSupport
import Testing

/// The built exchange helper, between an engine that may be killed and a server that may fail.
struct ExchangeHelperTests {
  let backend: DevBackend
  let slot: TestSlot

  init() throws {
    backend = try DevBackend()
    slot = try TestSlot()
  }

  /// Registers, and makes the call that refreshes, with the slot's key.
  private func refresh(email: String = "a@example.org") throws -> ExchangeCall {
    let answer = try registration(at: backend.url, email: email).send()
    let token = try members(answer.body).string("refresh_token")
    try backend.clear()
    return try call(
      "POST",
      backend.url + "/auth/refresh",
      #"{"refresh_token":"\#(token)"}"#,
      sealed: true
    )
  }

  func call(
    _ method: String,
    _ url: String,
    _ body: String?,
    sealed: Bool
  ) throws -> ExchangeCall {
    let text = try body.map { SharedSecret(try SecretBytes(copying: Array($0.utf8))) }
    return ExchangeCall(
      httpMethod: method,
      url: url,
      headers: ["Content-Type: application/json"],
      body: text,
      pins: [],
      timeout: 20_000,
      maximumBody: 60 * 1024,
      key: sealed ? slot.key : nil,
      context: sealed ? slot.context.encoded : nil,
      local: true
    )
  }

  /// Runs one call to its end.
  ///
  /// The slot is passed, and then held by no other process.
  private func run(_ call: ExchangeCall, slot passed: Int32 = -1) throws -> ExchangeReply? {
    let exchangeHelper = try ExchangeHelperProcess()
    try exchangeHelper.send(call, slot: passed)
    let reply = try exchangeHelper.exchangeReply()
    let (end, printed) = try exchangeHelper.end()
    #expect(end == .exited(0))
    #expect(printed.isEmpty)
    return reply
  }

  private func isNewTokenPair(_ outcome: ExchangeOutcome) throws -> Bool {
    guard case .answered(let status, nil, let body) = outcome else { return false }
    return try status == 200 && members(body.bytes).string("refresh_token").hasPrefix("rt_")
  }

  @Test
  func anAnswerWithTokensLiesInTheSlotBeforeTheReply() throws {
    let file = try slot.open()
    guard case .done = try run(try refresh(), slot: file.number) else {
      Issue.record("not done")
      return
    }
    #expect(try isNewTokenPair(try slot.outcome()))
    #expect(try slot.contents().count == 65_536)
  }

  @Test
  func aKilledEngineFindsTheAnswerInTheSlotOnceTheLockIsFree() throws {
    let call = try refresh()
    try backend.fail(DevBackendFault("/auth/refresh", hold: true))
    let exchangeHelper = try ExchangeHelperProcess()
    do {
      let engines = try slot.open()
      #expect(try engines.lockExclusively())
      try exchangeHelper.send(call, slot: engines.number)
      try backend.waitForRequests("/auth/refresh")
    }
    exchangeHelper.close()
    let next = try slot.open()
    #expect(try next.lockExclusively() == false)
    #expect(SlotImage.isEmpty(try slot.contents()))
    try backend.release()
    #expect(try exchangeHelper.end() == (.exited(0), printed: []))
    #expect(try eventually { try next.lockExclusively() })
    #expect(try isNewTokenPair(try slot.outcome()))
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGQUIT])
  func aSignalDoesNotCostTheAnswer(_ number: Int32) throws {
    let call = try refresh()
    try backend.fail(DevBackendFault("/auth/refresh", hold: true))
    let exchangeHelper = try ExchangeHelperProcess()
    let file = try slot.open()
    try exchangeHelper.send(call, slot: file.number)
    try backend.waitForRequests("/auth/refresh")
    exchangeHelper.child.send(signal: number)
    try backend.release()
    #expect(try exchangeHelper.end() == (.exited(0), printed: []))
    #expect(try isNewTokenPair(try slot.outcome()))
  }

  @Test
  func aSlotThatCannotBeWrittenSendsTheSealedAnswerBack() throws {
    let full = try Directory(path: "/dev").openForWriting("full")
    let nowhere = try Directory(path: "/dev").openForWriting("null")
    let readOnly = try slot.openReadOnly()
    for number in [full.number, nowhere.number, readOnly.number] {
      guard case .sealed(let image) = try run(try refresh(email: "\(number)@x"), slot: number)
      else {
        Issue.record("not sealed")
        continue
      }
      #expect(try isNewTokenPair(try slot.outcome(in: image)))
      #expect(SlotImage.isEmpty(try slot.contents()))
    }
  }

  @Test
  func whatWasNotSentIsSealedTooAndARefusalIsAnAnswer() throws {
    let file = try slot.open()
    let unsent = try call("POST", "http://127.0.0.1:1/auth/refresh", "{}", sealed: true)
    guard case .done = try run(unsent, slot: file.number) else {
      Issue.record("not done")
      return
    }
    guard case .notSent("refused") = try slot.outcome() else {
      Issue.record("no outcome")
      return
    }
    let dead = try call(
      "POST",
      backend.url + "/auth/refresh",
      #"{"refresh_token":"x"}"#,
      sealed: true
    )
    guard case .done = try run(dead, slot: file.number),
      case .answered(401, nil, let body) = try slot.outcome()
    else {
      Issue.record("no answer")
      return
    }
    #expect(try members(body.bytes).string("error") == "invalid_grant")
  }

  @Test(arguments: [
    (DevBackendFault.Kind.resetAfter, ExchangeFailure.other), (.half, .other), (.huge, .tooLarge),
  ])
  func anAnswerThatIsLostLeavesTheSlotEmpty(
    _ kind: DevBackendFault.Kind,
    _ reason: ExchangeFailure
  ) throws {
    let call = try refresh()
    try backend.fail(DevBackendFault("/auth/refresh", kind))
    let file = try slot.open()
    guard case .lost(let found) = try run(call, slot: file.number) else {
      Issue.record("not lost")
      return
    }
    #expect(found == reason)
    #expect(SlotImage.isEmpty(try slot.contents()))
  }

  @Test
  func theTimeOfTheCallEndsIt() throws {
    var call = try refresh()
    call.timeout = 5000
    try backend.fail(DevBackendFault("/auth/refresh", .hang))
    let file = try slot.open()
    guard case .lost(.timeout) = try run(call, slot: file.number) else {
      Issue.record("not lost")
      return
    }
    #expect(SlotImage.isEmpty(try slot.contents()))
  }

  @Test
  func withoutAKeyTheAnswerComesOverTheSocket() throws {
    let profile = try call("GET", backend.url + "/auth/me", nil, sealed: false)
    guard case .answered(401, nil, let body) = try run(profile) else {
      Issue.record("no answer")
      return
    }
    #expect(try members(body.bytes).string("error") == "invalid_token")
    let outside = try call("GET", "http://example.org/", nil, sealed: false)
    guard case .notSent(.other, _) = try run(outside) else {
      Issue.record("sent")
      return
    }
  }

  @Test
  func theTargetOfARedirectTakesThePlaceOfTheBodyIfItIsWanted() throws {
    let target = "http://127.0.0.1:49152/callback?error=invalid_scope"
    for (location, found) in [(target, target), (nil, "")] {
      let headers = location.map { [("Location", $0)] } ?? []
      try backend.fail(DevBackendFault("/auth/me", .status(302), headers: headers))
      var call = try call("GET", backend.url + "/auth/me", nil, sealed: false)
      call.wantsLocation = true
      guard case .answered(302, nil, let body) = try run(call) else {
        Issue.record("no answer")
        return
      }
      #expect(bytes(body.bytes) == Array(found.utf8))
    }
  }

  @Test
  func nothingIsSentThatCouldNotBeKept() throws {
    let file = try slot.open()
    let whole = try refresh()
    var shortKey = whole
    shortKey.key = SharedSecret(try SecretBytes.random(count: 31))
    var noContext = whole
    noContext.context = nil
    var wrongContext = whole
    wrongContext.context = [UInt8](repeating: 7, count: 20)
    for (call, number) in [
      (whole, -1), (shortKey, file.number), (noContext, file.number), (wrongContext, file.number),
    ] {
      guard case .notSent = try run(call, slot: number) else {
        Issue.record("sent")
        continue
      }
    }
    #expect(try backend.requests().isEmpty)
    #expect(SlotImage.isEmpty(try slot.contents()))
  }
}
