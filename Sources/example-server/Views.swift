import AuthSession
import WebServer

/// The views: HTML made here, without script, for the keyboard and for screen readers.
struct Views {
  /// Goes with every form, so that no other page can send one.
  let formToken: String

  /// What a view is made of.
  struct View {
    var title: String
    var body: String
    /// Whether the browser asks again by itself.
    var refreshes = false
  }

  /// A whole page.
  func page(status: Int = 200, _ view: View) -> WebResponse {
    let html = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      \(view.refreshes ? "<meta http-equiv=\"refresh\" content=\"1; url=/\">" : "")
      <title>\(escaped(view.title)) · Example</title>
      <style>\(ViewStyle.text)</style>
      </head>
      <body>
      <main>
      <h1>\(escaped(view.title))</h1>
      \(view.body)
      </main>
      </body>
      </html>

      """
    return WebResponse(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("X-Content-Type-Options", "nosniff"),
        (
          "Content-Security-Policy",
          "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; "
            + "frame-ancestors 'none'"
        ),
      ],
      body: Array(html.utf8)
    )
  }

  // MARK: Signed out

  func login(notice: String?) -> View {
    View(
      title: "Sign in",
      body: said(notice)
        + form(
          "/login",
          field("E-mail", "email", "email", "username", isFirst: true)
            + field("Password", "password", "password", "current-password"),
          "Sign in"
        )
        + "<p class=\"also\">New here? <a href=\"/register\">Make an account</a></p>"
    )
  }

  func register() -> View {
    View(
      title: "Make an account",
      body: form(
        "/register",
        field("Name", "name", "text", "name", isFirst: true)
          + field("E-mail", "email", "email", "username")
          + field("Password", "password", "password", "new-password"),
        "Make an account"
      )
        + "<p class=\"also\">You have one? <a href=\"/\">Sign in</a></p>"
    )
  }

  // MARK: Signed in

  func profile(_ user: User, isProtected: Bool, notice: String?) -> View {
    View(
      title: "Hello, \(user.name ?? user.email ?? "you")",
      body: said(notice)
        + """
        <dl>
        <div><dt>E-mail</dt><dd>\(escaped(user.email ?? "unknown"))</dd></div>
        <div><dt>Signed in at</dt><dd>\(escaped(user.issuer))</dd></div>
        <div><dt>Presence protection</dt><dd>\(isProtected ? "on" : "off")</dd></div>
        </dl>
        <p><a class="button" href="/inside">Open the protected area</a></p>
        """
        + (isProtected
          ? button("/lock", "Lock") + button("/unprotect", "Turn the protection off")
          : button("/protect", "Turn presence protection on"))
        + button("/logout", "Sign out")
    )
  }

  func presenceSetup(notice: String?) -> View {
    View(
      title: "Protect your login?",
      body: said(notice)
        + """
        <p>With presence protection, your finger or your system password is asked for before this \
        login is used.</p>
        """
        + button("/protect", "Turn it on", isMain: true)
        + button("/later", "Maybe later")
    )
  }

  func inside(_ answer: AuthResponse) -> View {
    View(
      title: "Protected area",
      body: """
        <p>The backend answered with HTTP \(answer.status):</p>
        <pre tabindex="0">\(escaped(String(decoding: answer.body.prefix(4096), as: UTF8.self)))</pre>
        <p><a href="/">Back</a></p>
        """
    )
  }

  func lock(_ user: User, notice: String?) -> View {
    View(
      title: "Locked",
      body: said(notice)
        + "<p>\(escaped(user.name ?? user.email ?? "Your login")) is signed in.</p>"
        + button("/unlock", "Unlock", isMain: true)
        + button("/logout", "Sign out")
    )
  }

  // MARK: In between

  func prompt(_ prompt: PresencePrompt) -> View {
    var body =
      "<p>\(escaped(prompt.requester)) wants to \(escaped(prompt.purpose))"
      + (prompt.account.map { " <b>\(escaped($0))</b>" } ?? "")
      + (prompt.reason.map { ", \(escaped($0))" } ?? "") + ".</p>"
    body += prompt.detail.map { "<p class=\"also\">\(escaped($0))</p>" } ?? ""
    body += said(prompt.notice)
    var refreshes = true
    switch prompt.phase {
    case .finger(let advice):
      body += "<p class=\"sign\" role=\"status\">\(Self.sentence(advice))</p>"
      if prompt.allowsPassword { body += button("/prompt/password", "Use the system password") }
    case .question(let question, let isHidden):
      refreshes = false
      body += form(
        "/prompt/answer",
        field(question, "password", isHidden ? "password" : "text", "off", isFirst: true),
        "Go on"
      )
    case .queued:
      body += "<p role=\"status\">Another prompt is open. This one waits for its end.</p>"
    case .ready:
      refreshes = false
      body += "<p role=\"status\">The other prompt is over.</p>"
      body += button("/prompt/begin", "Go on", isMain: true)
    case .waiting(let seconds):
      body += "<p role=\"status\">The next try is possible in \(seconds) s.</p>"
    case .starting, .checking, .ended: body += "<p role=\"status\">One moment…</p>"
    }
    return View(
      title: "Are you there?",
      body: body + button("/prompt/cancel", "Cancel"),
      refreshes: refreshes
    )
  }

  func loading() -> View {
    View(title: "One moment", body: "<p role=\"status\">Please wait…</p>", refreshes: true)
  }

  func error(_ error: AuthError) -> View {
    View(
      title: "That did not work",
      body: "<p role=\"alert\">\(escaped(error.message))</p>"
        + (error.recoverySuggestion.map { "<p>\(escaped($0))</p>" } ?? "")
        + button("/dismiss", "Go back", isMain: true)
    )
  }

  func stranger() -> View {
    View(title: "Not for you", body: "<p>Open the address that the program printed.</p>")
  }

  func notFound() -> View {
    View(title: "Nothing here", body: "<p><a href=\"/\">Back</a></p>")
  }

  // MARK: Parts

  private func said(_ notice: String?) -> String {
    notice.map { "<p class=\"notice\" role=\"status\">\(escaped($0))</p>" } ?? ""
  }

  private func field(
    _ label: String,
    _ name: String,
    _ type: String,
    _ completion: String,
    isFirst: Bool = false
  ) -> String {
    """
    <label for="\(name)">\(escaped(label))</label>
    <input id="\(name)" name="\(name)" type="\(type)" autocomplete="\(completion)" required\
    \(isFirst ? " autofocus" : "")>
    """
  }

  private func form(_ place: String, _ fields: String, _ button: String) -> String {
    """
    <form method="post" action="\(place)">
    <input type="hidden" name="form" value="\(formToken)">
    \(fields)
    <button class="main">\(escaped(button))</button>
    </form>
    """
  }

  private func button(_ place: String, _ text: String, isMain: Bool = false) -> String {
    """
    <form method="post" action="\(place)">
    <input type="hidden" name="form" value="\(formToken)">
    <button\(isMain ? " class=\"main\" autofocus" : "")>\(escaped(text))</button>
    </form>
    """
  }

  private static func sentence(_ advice: PresencePrompt.ScanAdvice?) -> String {
    switch advice {
    case nil: "Touch the fingerprint reader."
    case .longer: "Touch again, and leave the finger on the reader longer."
    case .center: "Touch again, in the middle of the reader."
    case .lift: "Lift the finger, then touch again."
    case .again: "Once more, please."
    }
  }

  /// Text that can neither begin nor end a tag, an attribute or a character reference.
  private func escaped(_ text: String) -> String {
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
}
