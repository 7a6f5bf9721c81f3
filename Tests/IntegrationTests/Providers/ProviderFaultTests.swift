import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

/// No answer of a provider signs a user out by mistake.
@Suite(.serialized)
struct ProviderFaultTests {
  private static let path = "/auth/refresh"

  /// One fault at a refresh: the error that the caller gets, and whether the outcome is uncertain.
  private struct Expectation: Sendable {
    let fault: DevBackendFault
    let isUncertain: Bool
    let isExpected: @Sendable (VaultError) -> Bool

    init(
      _ kind: DevBackendFault.Kind,
      uncertain: Bool,
      body: String? = nil,
      chunked: Bool = false,
      size: Int? = nil,
      _ isExpected: @escaping @Sendable (VaultError) -> Bool = isUnavailable
    ) {
      fault = .init(path, kind, chunked: chunked, size: size, body: body)
      isUncertain = uncertain
      self.isExpected = isExpected
    }
  }

  private static let expectations: [Expectation] = [
    .init(.garbage, uncertain: true),
    .init(.empty, uncertain: true),
    .init(.huge, uncertain: true),
    .init(.huge, uncertain: true, chunked: true, size: 1 << 20),
    .init(.huge, uncertain: true, size: 60 * 1024),
    .init(.half, uncertain: true),
    .init(.half, uncertain: true, chunked: true),
    .init(.resetBefore, uncertain: true),
    .init(.resetAfter, uncertain: true),
    .init(.status(500), uncertain: true),
    .init(.status(503), uncertain: true, body: ""),
    .init(.retryAfter("7"), uncertain: false) { $0.retryAfter == 7 },
    .init(.retryAfter("a week"), uncertain: false),
    .init(.retryAfter("99999999999999999999"), uncertain: false),
    .init(.controlCharacters, uncertain: true),
    .init(
      .status(200),
      uncertain: true,
      body: #"{"access_token": "a\u001b[2J", "refresh_token": "r\r\n", "expires_in": 900}"#
    ) { $0.isMisconfigured },
    .init(.status(302), uncertain: false) { $0.isMisconfigured },
    .init(.status(404), uncertain: false) { $0.isMisconfigured },
    .init(.status(400), uncertain: false, body: #"{"error": "invalid_request"}"#) {
      $0.isMisconfigured
    },
    .init(.status(401), uncertain: true, body: ""),
    .init(.status(403), uncertain: true, body: "<html>Blocked by policy</html>"),
    .init(.status(200), uncertain: true, body: "{}") { $0.isMisconfigured },
    .init(.status(200), uncertain: true, body: #"{"access_token": ""}"#) { $0.isMisconfigured },
    .init(.status(200), uncertain: true, body: #"["access_token"]"#),
    .init(.status(200), uncertain: true, body: String(repeating: "[", count: 50_000)),
  ]

  @Test(arguments: expectations.indices)
  func aFaultIsToldAndSignsNoUserOut(_ index: Int) throws {
    let expectation = Self.expectations[index]
    // The provider accepts a token twice, because this test is about the vault's reading of
    // answers.
    let backend = try DevBackend(["--reuse", "allow"])
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    try backend.clear()
    try backend.fail(expectation.fault)
    let caller = try vault.connect()
    let failure = try caller.failure(AccessTokenCall(account: "me", rejected: old))
    #expect(failure.map(expectation.isExpected) == true, "\(String(describing: failure))")
    #expect(try caller.state() == (expectation.isUncertain ? .uncertain : .ready))
    // The next engine does not remember the wait.
    if expectation.isUncertain || failure?.retryAfter != nil { try vault.forgetRetryWait() }
    let after = try vault.connect()
    let token = try after.token()
    #expect(token != old)
    #expect(try after.state() == .ready)
    // Only the request that met the fault and the one that succeeded were sent.
    let sent = try backend.requests()
    #expect(sent.count <= 2)
    #expect(Set(sent.compactMap(\.refreshToken)).count == 1)
    #expect(try after.token(rejected: token) != token)
  }

  @Test
  func aProviderThatIsNotThereIsNoUncertainty() throws {
    let vault = try TestVault()
    try vault.start()
    var backend: DevBackend? = try DevBackend()
    let old = try signIn(vault, try #require(backend))
    backend = nil
    let caller = try vault.connect()
    guard
      case .providerUnavailable = try caller.failure(
        AccessTokenCall(account: "me", rejected: old)
      )
    else {
      Issue.record("the server is gone, and the message does not say so")
      return
    }
    #expect(try caller.state() == .ready)
  }

  @Test
  func waitsDoubleAndAServersOwnWishCountsMore() throws {
    let backend = try DevBackend(["--reuse", "allow"])
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    var waits: [Int] = []
    for fault in [DevBackendFault.Kind.status(500), .status(502), .empty, .retryAfter("77")] {
      try backend.fail(.init(Self.path, fault))
      let failure = try vault.connect().failure(AccessTokenCall(account: "me", rejected: old))
      waits.append(failure?.retryAfter ?? 0)
      try vault.forgetRetryWait()
    }
    #expect(waits == [2, 4, 8, 77])
    #expect(try vault.connect().token() != old)
  }

  @Test
  func aProviderThatRotatesNothingKeepsTheTokenThatItGave() throws {
    for mode in ["same", "omit"] {
      let backend = try DevBackend(["--no-rotation", mode])
      let vault = try TestVault()
      try vault.start()
      var token = try signIn(vault, backend)
      let caller = try vault.connect()
      for _ in 0..<3 {
        let next = try caller.token(rejected: token)
        #expect(next != token)
        token = next
      }
      #expect(Set(try backend.requests().compactMap(\.refreshToken)).count == 1)
    }
  }
}

/// In its own suite, because it takes as long as an exchange helper may run.
///
/// No other test waits for it.
@Suite
struct HangingProviderTests {
  @Test
  func aProviderThatNeverAnswersIsGivenUp() async throws {
    let backend = try DevBackend(["--reuse", "allow"])
    let vault = try TestVault()
    try vault.start()
    let old = try signIn(vault, backend)
    try backend.fail(.init("/auth/refresh", .hang))
    // Measured on that thread: the runner's own threads may be busy with other tests for longer.
    let (failure, seconds, exchangeHelper) = try await onThread {
      let begun = BootInstant.now
      let caller = try vault.connect()
      try caller.send(AccessTokenCall(account: "me", rejected: old))
      try backend.waitForRequests("/auth/refresh")
      let exchangeHelper = try vault.exchangeHelper()
      let failure = try caller.failure(of: AccessTokenCall.self)
      return (failure, BootInstant.now.seconds(since: begun), exchangeHelper)
    }
    #expect(failure.map(isUnavailable) == true)
    // The exchange helper stops after 28 s. The rest is for a busy machine.
    #expect(seconds <= 60)
    #expect(!vault.running("thumblatch-exchange").contains(exchangeHelper))
    #expect(try vault.connect().state() == .uncertain)
    try vault.forgetRetryWait()
    #expect(try vault.connect().token() != old)
  }
}

extension VaultError {
  /// The seconds to wait, if the error has them.
  fileprivate var retryAfter: Int? {
    guard case .providerUnavailable(_, let seconds, _, _, _) = self else { return nil }
    return seconds
  }

  fileprivate var isMisconfigured: Bool {
    if case .misconfigured = self { true } else { false }
  }
}

@Sendable
private func isUnavailable(_ error: VaultError) -> Bool {
  if case .providerUnavailable = error { true } else { false }
}

/// Runs blocking work on its own thread, so that other tests go on.
func onThread<Value: Sendable>(_ body: @escaping () throws -> Value) async throws -> Value {
  nonisolated(unsafe) let body = body
  return try await withCheckedThrowingContinuation { continuation in
    do throws(SystemError) {
      try startThread { continuation.resume(with: Result { unsafe try body() }) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}
