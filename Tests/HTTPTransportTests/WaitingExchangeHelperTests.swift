import Cryptography
import Glibc
import HTTPTransport
import HelperInterface
import SecretMemory
import System
import TestSupport
import Testing
import Varlink

/// An exchange helper that was started before its request.
struct WaitingExchangeHelperTests {
  private func profile(of backend: DevBackend) -> ExchangeCall {
    ExchangeCall(
      httpMethod: "GET",
      url: backend.url + "/auth/me",
      headers: [],
      pins: [],
      timeout: 20_000,
      maximumBody: 1024,
      local: true
    )
  }

  private func isUnauthorized(_ reply: ExchangeReply?) -> Bool {
    if case .answered(401, _, _)? = reply { true } else { false }
  }

  @Test
  func itTellsThatItBeginsBeforeTheFirstByteIsSent() throws {
    let backend = try DevBackend()
    try backend.fail(DevBackendFault("/auth/me", hold: true))
    let exchangeHelper = try ExchangeHelperProcess()
    try exchangeHelper.send(profile(of: backend), more: true)
    let first = try #require(try exchangeHelper.reply())
    guard case .begun = try first.result(of: ExchangeCall.self), first.continues else {
      Issue.record("it did not tell")
      return
    }
    try backend.waitForRequests("/auth/me")
    try backend.release()
    #expect(isUnauthorized(try exchangeHelper.exchangeReply()))
    #expect(try exchangeHelper.end().0 == .exited(0))
  }

  @Test
  func itTellsNothingWhereItCannotBegin() throws {
    var call = profile(of: try DevBackend())
    call.url = "http://127.0.0.1:1/auth/me"
    let exchangeHelper = try ExchangeHelperProcess()
    try exchangeHelper.send(call, more: true)
    guard case .notSent(.refused, _)? = try exchangeHelper.exchangeReply() else {
      Issue.record("it told something else")
      return
    }
    #expect(try exchangeHelper.end().0 == .exited(0))
  }

  /// An engine without the report would send the request again.
  @Test
  func itSendsNothingWhereItCannotTell() throws {
    let backend = try DevBackend()
    let exchangeHelper = try ExchangeHelperProcess()
    try exchangeHelper.send(profile(of: backend), more: true)
    exchangeHelper.close()
    #expect(try exchangeHelper.end().0 == .exited(0))
    #expect(try backend.requests().filter { $0.path == "/auth/me" }.isEmpty)
  }

  /// A connection at the provider proves nothing about the request.
  @Test
  func itSendsNothingBeforeItMay() throws {
    let backend = try DevBackend()
    let exchangeHelper = try ExchangeHelperProcess()
    var call = profile(of: backend)
    call.waits = true
    try exchangeHelper.send(call, more: true)
    #expect(try eventually { try backend.connections() == 1 })
    try exchangeHelper.send(HelperProceedCall(), oneway: true)
    guard case .begun? = try exchangeHelper.exchangeReply() else {
      Issue.record("it did not tell")
      return
    }
    #expect(isUnauthorized(try exchangeHelper.exchangeReply()))
    #expect(try backend.requests().filter { $0.path == "/auth/me" }.count == 1)
  }

  @Test(arguments: [false, true])
  func itSendsNothingIfItMayNot(_ isToldOtherwise: Bool) throws {
    let backend = try DevBackend()
    let exchangeHelper = try ExchangeHelperProcess()
    var call = profile(of: backend)
    call.waits = true
    try exchangeHelper.send(call, more: true)
    if isToldOtherwise {
      try exchangeHelper.send(HelperKeepCall())
      guard case .notSent? = try exchangeHelper.exchangeReply() else {
        Issue.record("it told something else")
        return
      }
    } else {
      exchangeHelper.close()
    }
    #expect(try exchangeHelper.end().0 == .exited(0))
    #expect(try backend.requests().filter { $0.path == "/auth/me" }.isEmpty)
  }

  /// Its time limit begins with its request: it may wait longer than a request may take.
  @Test
  func itWaitsLongerThanARequestMayTake() throws {
    let backend = try DevBackend()
    let exchangeHelper = try ExchangeHelperProcess()
    #expect(try exchangeHelper.greet())
    let handle = try ProcessHandle(identifier: exchangeHelper.child.identifier)
    let hasEnded = handle.waitForEnd(milliseconds: 32_000)
    #expect(!hasEnded)
    #expect(try exchangeHelper.greet())
    try exchangeHelper.send(profile(of: backend))
    #expect(isUnauthorized(try exchangeHelper.exchangeReply()))
    #expect(try exchangeHelper.end().0 == .exited(0))
  }

