internal import LoopbackLogin
internal import System

/// Signing in on a page of the provider.
extension AuthSession {
  /// Whether a browser that is opened here is seen by the person: not over SSH, and not without a
  /// screen, where `loginWithDeviceCode` is the way.
  public static var canOpenBrowser: Bool { Browser.isSeen(ThisProcess.environment) }

  /// Signs in in a browser, which comes back to a port of this machine (RFC 8252).
  ///
  /// The port is that of the provider's `redirect_uri`, which is `http://127.0.0.1/callback` with any
  /// free port where the settings name none. It is closed with the first redirect, which must come
  /// from a program of the same user; the browser then shows what became of the login. A task that
  /// is cancelled gives the login up.
  ///
  /// - Parameters:
  ///   - scopes: what is asked for; nil: what the provider's settings say.
  ///   - open: opens the address in a browser, and says whether that was possible; nil: as `$BROWSER`
  ///     says, else xdg-open(1).
  ///   - show: hears of each step, the address among them, so that it can be shown; nil: a login
  ///     without a browser that can be opened fails. Both are called on a thread of the session's.
  /// - Returns: who is signed in.
  /// - Throws: `noBrowser`, `timedOut` after five minutes, `busy` where another program has a fixed
  ///   port or another login is under way, `providerRefused`, `cancelled`, and what the vault itself
  ///   may fail with.
  @discardableResult
  public func loginInBrowser(
    scopes: [String]? = nil,
    open: (@Sendable (_ url: String) -> Bool)? = nil,
    show: (@Sendable (BrowserLoginStep) -> Void)? = nil
  ) async throws(AuthError) -> User {
    try beginSigningIn()
    let browser: BrowserLogin
    let login: PendingLogin
    let check = PresenceCall(self, reason: configuration.presenceReason)
    defer { check.end() }
    do throws(AuthError) {
      browser = try BrowserLogin(await redirectURI())
      let begun = try await vault.beginLogin(
        account,
        at: provider,
        way: .browser(redirect: browser.redirect),
        scopes: scopes,
        check.asking
      )
      login = PendingLogin(begun, self)
    } catch {
      endSigningIn(error)
      throw error
    }
    let arrival: BrowserArrival
    do throws(AuthError) {
      arrival = try await browser.run(
        try Self.address(login.prompt.url),
        within: login.prompt.lifetime,
        BrowserLogin.Callbacks(open: open, show: show)
      )
    } catch {
      await login.giveUp(error)
      throw error
    }
    return try await finish(login, arrival)
  }

  /// Signs in by a code that the person types at another device (RFC 8628).
  ///
  /// - Parameters:
  ///   - scopes: what is asked for; nil: what the provider's settings say.
  ///   - show: shows the code and where to type it; the wait begins when it has returned.
  /// - Returns: who is signed in.
  /// - Throws: `loginRequired` where nobody typed it in time, `providerRefused`, `cancelled`, and what
  ///   the vault itself may fail with.
  @discardableResult
  public func loginWithDeviceCode(
    scopes: [String]? = nil,
    show: @Sendable (LoginPrompt) async -> Void
  ) async throws(AuthError) -> User {
    let login = try await beginLogin(.device, scopes: scopes)
    await show(login.prompt)
    return try await login.wait()
  }

  private func finish(
    _ login: PendingLogin,
    _ arrival: BrowserArrival
  ) async throws(AuthError) -> User {
    do throws(AuthError) {
      let user = try await login.finish(arrival.query)
      await arrival.show(user, as: account, at: user.issuer)
      return user
    } catch {
      await arrival.show(error, at: provider?.settings["issuer"] ?? "The provider")
      throw error
    }
  }

  /// Where the provider sends a browser back; nil: to the usual address.
  private func redirectURI() async throws(AuthError) -> String? {
    guard let provider else { return try await vault.redirectURI(of: account) }
    return provider.settings["redirect_uri"]
  }

  /// An address that the vault gave, fit to be opened and shown.
  private static func address(_ text: String?) throws(AuthError) -> String {
    guard let text, text.utf8.count <= 8192,
      ["https://", "http://"].contains(where: { text.hasPrefix($0) }),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw AuthError(
        .providerUnavailable(retryAfter: nil, status: nil),
        "the provider gave an address that no browser can open"
      )
    }
    return text
  }
}
