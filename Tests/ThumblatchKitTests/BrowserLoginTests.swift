import Synchronization
import System
import Testing
import ThumblatchKit
import ThumblatchKitTesting

/// Signing in on a page of the provider, up to the redirect that comes over a real socket.
@Suite(.timeLimit(.minutes(10)))
struct BrowserLoginTests {
  /// The steps that an app was shown.
  private final class Steps: Sendable {
    private let seen = Mutex<[BrowserLoginStep]>([])

    var all: [BrowserLoginStep] { seen.withLock { $0 } }

    /// The address, once it is known.
    var url: String? {
      switch all.first {
      case .opened(let url), .notOpened(let url): url
      case .refused, nil: nil
      }
    }

    @Sendable
    func add(_ step: BrowserLoginStep) {
      seen.withLock { $0.append(step) }
    }
  }

  private static func port(_ url: String) throws -> UInt16 {
    let last = try #require(url.split(separator: ":").last)
    return try #require(UInt16(last.prefix { $0.isNumber }))
  }

  private static func noProgramListens(_ url: String) async throws {
    let port = try port(url)
    try await until { (try? LoopbackSocket.connect(.ipv4, port: port)) == nil }
  }

  @Test
  func aBrowserThatComesBackSignsInAndShowsIt() async throws {
    let made = try Session()
    let states = made.session.states
    let browser = StubBrowser()
    let steps = Steps()
    let user = try await made.session.loginInBrowser(open: browser.open, show: steps.add)
    var seen: [AuthState] = []
    for await state in states {
      seen.append(state)
      if seen.count == 3 { break }
    }
    #expect(seen == [.unauthenticated, .authenticating, .authenticated(user)])
    try await until { !browser.pages.isEmpty }
    #expect(browser.pages[0].hasPrefix("HTTP/1.1 200 OK\r\n"))
    for part in ["You are signed in", "id-browser", ">me<", "The app has everything it needs."] {
      #expect(browser.pages[0].contains(part))
    }
    let url = try #require(steps.url)
    #expect(steps.all == [.opened(url: url)])
    #expect(url.contains("redirect_uri=http://127.0.0.1:") && url.hasSuffix("/callback"))
    #expect(made.vault.loginsGivenUp == 0)
    try await Self.noProgramListens(url)
  }

  @Test
  func theFirstOfTwoRedirectsCountsAndTheOtherFindsNoListener() async throws {
    let made = try Session()
    let browser = StubBrowser()
    try await made.session.loginInBrowser(open: { browser.open($0) && browser.open($0) })
    try await until { browser.pages.count == 2 }
    #expect(browser.pages.count { $0.contains("You are signed in") } == 1)
    #expect(browser.pages.contains(""))
    #expect(made.vault.count(of: .login) == 1)
  }

  @Test
  func whatTheProviderSaysNoToIsShownAtBothEnds() async throws {
    let made = try Session()
    let browser = StubBrowser("error=access_denied&state=s")
    let failure = await error { () throws(AuthError) in
      try await made.session.loginInBrowser(open: browser.open)
    }
    #expect(failure?.kind == .providerRefused(status: 400))
    #expect(made.session.state == failure.map { .error($0) })
    try await until { !browser.pages.isEmpty }
    #expect(browser.pages[0].contains("You are not signed in"))
  }

  @Test
  func whoCancelsGivesTheLoginUpAndClosesThePort() async throws {
    let made = try Session()
    let session = made.session
    let steps = Steps()
    let login = Task { try await session.loginInBrowser(open: { _ in true }, show: steps.add) }
    try await until { steps.url != nil }
    #expect(session.state == .authenticating)
    login.cancel()
    await #expect(throws: AuthError(.cancelled, "the task that asked was cancelled")) {
      try await login.value
    }
    #expect(session.state == .unauthenticated)
    #expect(made.vault.loginsGivenUp == 1)
    try await Self.noProgramListens(try #require(steps.url))
  }

  @Test
  func anUnfinishedLoginExpires() async throws {
    let made = try Session()
    made.vault.set { $0.loginLifetime = .seconds(1) }
    let steps = Steps()
    let failure = await error { () throws(AuthError) in
      try await made.session.loginInBrowser(open: { _ in true }, show: steps.add)
    }
    #expect(failure?.kind == .timedOut)
    #expect(failure?.recovery == .retry(after: nil))
    #expect(made.session.state == failure.map { .error($0) })
    #expect(made.vault.loginsGivenUp == 1)
    try await Self.noProgramListens(try #require(steps.url))
  }

  @Test
  func withoutABrowserTheAddressIsShownOrTheLoginFails() async throws {
    let made = try Session()
    let failure = await error { () throws(AuthError) in
      try await made.session.loginInBrowser(open: { _ in false })
    }
    #expect(failure?.kind == .noBrowser)
    #expect(made.vault.loginsGivenUp == 1)
    #expect(made.session.state == failure.map { .error($0) })
    let steps = Steps()
    let browser = StubBrowser()
    let user = try await made.session.loginInBrowser(
      open: { _ in false },
      show: { step in
        steps.add(step)
        if case .notOpened(let url) = step { _ = browser.open(url) }
      }
    )
    #expect(made.session.state == .authenticated(user))
    #expect(steps.all.count == 1)
  }

  @Test
  func anAnswerThatIsNotToBeTrustedIsRefusedAndTheWaitGoesOn() async throws {
    let made = try Session()
    let steps = Steps()
    let browser = StubBrowser()
    try await made.session.loginInBrowser(
      open: { browser.open($0.replacing("/callback", with: "/elsewhere")) },
      show: { step in
        steps.add(step)
        if case .refused = step, let url = steps.url { _ = browser.open(url) }
      }
    )
    #expect(
      steps.all.dropFirst() == [.refused(reason: "it came to another path than /callback")]
    )
    try await until { browser.pages.count == 2 }
    #expect(browser.pages.contains { $0.hasPrefix("HTTP/1.1 404 ") })
    #expect(browser.pages.contains { $0.hasPrefix("HTTP/1.1 200 ") })
  }