  /// A distribution's update may replace the certificate authorities during the wait.
  @Test(arguments: [true, false])
  func itTrustsTheAuthoritiesAtTheTimeOfItsRequest(_ isTrusted: Bool) throws {
    let certificates = try DevBackendCertificates()
    let backend = try DevBackend([
      "--tls", certificates.path("leaf.pem"), certificates.path("leaf.key"),
    ])
    let (first, second) = isTrusted ? ("other-ca.pem", "ca.pem") : ("ca.pem", "other-ca.pem")
    let authorities = try HeldAuthorities()
    let exchangeHelper = try authorities.exchangeHelper()
    try authorities.waitForReader(in: exchangeHelper)
    try authorities.release(try certificates.text(first))
    try authorities.replace(by: try certificates.text(second))
    try exchangeHelper.send(profile(of: backend))
    let reply = try exchangeHelper.exchangeReply()
    if isTrusted {
      #expect(isUnauthorized(reply))
    } else if case .notSent(.authority, _)? = reply {
      #expect(try backend.requests().isEmpty)
    } else {
      Issue.record("it trusts an authority that was removed")
    }
    #expect(try exchangeHelper.end().0 == .exited(0))
  }

  @Test
  func aCallThatNeverEndsIsGivenUpInTime() throws {
    let slot = try TestSlot()
    let file = try slot.open()
    let exchangeHelper = try ExchangeHelperProcess()
    #expect(try exchangeHelper.greet())
    let begun = BootInstant.now
    let half = Array(#"{"method":"#.utf8)
    unsafe try half.withUnsafeBytes { unsafe try exchangeHelper.send($0, slot: file.number) }
    #expect(try exchangeHelper.end().0 == .signalled(SIGALRM))
    #expect((28...60).contains(BootInstant.now.seconds(since: begun)))
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func itEndsWhenItIsToldTo(_ number: Int32) throws {
    let exchangeHelper = try ExchangeHelperProcess()
    #expect(try exchangeHelper.greet())
    exchangeHelper.child.send(signal: number)
    #expect(try exchangeHelper.end().0 == .signalled(number))
  }

  /// A request that is lost in its middle may lose the login.
  @Test(arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT])
  func noSignalEndsItsRequestWhileItReadsAuthorities(_ number: Int32) throws {
    let backend = try DevBackend()
    try backend.fail(DevBackendFault("/auth/me", hold: true))
    let authorities = try HeldAuthorities()
    let exchangeHelper = try authorities.exchangeHelper()
    try authorities.waitForReader(in: exchangeHelper)
    try exchangeHelper.send(profile(of: backend), more: true)
    guard case .begun? = try exchangeHelper.exchangeReply() else {
      Issue.record("it did not tell")
      return
    }
    exchangeHelper.child.send(signal: number)
    try backend.waitForRequests("/auth/me")
    try backend.release()
    #expect(isUnauthorized(try exchangeHelper.exchangeReply()))
    exchangeHelper.close()
    #expect(try exchangeHelper.end().0 == .exited(0))
  }

  /// The work at first use of a library is done before the request, and no byte of it leaves.
  @Test
  func itPreparesItsLibraries() throws {
    let scratch = try ScratchDirectory()
    let authorities = try HeldAuthorities()
    let exchangeHelper = try authorities.exchangeHelper(
      tracedBy: [
        "/usr/bin/strace", "-f", "-qq", "-o", scratch.path + "/trace", "-e",
        "trace=openat,poll,write,connect",
      ]
    )
    try authorities.waitForReader(in: exchangeHelper)
    try authorities.release("")
    exchangeHelper.close()
    #expect(try exchangeHelper.end().0 == .exited(0))
    let trace = try scratch.open().openForReading("trace").readAll(limit: 1 << 24)
    let calls = String(decoding: trace, as: UTF8.self).split(separator: "\n")
    // OpenSSL's first file, the wait for a hasty request, a handshake's record, and the
    // authorities.
    let marks = ["openssl.cnf", "], 1, 5)", #", "\26\3\1"#, authorities.name].map { mark in
      calls.firstIndex { $0.contains(mark) }
    }
    let places = try marks.map { try #require($0, "\(marks)") }
    #expect(places == places.sorted())
    #expect(!calls.contains { $0.contains("connect(") && $0.contains("AF_INET") })
  }

  @Test(arguments: ["cp program new; mv new program", "mv program old", "rm program"])
  func itEndsSoonAfterItsProgramWasReplaced(_ change: String) throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/thumblatch-exchange"
    try #require(
      try run("cp \(BuiltPrograms.path("thumblatch-exchange")) \(path)") == .exited(0)
    )
    let exchangeHelper = try ExchangeHelperProcess(path)
    #expect(try exchangeHelper.greet())
    let script = change.replacing("program", with: path).replacing(" new", with: " \(path).new")
    try #require(try run(script.replacing(" old", with: " \(path).old")) == .exited(0))
    #expect(try exchangeHelper.end().0 == .exited(0))
  }

  private func run(_ script: String) throws -> ProcessEnd {
    let arguments = ["-ec", script]
    let shell = try ChildProcess(
      path: "/bin/sh",
      arguments: arguments,
      environment: ["PATH=/usr/bin:/bin"],
      descriptors: [-1, -1, -1]
    )
    return try shell.wait()
  }
}
