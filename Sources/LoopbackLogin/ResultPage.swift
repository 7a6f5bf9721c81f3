internal import PlainText

/// The page that the browser shows at the end of a sign-in.
///
/// It is one file without scripts and without external resources. A provider's text is escaped, and
/// kept separate from our own.
package struct ResultPage {
  /// The outcome of the sign-in.
  package enum Result: Sendable, Equatable {
    /// The signed-in person, as the provider names them, with account and provider.
    case signedIn(person: String?, also: String?, account: String, provider: String)
    /// The provider refused, with its own reason.
    case refused(provider: String, reason: String)
    /// The answer belongs to no current sign-in.
    case wrongState
    /// The answer came too late.
    case expired
    /// The answer belongs to another sign-in, and the wait for the right one continues.
    case otherSignIn
    /// The browser runs as another user of this machine.
    case otherUser
    /// The person interrupted the wait while the sign-in was running.
    case interrupted
    /// Any other failure; the origin of the sign-in shows more.
    case failed(reason: String)
  }

  /// The origin of the sign-in, to which the person returns.
  package enum Origin: String, Sendable {
    case terminal
    case app
  }

  let result: Result
  let origin: Origin

  package init(_ result: Result, for origin: Origin) {
    self.result = result
    self.origin = origin
  }

  /// The response to the browser: head and body.
  package var answer: [UInt8] {
    HTTPAnswer.page(html, policy: Self.policy, status: status)
  }

  /// The page may not load, run, embed or send anything; only its style sheet is permitted, by
  /// digest.
  static let policy =
    "default-src 'none'; style-src 'sha256-\(PageStyle.digest)'; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'"

  private var status: Int {
    switch result {
    case .signedIn: 200
    case .otherUser: 403
    case .refused, .wrongState, .otherSignIn, .expired, .interrupted, .failed: 400
    }
  }

  private var isGood: Bool {
    if case .signedIn = result { return true }
    return false
  }

  var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>\(title) · Thumblatch</title>
    <style>\(PageStyle.text)</style>
    </head>
    <body>
    <main class="\(isGood ? "good" : "bad")">
    \(isGood ? Self.tick : Self.cross)
    <h1>\(title)</h1>
    \(body)
    <p class="end">\(end)</p>
    </main>
    <footer>\(Self.latch)<span>Thumblatch, on this computer</span></footer>
    </body>
    </html>

    """
  }

  private var title: String {
    switch result {
    case .signedIn: "You are signed in"
    case .refused: "You are not signed in"
    case .wrongState, .otherSignIn: "This answer was not asked for"
    case .otherUser: "This browser belongs to another user"
    case .expired: "That took too long"
    case .interrupted: "The sign-in was interrupted"
    case .failed: "The sign-in did not work"
    }
  }

  private var body: String {
    switch result {
    case .signedIn(let person, let also, let account, let provider):
      var facts = ""
      if let person { facts += "<p class=\"who\">\(Self.quoted(person))</p>\n" }
      if let also { facts += "<p class=\"also\">\(Self.quoted(also))</p>\n" }
      return facts + """
        <dl>
        <div><dt>Account</dt><dd>\(Self.quoted(account))</dd></div>
        <div><dt>Provider</dt><dd>\(Self.quoted(provider))</dd></div>
        </dl>
        """
    case .refused(let provider, let reason):
      return """
        <p>\(Self.quoted(provider)) refused the sign-in:</p>
        <blockquote>\(Self.quoted(reason))</blockquote>
        """
    case .wrongState, .otherSignIn:
      return """
        <p>It does not belong to the sign-in that was begun \(there). An old page may have \
        been loaded again, or another person wants you to use their account.</p>
        """
    case .otherUser:
      return """
        <p>The sign-in was begun \(there) by another user of this computer. Open the address in \
        a browser of that user.</p>
        """
    case .expired: return "<p>The answer came after the time limit of this sign-in.</p>"
    case .interrupted:
      return """
        <p>The \(origin.rawValue) did not wait for the end of the sign-in. The sign-in may have \
        succeeded anyway: <code>thumblatch status</code> shows it.</p>
        """
    case .failed(let reason): return "<blockquote>\(Self.quoted(reason))</blockquote>"
    }
  }

  private var end: String {
    switch result {
    case .signedIn: "You can close this tab.<br>The \(origin.rawValue) has everything it needs."
    case .otherUser, .otherSignIn:
      "Nothing was changed. The \(origin.rawValue) is still waiting."
    case .refused, .wrongState, .expired:
      "Nothing was changed. You can close this tab,<br>and try again \(there)."
    // The provider's last action is unknown here.
    case .interrupted, .failed: "You can close this tab.<br>The \(origin.rawValue) says more."
    }
  }

  private var there: String {
    switch origin {
    case .terminal: "at the terminal"
    case .app: "in the app"
    }
  }

  /// Text from elsewhere for the page.
  ///
  /// Direction changes that could mislead the reader are removed first; then it is escaped for the
  /// browser.
  static func quoted(_ text: String) -> String {
    "<bdi>\(escaped(PlainText.line(text)))</bdi>"
  }

  /// Escapes text so that it can neither begin nor end a tag, an attribute or a character
  /// reference.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static let tick = """
    <svg class="sign" viewBox="0 0 64 64" aria-hidden="true">\
    <circle cx="32" cy="32" r="30"/><path d="M19 33.5l9 9 17-19"/></svg>
    """
  private static let cross = """
    <svg class="sign" viewBox="0 0 64 64" aria-hidden="true">\
    <circle cx="32" cy="32" r="30"/><path d="M32 17v20M32 45.5v.5"/></svg>
    """
  private static let latch = """
    <svg viewBox="0 0 24 24" aria-hidden="true"><rect x="4" y="10" width="16" height="11" rx="3"/>\
    <path d="M8 10V7a4 4 0 0 1 8 0v3"/></svg>
    """
}
