import Glibc
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Varlink
import VaultInterface

@testable import Commands

/// The other side of a test while a verb runs: the engine and the person, in one script.
final class Stage: @unchecked Sendable {
  let terminal: PseudoTerminal
  private let engine: Descriptor
  private var buffer = MessageBuffer(.vault)
  private let interruptKey: Descriptor
  private(set) var interruptedAt: BootInstant?
  /// Whether the last call says that the person can be asked.
  private(set) var saysItAsks: Bool?
  /// How often each question was answered.
  private var answers: [String: Int] = [:]

  init(terminal: PseudoTerminal, engine: Int32, interruptKey: Int32) {
    self.terminal = terminal
    self.engine = Descriptor(owning: engine)
    self.interruptKey = Descriptor(owning: interruptKey)
  }

  /// Waits for a call of this method.
  func expect<Method: VarlinkMethod>(_ method: Method.Type) throws -> Method {
    try call(method).content()
  }

  /// Waits for a call of this method, and records separately whether it says that the person can be
  /// asked.
  func expect<Method: AskingMethod>(_ method: Method.Type) throws -> Method {
    var content: Method = try call(method).content()
    saysItAsks = content.ask
    content.ask = nil
    return content
  }

  /// Waits for a call of this method, with its flags.
  func call<Method: VarlinkMethod>(_ method: Method.Type) throws -> VarlinkCall {
    while true {
      if let call = try buffer.nextCall() {
        guard call.method == Method.method else {
          throw SystemError("\(call.method) came", code: EPROTO, subject: Method.method)
        }
        return call
      }
      guard try engine.waitReadable(milliseconds: 60_000) else {
        throw SystemError("no call came", code: ETIMEDOUT, subject: Method.method)
      }
      let count = unsafe try buffer.receive { unsafe try engine.receive(into: $0)?.count ?? 0 }
      if count == 0 { throw SystemError("the client hung up", code: EPIPE) }
    }
  }

  /// Waits until the client hangs up.
  func expectEnd() throws {
    guard try engine.waitReadable(milliseconds: 60_000) else {
      throw SystemError("the client stays", code: ETIMEDOUT)
    }
    var byte = [UInt8](repeating: 0, count: 1)
    let result: Result<Int, SystemError> = unsafe byte.withUnsafeMutableBytes { space in
      Result { () throws(SystemError) in try unsafe engine.read(into: space) }
    }
    if (try? result.get()) ?? 0 > 0 { throw SystemError("the client goes on", code: EPROTO) }
  }

  /// Hangs up, as an engine does that ends.
  func hangUp() {
    engine.shutDown()
  }

  /// Hangs up and presses Ctrl-C, so that a verb does not wait for a script that has failed.
  func giveUp() {
    hangUp()
    try? interruptKey.write([1])
  }

  func reply(_ content: some VarlinkRecord, continues: Bool = false) throws {
    try send(try VarlinkReply(content, continues: continues))
  }

  /// Answers with an access token of the account `me`.
  func reply(token: String) throws {
    try reply(
      AccessTokenReply(
        account: "me",
        accessToken: token,
        tokenType: "Bearer",
        shorterThanRequested: false
      )
    )
  }

  func fail(_ error: VaultError) throws {
    try send(try error.reply)
  }

  /// Answers a query about one account.
  func knowAccount(_ account: VaultAccount) throws {
    let call = try expect(GetAccountCall.self)
    guard call.account != nil else { throw SystemError("no account is named", code: EPROTO) }
    try reply(GetAccountReply(account: account))
  }

  /// Answers which hosts may get the token of an account.
  @discardableResult
  func knowTerms(
    issuer: String = "https://git.example.org",
    hosts: [String] = [],
    resource: String? = nil,
    anyHost: Bool? = nil
  ) throws -> RequestTermsCall {
    let call = try expect(RequestTermsCall.self)
    try reply(
      RequestTermsReply(
        account: call.account ?? "",
        issuer: issuer,
        hosts: hosts,
        pins: [],
        resource: resource,
        anyHost: anyHost
      )
    )
    return call
  }

  /// Answers a query about all accounts.
  func knowAccounts(_ accounts: [VaultAccount]) throws {
    let call = try call(GetAccountCall.self)
    guard call.more else { throw SystemError("not all are asked for", code: EPROTO) }
    for (index, account) in accounts.enumerated() {
      try reply(GetAccountReply(account: account), continues: index + 1 < accounts.count)
    }
  }

  /// Sends bytes that are not a message of the protocol.
  func sendRaw(_ bytes: [UInt8]) throws {
    try engine.write(bytes)
  }

  /// Types an answer once the screen shows a question, or shows it again.
  func answer(_ question: String, _ text: String) throws {
    answers[question, default: 0] += 1
    try terminal.waitFor(question, times: answers[question] ?? 1)
    try terminal.type(text + "\n")
  }

  /// Presses Ctrl-C.
  func interrupt() throws {
    interruptedAt = BootInstant.now
    try interruptKey.write([1])
  }

  /// Answers a message that needs a presence check.
  func needPresence(
    _ purpose: PresencePurpose = .refresh,
    prompt: String = "p1",
    methods: [PresenceMethod] = [.fingerprint, .password],
    requester: String = "bash, PID 4211",
    timeout: Int = 30,
    detail: String? = nil,
    reason: String? = nil,
    statedReason: String? = nil,
    atDesktop: Bool = false
  ) throws {
    try fail(
      .presenceNeeded(
        PresenceRequest(
          prompt: prompt,
          requester: requester,
          account: "me",
          purpose: purpose,
          detail: detail,
          methods: methods,
          timeout: timeout,
          reason: reason,
          statedReason: statedReason,
          atDesktop: atDesktop
        )
      )
    )
  }

  private func send(_ reply: VarlinkReply) throws {
    let message = try reply.encoded(on: .vault)
    try unsafe message.withUnsafeBytes { bytes throws(SystemError) in
      unsafe try engine.write(bytes)
    }
  }
}
