internal import Configuration
internal import Glibc
internal import LoopbackLogin
internal import System

/// What an app hears while a browser is awaited.
public enum BrowserLoginStep: Sendable, Hashable {
  /// A browser is opened at this address; show it, for where nothing is seen of that.
  case opened(url: String)
  /// No browser can be opened: the person has to open the address by hand, on this machine.
  case notOpened(url: String)
  /// An answer came that is not to be trusted, and was refused, for this reason; the wait goes on.
  case refused(reason: String)
}

/// The wait for the one redirect that ends a login in a browser (RFC 8252, section 7.3).
///
/// Unchecked: it is made by one task, and then used by the one thread that runs it.
final class BrowserLogin: @unchecked Sendable {
  /// How long a browser is waited for, in seconds.
  static let limit: Int64 = 300

  /// How the app takes part in it.
  struct Callbacks: Sendable {
    /// Opens a browser; nil: the machine's.
    let open: (@Sendable (_ url: String) -> Bool)?
    /// Hears of each step; nil: nobody shows the address.
    let show: (@Sendable (BrowserLoginStep) -> Void)?
  }

  /// Where the browser comes back to.
  let redirect: String
  private let address: LoopbackRedirect
  private let listener: RedirectListener

  /// Takes the port.
  ///
  /// - Parameter redirectURI: the `redirect_uri` of the provider's settings; nil: the usual one.
  /// - Throws: `misconfigured` where it leads elsewhere, `busy` where another program has the port.
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
        throw AuthError(.unexpected, "\(address.text) cannot be listened at", cause: error)
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

  /// Opens the browser, and waits for the redirect; the port is closed afterwards.
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
    // Whoever is not shown the address cannot open it either.
    guard isOpen || callbacks.show != nil else { throw .noBrowser }
    callbacks.show?(isOpen ? .opened(url: url) : .notOpened(url: url))
    let limit = min(max(Int64(wholeSeconds(lifetime)), 1), Self.limit)
    var told: Set<RedirectStray> = []
    let arrival: RedirectListener.Arrival?
    do throws(RedirectWaitError) {
      arrival = try listener.wait(
        interrupt: interrupt,
        until: BootInstant.now.advanced(bySeconds: limit),
        tick: {
          guard isOpen, !opening.look() else { return true }
          isOpen = false
          callbacks.show?(.notOpened(url: url))
          return callbacks.show != nil
        },
        stray: { stray in
          // Once each: any page can send any number of them.
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
        "nobody signed in in the browser in time",
        recoverySuggestion: "nothing was changed; try again"
      )
    }
    return BrowserArrival(arrival)
  }

  private func reason(_ stray: RedirectStray) -> String {
    switch stray {
    case .user: "it was brought by a program of somebody else"
    case .host: "it came under another name than \(address.host):\(listener.port)"
    case .path: "it came to another path than \(address.path.isEmpty ? "/" : address.path)"
    }
  }
}

/// How the browser is opened: by the app, or as the commands do it.
private struct BrowserOpening: ~Copyable {
  private let url: String
  private let open: (@Sendable (String) -> Bool)?
  private var browser: Browser?

  init(_ url: String, _ open: (@Sendable (String) -> Bool)?) {
    self.url = url
    self.open = open
  }

  /// Opens it; false where that is not possible.
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

  /// Whether it may be open still.
  mutating func look() -> Bool { browser?.look() ?? true }

  /// Leaves a browser that runs to itself.
  func leave() { browser?.leave() }
}

/// The redirect, and the browser that waits for its page.
///
/// Unchecked: the one task that waited for it hands it from thread to thread.
final class BrowserArrival: @unchecked Sendable {
  private let arrival: RedirectListener.Arrival

  init(_ arrival: RedirectListener.Arrival) {
    self.arrival = arrival
  }

  /// What the browser brought.
  var query: RedirectQuery { RedirectQuery(arrival.query) }

  /// Shows who is signed in now.
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

  /// Shows why nobody is.
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
    // A task of its own: a cancellation that has come already must not take the page away.
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
