internal import LoopbackLogin
internal import System

/// Sign-ins on a page of the provider.
extension AuthSession {
  /// Whether the person sees a browser that the session opens here.
  ///
  /// It is false over SSH, and if there is neither a screen nor `$BROWSER`. Use
  /// `loginWithDeviceCode` then.
  public static var canOpenBrowser: Bool { Browser.isSeen(ThisProcess.environment) }

  /// Signs in with a browser, which returns to a port of this machine (RFC 8252).
  ///
  /// The port is that of the provider's `redirect_uri`. If the settings name none, the URI is
  /// `http://127.0.0.1/callback` with any free port. The port is closed after the first redirect,
  /// which must come from a program of the same user. The browser then shows the result of the
  /// sign-in. Cancelling the task gives the sign-in up.
  ///
  /// - Parameters:
  ///   - scopes: the scopes to ask for; `nil` for those of the provider's settings.
  ///   - open: opens the address in a browser, and returns whether that was possible. `nil` runs
  ///     the program in `$BROWSER`, else xdg-open(1).
  ///   - show: is called at each step, so that the app can show it, the address included. If it is
  ///     `nil`, a sign-in fails unless a browser can be opened. Both closures run on a thread of
  ///     the session.
  /// - Returns: the user who is signed in.
  /// - Throws: `noBrowser`, `timedOut` after five minutes, `busy` if another program holds a fixed
  ///   port or another sign-in is under way, `providerRefused`, `cancelled`, and the errors of the
  ///   vault itself.
  @discardableResult
  public func loginInBrowser(
    scopes: [String]? = nil,
    open: (@Sendable (_ url: String) -> Bool)? = nil,
    show: (@Sendable (BrowserLoginStep) -> Void)? = nil
  ) async throws(AuthError) -> User {
    try beginSigningIn()
    let browser: BrowserSignIn
    let pending: PendingLogin
    let check = PresenceCall(self, reason: configuration.presenceReason)
    defer { check.end() }
    do throws(AuthError) {
      browser = try BrowserSignIn(await redirectURI())
      let way = LoginWay.browser(redirect: browser.redirect)
      pending = try await beginLogin(way, scopes, check.asking)
    } catch {
      let error = ofSignIn(error)
      endSigningIn(error)
      throw error
    }
    let arrival: BrowserArrival
    do throws(AuthError) {
      arrival = try await browser.run(
        try Self.address(pending.prompt.url),
        within: pending.prompt.lifetime,
        BrowserSignIn.Callbacks(open: open, show: show)
      )
    } catch {
      await pending.giveUp(error)
      throw error
    }
    return try await finish(pending, arrival)
  }

  /// Signs in with a code that the person types on another device (RFC 8628).
  ///
  /// - Parameters:
  ///   - scopes: the scopes to ask for; `nil` for those of the provider's settings.
  ///   - show: shows the code and the address at which to type it. The wait begins when it has
  ///     returned.
  /// - Returns: the user who is signed in.
  /// - Throws: `loginRequired` if the code was not typed in time, `providerRefused`, `cancelled`,
  ///   and the errors of the vault itself.
  @discardableResult
  public func loginWithDeviceCode(
    scopes: [String]? = nil,
    show: @Sendable (LoginPrompt) async -> Void
  ) async throws(AuthError) -> User {
    let pending = try await beginLogin(.device, scopes: scopes)
    await show(pending.prompt)
    return try await pending.wait()
  }

  private func finish(
    _ pending: PendingLogin,
    _ arrival: BrowserArrival
  ) async throws(AuthError) -> User {
    do throws(AuthError) {
      let user = try await pending.finish(arrival.query)
      await arrival.show(user, as: account, at: user.issuer)
      return user
    } catch {
      await arrival.show(error, at: provider?.settings["issuer"] ?? "The provider")
      throw error
    }
  }

  /// The address to which the provider sends the browser back; `nil` for the usual address.
  private func redirectURI() async throws(AuthError) -> String? {
    guard let provider else { return try await vault.redirectURI(of: account) }
    return provider.settings["redirect_uri"]
  }

  /// Checks an address from the vault before it is opened or shown.
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
