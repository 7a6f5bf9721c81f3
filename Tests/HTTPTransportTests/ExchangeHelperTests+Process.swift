import Glibc
import HelperInterface
import SecretMemory
import System
import TestSupport
import Testing
import Varlink

/// The process of the helper, and its input.
extension ExchangeHelperTests {
  @Test
  func garbageEndsItQuietly() throws {
    let garbage: [[UInt8]] = [
      [], [0], Array("{\0".utf8), [0xFF, 0xFE, 0], [UInt8](repeating: 0x7B, count: 200_000),
      Array(#"{"method":"io.thumblatch.Helper.Exchange","parameters":[]}"#.utf8) + [0],
    ]
    for bytes in garbage {
      let exchangeHelper = try ExchangeHelperProcess()
      _ = unsafe try? bytes.withUnsafeBytes { unsafe try exchangeHelper.send($0) }
      exchangeHelper.close()
      #expect(try exchangeHelper.end() == (.exited(bytes.isEmpty ? 0 : 1), printed: []))
    }
  }

  @Test
  func otherCallsAreRefusedAndTheExchangeStillGoesOn() throws {
    let exchangeHelper = try ExchangeHelperProcess()
    for call in [
      try VarlinkCall(HelperGetReaderCall()), VarlinkCall(method: "io.thumblatch.Helper.Nothing"),
      VarlinkCall(method: ExchangeCall.method),
    ] {
      let message = try call.encoded(on: .helper)
      unsafe try message.withUnsafeBytes { unsafe try exchangeHelper.send($0) }
      #expect(try exchangeHelper.reply()?.error != nil)
    }
    try exchangeHelper.send(try call("GET", backend.url + "/auth/me", nil, sealed: false))
    guard case .answered(401, nil, _) = try exchangeHelper.exchangeReply() else {
      Issue.record("no answer")
      return
    }
    #expect(try exchangeHelper.end().0 == .exited(0))
  }

  @Test
  func theServicesHasNoAnswerForAClientThatHandsNothingDown() throws {
    let name = unsafe try #require(getpwuid(getuid())).pointee.pw_name
    let user = unsafe String(cString: try #require(name))
    let exchangeHelper = try ExchangeHelperProcess(arguments: ["--service", "--engine", user])
    let call = HelperRequestCall(
      httpMethod: "GET",
      url: backend.url + "/auth/me",
      headers: [],
      sendsBody: false,
      ca: nil,
      pins: [],
      proxy: nil,
      timeout: 10_000,
      maximumBody: 1024
    )
    let message = try VarlinkCall(call).encoded(on: .helper)
    unsafe try message.withUnsafeBytes { unsafe try exchangeHelper.send($0) }
    #expect(try exchangeHelper.reply()?.error == "org.varlink.service.MethodNotImplemented")
    #expect(try backend.requests().isEmpty)
    exchangeHelper.close()
    _ = try exchangeHelper.end()
  }

  @Test
  func itGivesUpPrivilegesAndCores() throws {
    try backend.fail(DevBackendFault("/auth/me", hold: true))
    let exchangeHelper = try ExchangeHelperProcess()
    try exchangeHelper.send(try call("GET", backend.url + "/auth/me", nil, sealed: false))
    try backend.waitForRequests("/auth/me")
    let process = try Directory(path: "/proc/\(exchangeHelper.child.identifier)")
    let status = try process.openForReading("status").readAll(limit: 1 << 16)
    let limits = try process.openForReading("limits").readAll(limit: 1 << 16)
    #expect(String(decoding: status, as: UTF8.self).contains("NoNewPrivs:\t1"))
    let core = String(decoding: limits, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("Max core file size") }
    #expect(core?.split(separator: " ").dropFirst(4).first == "0")
    try backend.release()
    #expect(try exchangeHelper.end().0 == .exited(0))
  }

  @Test
  func itsEnvironmentHasNoSay() throws {
    let proxy = try DevBackend()
    let certificates = try DevBackendCertificates()
    let tls = try DevBackend([
      "--tls", certificates.path("leaf.pem"), certificates.path("leaf.key"),
    ])
    let exchangeHelper = try ExchangeHelperProcess(environment: [
      "http_proxy=" + proxy.url, "https_proxy=" + proxy.url, "ALL_PROXY=" + proxy.url,
      "SSLKEYLOGFILE=" + certificates.path("keys"), "SSL_CERT_FILE=" + certificates.path("ca.pem"),
      "SSL_CERT_DIR=" + certificates.path("trusted"),
    ])
    try exchangeHelper.send(try call("GET", tls.url + "/auth/me", nil, sealed: false))
    guard case .notSent(.authority, _) = try exchangeHelper.exchangeReply() else {
      Issue.record("sent")
      return
    }
    #expect(try exchangeHelper.end().0 == .exited(0))
    #expect(try proxy.connections() == 0)
    #expect(try tls.requests().isEmpty)
    #expect(try Directory(path: certificates.directory).contains("keys") == false)
  }
}
