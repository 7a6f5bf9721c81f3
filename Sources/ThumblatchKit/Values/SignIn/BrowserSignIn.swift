internal import Configuration
internal import Glibc
internal import LoopbackLogin
internal import System

/// A step of a sign-in that waits for a browser.
public enum BrowserLoginStep: Sendable, Hashable {
  /// A browser is being opened at this address.
  ///
  /// Show the address too, in case no window appears.
  case opened(url: String)
  /// No browser can be opened.
  ///
  /// The person must open the address on this machine.
  case notOpened(url: String)
  /// An answer was not trusted and was refused for this reason.
  ///
  /// The wait continues.
  case refused(reason: String)
}

/// The wait for the one redirect that ends a sign-in in a browser (RFC 8252, section 7.3).
///
/// `@unchecked` is safe: one task makes it, and then only the thread that runs it uses it.
final class BrowserSignIn: @unchecked Sendable {
  /// The longest wait for a browser, in seconds.
  static let limit: Int64 = 300

  /// The app's part in the sign-in.
  struct Callbacks: Sendable {
    /// Opens a browser; `nil` for the browser of the machine.
    let open: (@Sendable (_ url: String) -> Bool)?
    /// Is called at each step; `nil` if the app does not show the address.
    let show: (@Sendable (BrowserLoginStep) -> Void)?
  }

  /// The address to which the browser returns.
  let redirect: String
  private let address: LoopbackRedirect
  private let listener: RedirectListener

  /// Opens the port.
  ///
  /// - Parameter redirectURI: the `redirect_uri` of the provider's settings; `nil` for the usual
  ///   address.
  /// - Throws: `misconfigured` if it is not a loopback address, `busy` if another program has the
  ///   port.
  init(_ redirectURI: String?) throws(AuthError) {
    do throws(ConfigurationError) {
      address = try LoopbackRedirect(redirectURI ?? "http://127.0.0.1/callback")
    } catch {
      throw AuthError(.misconfigured, "redirect_uri: \(error)", cause: error)
    }
    do throws(SystemError) {
      listener = try RedirectListener(at: address, for: .app)
    } catch {
      guard error.code == EADDRINUSE else {
        throw AuthError(
          .unexpected,
          "the browser's answer cannot be received at \(address.text)",
          recoverySuggestion: "sign in by a code",
          cause: error
        )
      }
      throw AuthError(
        .busy,
        "another program has the port that the browser is sent to: \(address.text)",
        recoverySuggestion: "end that program, or sign in by a code",
        cause: error
      )
    }
    redirect = address.url(port: listener.port)
  }

  /// Opens the browser, and waits for the redirect.
  ///
  /// The port is closed afterwards.
  func run(
    _ url: String,
    within lifetime: Duration,
    _ callbacks: Callbacks
  ) async throws(AuthError) -> BrowserArrival {
    try await BlockingWork.elsewhere.run { [self] interrupt throws(AuthError) in
      try wait(url, within: lifetime, interrupt, callbacks)
    }
  }

  private func wait(
    _ url: String,
    within lifetime: Duration,
    _ interrupt: Int32,
    _ callbacks: Callbacks
  ) throws(AuthError) -> BrowserArrival {
    var opening = BrowserOpening(url, callbacks.open)
    defer { opening.leave() }
    var isOpen = opening.start()
    // Without a browser, the person needs to see the address to go on.
    guard isOpen || callbacks.show != nil else { throw .noBrowser }
    callbacks.show?(isOpen ? .opened(url: url) : .notOpened(url: url))
    let limit = min(max(Int64(wholeSeconds(lifetime)), 1), Self.limit)
    var told: Set<RedirectStray> = []
    let arrival: RedirectListener.Arrival?
    do throws(RedirectWaitError) {
      arrival = try listener.wait(
        for: url,
        interrupt: interrupt,
        until: BootInstant.now.advanced(bySeconds: limit),
        tick: {
          guard isOpen, !opening.look() else { return true }
          isOpen = false
          callbacks.show?(.notOpened(url: url))
          return callbacks.show != nil
        },
        stray: { stray in
          // Report each kind once, because a web page can send any number of such requests.
          guard told.insert(stray).inserted else { return }
          callbacks.show?(.refused(reason: reason(stray)))
        }
      )
    } catch {
      switch error {
      case .interrupted where !isOpen && callbacks.show == nil: throw .noBrowser
      case .interrupted: throw .taskCancelled
      case .system(let error): throw .system(error)
      }
    }
    guard let arrival else {
      throw AuthError(
        .timedOut,
        "no sign-in came from the browser in time",
        recoverySuggestion: "nothing was changed; try again"
      )
    }
    return BrowserArrival(arrival)
  }

