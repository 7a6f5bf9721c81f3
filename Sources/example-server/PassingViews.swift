import AuthSession

/// The views that stand between two others.
extension Views {
  func prompt(_ prompt: PresencePrompt) -> View {
    let question: HTML = """
      <p>\(HTML.isolated(prompt.requester)) wants to \(prompt.purpose)\
      \((prompt.account ?? prompt.detail).map { " <b>\(HTML.isolated($0))</b>" as HTML })\
      \(prompt.reason.map { ", \($0)" as HTML }).</p>
      \(prompt.account == nil ? nil : prompt.detail.map { "<p>\(HTML.isolated($0))</p>" as HTML })
      \(prompt.passwordReason.map { "<p>\(HTML.isolated($0))</p>" as HTML })
      """
    let hidden: HTML = "<input type=\"hidden\" name=\"prompt\" value=\"\(prompt.number)\">"
    let cancel = parts.button("/prompt/cancel", "Cancel", "quiet", hidden: hidden)
    switch prompt.phase {
    case .question(let text, let isHidden):
      let label = text.reversed().drop { $0 == " " || $0 == ":" }.reversed()
      let field = Parts.Field(
        label: String(label),
        name: "password",
        type: isHidden ? "password" : "text",
        completion: "off",
        error: prompt.notice?.asSentence,
        hint: isHidden ? "The one that you log in to this machine with." : nil
      )
      return View(
        "Type your system password",
        Icons.key,
        isPassing: true,
        body: question + parts.form("/prompt/answer", [field], "Go on", hidden: hidden) + cancel
      )
    case .finger(let advice):
      let password =
        prompt.allowsPassword
        ? parts.button("/prompt/password", "Use the system password", hidden: hidden) : ""
      return View(
        prompt.scan == .swipe
          ? "Swipe over the fingerprint reader" : "Touch the fingerprint reader",
        Icons.finger,
        isPassing: true,
        body: """
          \(parts.said(prompt.notice.map { .alert($0.asSentence) }))
          \(question)
          \(sign(advice?.sentence(prompt.scan) ?? prompt.waiting))
          \(password)
          \(cancel)
          """
      )
    case .queued:
      return View(
        "One moment",
        Icons.moment,
        isPassing: true,
        body: sign("Another prompt is open. This one waits for its end.") + cancel
      )
    case .ready:
      return View(
        "It is your turn",
        Icons.moment,
        isPassing: true,
        body: """
          \(question)
          \(sign("The other prompt is over."))
          \(parts.button("/prompt/begin", "Go on", "main", hidden: hidden))
          \(cancel)
          """
      )
    case .waiting(let seconds):
      return View(
        "One moment",
        Icons.moment,
        isPassing: true,
        body: """
          \(parts.said(prompt.notice.map { .alert($0.asSentence) }))
          \(sign("The next try is possible in \(seconds) s."))
          \(cancel)
          """
      )
    case .starting, .checking, .ended:
      return View(
        "One moment",
        Icons.moment,
        isPassing: true,
        body: sign("Checking…") + cancel
      )
    }
  }

  func loading() -> View {
    View("One moment", Icons.moment, isPassing: true, body: sign("Please wait…"))
  }

  func error(_ error: AuthError, at draft: Draft) -> View {
    let (message, suggestion) = Self.explanation(of: error, draft)
    return View(
      "That did not work",
      Icons.warning,
      body: """
        <div class="notice alert" role="alert" tabindex="-1" autofocus>\(message.asSentence)</div>
        \(suggestion.map { "<p>\($0.asSentence)</p>" as HTML })
        \(parts.button("/dismiss", "Go back", "main"))
        """
    )
  }

  /// In the words of a person, where the backend has only a status.
  private static func explanation(of error: AuthError, _ draft: Draft) -> (String, String?) {
    switch error.kind {
    case .providerRefused(401) where !draft.email.isEmpty:
      ("The e-mail address or the password is wrong", nil)
    case .providerRefused(409) where draft.isNew:
      ("This e-mail address has an account already", "Sign in with it, or use another address")
    case .providerRefused(let status):
      ("The backend said no (\(status), \(error.message))", error.recoverySuggestion)
    default: (error.message, error.recoverySuggestion)
    }
  }

  func stranger() -> View {
    View(
      "Not for you",
      Icons.lock,
      body: """
        <p class="lead" tabindex="-1" autofocus>Open the address that the program printed when it \
        started.</p>
        """
    )
  }

  func notFound() -> View {
    View(
      "Nothing here",
      Icons.warning,
      body: "<p><a class=\"button\" href=\"/\" autofocus>Back to the start</a></p>"
    )
  }

  /// What is going on: told when the page comes, and whenever it changes.
  private func sign(_ text: String) -> HTML {
    "<p class=\"sign\" role=\"status\" tabindex=\"-1\" autofocus>\(text)</p>"
  }
}

extension PresencePrompt {
  /// So that an answer goes to the one that it was typed for.
  var number: String { String(id) }

  /// What it waits for, with the one finger that can match.
  fileprivate var waiting: String {
    "Waiting for your \(finger?.replacing("-", with: " ") ?? "finger")…"
  }
}

extension PresencePrompt.ScanAdvice {
  fileprivate func sentence(_ scan: PresencePrompt.Scan) -> String {
    switch (self, scan) {
    case (.longer, .press): "Touch again, and leave the finger on the reader longer."
    case (.longer, .swipe): "Swipe the whole finger again, a little more slowly."
    case (.center, .press): "Touch again, in the middle of the reader."
    case (.center, .swipe): "Swipe again, along the middle of the reader."
    case (.lift, .press): "Lift the finger, then touch again."
    case (.lift, .swipe): "Lift the finger, then swipe it again."
    case (.again, _): "Once more, please."
    }
  }
}

extension String {
  /// With a capital letter and a full stop.
  var asSentence: String {
    guard let first, let last else { return self }
    return first.uppercased() + dropFirst() + (last.isPunctuation ? "" : ".")
  }
}
