import Synchronization
import WebServer

/// The content of a page.
struct View {
  /// The heading, shown on the page.
  var heading: HTML
  /// The page's title in plain text, if the heading is not plain text.
  var title: String
  /// The icon above the heading.
  var icon: HTML
  var body: HTML
  /// Whether the view is temporary, until the state has another view.
  var isPassing = false
  /// Whether the heading has the focus, so that a screen reader starts at the beginning.
  ///
  /// Otherwise an element of the body has it, such as a field.
  var focusesHeading: Bool { !body.text.contains(" autofocus") }

  init(_ title: String, _ icon: HTML = Icons.none, isPassing: Bool = false, body: HTML) {
    heading = "\(title)"
    self.title = title
    self.icon = icon
    self.isPassing = isPassing
    self.body = body
  }

  /// The name of the app.
  static let app = "Thumblatch example"

  /// Identifies a view: equal for views that look the same.
  var stamp: String {
    var hasher = Hasher()
    hasher.combine(heading)
    hasher.combine(body)
    return String(UInt(bitPattern: hasher.finalize()), radix: 36)
  }

  /// Ends a replaced page: the browser continues to the next one without a script.
  static let onward = Array(#"<meta http-equiv="refresh" content="0; url=/">"#.utf8)

  /// The whole page; HTML allows the body to end with it (HTML, section 13.1.2.4).
  func page(status: Int = 200) -> WebResponse {
    // The page may use only its own style, identified by an unpredictable nonce.
    let nonce = Browsers.random()
    let page: HTML = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(title.withoutTurns) · \(Self.app)</title>
      <link rel="icon" href="\(Icons.tab)">
      <style nonce="\(nonce)">\(ViewStyle.text)</style>
      </head>
      <body>
      <header>\(Icons.mark)<div>Thumblatch <span>example</span></div></header>
      <main>
      \(icon)
      <h1\(focusesHeading ? " tabindex=\"-1\" autofocus" as HTML : nil)>\(heading)</h1>
      \(body)
      </main>
      <footer>This page runs on your own computer and answers no other one.</footer>
      """
    return WebResponse(
      status: status,
      headers: [
        ("Content-Type", "text/html; charset=utf-8"),
        (
          "Content-Security-Policy",
          "default-src 'none'; style-src 'nonce-\(nonce)'; img-src data:; form-action 'self'; "
            + "base-uri 'none'; frame-ancestors 'none'"
        ),
      ],
      body: Array(page.text.utf8)
    )
  }
}

extension WebResponse {
  /// The answer with the headers that every answer has.
  var guarded: WebResponse {
    var response = self
    response.headers += [
      ("Cache-Control", "no-store"),
      // Without any referrer a form's Origin would be "null".
      ("Referrer-Policy", "same-origin"),
      ("X-Content-Type-Options", "nosniff"),
      ("X-Frame-Options", "DENY"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
    return response
  }
}