  private func reason(_ stray: RedirectStray) -> String {
    switch stray {
    case .user: "it came from another user's program"
    case .host: "it came under another name than \(address.host):\(listener.port)"
    case .path: "it came to another path than \(address.path.isEmpty ? "/" : address.path)"
    case .state: "it answers another sign-in"
    }
  }
}

/// Opens the browser: by the app's own closure, or in the way of the commands.
private struct BrowserOpening: ~Copyable {
  private let url: String
  private let open: (@Sendable (String) -> Bool)?
  private var browser: Browser?

  init(_ url: String, _ open: (@Sendable (String) -> Bool)?) {
    self.url = url
    self.open = open
  }

  /// Opens the browser.
  ///
  /// Returns false if that is not possible.
  mutating func start() -> Bool {
    if let open { return open(url) }
    var browser = Browser(
      url,
      environment: ThisProcess.environment,
      variables: ThisProcess.environmentEntries,
      mask: ThisProcess.fileMask
    )
    defer { self.browser = browser }
    return browser.start()
  }

  /// Whether the browser may still be open.
  mutating func look() -> Bool { browser?.look() ?? true }

  /// Releases a browser that still runs, without ending it.
  func leave() { browser?.leave() }
}

/// The redirect, and the browser that waits for its page.
///
/// `@unchecked` is safe: only the task that waited for it passes it from thread to thread.
final class BrowserArrival: @unchecked Sendable {
  private let arrival: RedirectListener.Arrival

  init(_ arrival: RedirectListener.Arrival) {
    self.arrival = arrival
  }

  var query: RedirectQuery { RedirectQuery(arrival.query) }

  /// Shows the user who is signed in now.
  func show(_ user: User, as account: String, at provider: String) async {
    let names = [user.name, user.email, user.id].compactMap(\.self).filter { !$0.isEmpty }
    await show(
      .signedIn(
        person: names.first,
        also: user.name?.isEmpty == false ? user.email : nil,
        account: account,
        provider: provider
      )
    )
  }

  /// Shows why the sign-in failed.
  func show(_ error: AuthError, at provider: String) async {
    switch error.kind {
    case .cancelled: await show(.interrupted)
    case .invalidArgument: await show(.wrongState)
    case .loginRequired: await show(.expired)
    case .providerRefused, .wrongCredentials, .addressTaken, .invalidInput:
      await show(.refused(provider: provider, reason: error.message))
    default: await show(.failed(reason: error.message))
    }
  }

  private func show(_ result: ResultPage.Result) async {
    // Uses a task of its own, so that an earlier cancellation does not suppress the page.
    let showing = Task { [self] in
      try? await BlockingWork.elsewhere.run { [self] interrupt throws(AuthError) in
        arrival.connection.answer(ResultPage(result, for: .app).answer, interrupt: interrupt)
      }
    }
    _ = await showing.value
  }
}

extension AuthError {
  fileprivate static var noBrowser: AuthError {
    AuthError(
      .noBrowser,
      "no browser can be opened here",
      recoverySuggestion: "sign in by a code on another device"
    )
  }
}