  @Test
  func theProviderSaysWhereTheBrowserComesBackTo() async throws {
    let made = try Session()
    made.vault.set { $0.redirectURI = "http://localhost/back" }
    let session = AuthSession(account: "me", vault: made.vault)
    let browser = StubBrowser()
    let steps = Steps()
    try await session.loginInBrowser(open: browser.open, show: steps.add)
    let url = try #require(steps.url)
    #expect(url.contains("redirect_uri=http://localhost:") && url.hasSuffix("/back"))
    // The session's own settings take precedence.
    let own = AuthSession(
      account: "me",
      provider: try AuthProvider(
        name: "app",
        settings: [
          "kind": "oidc", "issuer": "https://id.test", "client_id": "app",
          "redirect_uri": "http://[::1]/own",
        ]
      ),
      vault: made.vault
    )
    try await own.loginInBrowser(open: browser.open, show: steps.add)
    guard case .opened(let second) = steps.all.last else { return #expect(steps.all.isEmpty) }
    #expect(second.contains("redirect_uri=http://[::1]:") && second.hasSuffix("/own"))
  }

  @Test
  func aPortThatAnotherProgramHasIsToldBeforeAnythingIsBegun() async throws {
    let other = try LoopbackSocket.bind(.ipv4)
    try LoopbackSocket.listen(at: other)
    let made = try Session()
    let port = try LoopbackSocket.port(of: other)
    made.vault.set { $0.redirectURI = "http://127.0.0.1:\(port)/back" }
    let session = AuthSession(account: "me", vault: made.vault)
    let failure = await error { () throws(AuthError) in
      try await session.loginInBrowser(open: { _ in true })
    }
    #expect(failure?.kind == .busy)
    #expect(failure?.message.contains("127.0.0.1:\(port)") == true)
    #expect(session.state == failure.map { .error($0) })
    made.vault.set { $0.redirectURI = "https://app.example/back" }
    let wrong = await error { () throws(AuthError) in
      try await session.loginInBrowser(open: { _ in true })
    }
    #expect(wrong?.kind == .misconfigured)
    #expect(made.vault.count(of: .beginLogin) == 0)
  }

  @Test
  func oneLoginAtATime() async throws {
    let made = try Session()
    let session = made.session
    let steps = Steps()
    let browser = StubBrowser()
    let login = Task { try await session.loginInBrowser(open: { _ in true }, show: steps.add) }
    try await until { steps.url != nil }
    let second = await error { () throws(AuthError) in
      try await session.loginInBrowser(open: { _ in true })
    }
    #expect(second?.kind == .busy)
    #expect(browser.open(try #require(steps.url)))
    #expect(try await login.value.id == "id-browser")
  }

  @Test
  func aCodeForAnotherDeviceIsShownBeforeTheWait() async throws {
    let made = try Session()
    let shown = Mutex<LoginPrompt?>(nil)
    let user = try await made.session.loginWithDeviceCode { prompt in
      #expect(made.vault.count(of: .login) == 0)
      shown.withLock { $0 = prompt }
    }
    #expect(user.id == "id-device")
    #expect(shown.withLock { $0?.userCode } == "WDJB-MJHT")
    #expect(made.session.state == .authenticated(user))
  }

  @Test
  func whoCancelsTheWaitForACodeIsSignedOutAsBefore() async throws {
    let made = try Session()
    let session = made.session
    let isShown = Mutex(false)
    let login = Task {
      try await session.loginWithDeviceCode { _ in
        made.vault.hold()
        isShown.withLock { $0 = true }
      }
    }
    try await until { isShown.withLock { $0 } && made.vault.count(of: .login) == 1 }
    login.cancel()
    made.vault.letGo()
    await #expect(throws: AuthError.self) { try await login.value }
    #expect(session.state == .unauthenticated)
  }

  @Test
  func whatABrowserBroughtCannotBePrinted() throws {
    let query = try RedirectQuery("code=very-secret")
    var text = "\(query) \(String(reflecting: query))"
    dump(query, to: &text)
    #expect(!text.contains("very-secret"))
    #expect(throws: AuthError.self) {
      try RedirectQuery(String(repeating: "x", count: 16 * 1024 + 1))
    }
  }
}
