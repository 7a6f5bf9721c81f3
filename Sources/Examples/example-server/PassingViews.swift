import ThumblatchKit

/// The views that are shown between two others.
extension Views {
  func prompt(_ prompt: PresencePrompt) -> View {
    let cancel = parts.button("/prompt/cancel", "Cancel", "quiet", hidden: hidden(prompt))
    switch prompt.phase {
    case .question(let text, let isHidden):
      return View(
        "Enter your system password",
        Icons.key,
        isPassing: true,
        body: answer(prompt, to: text, isHidden: isHidden) + cancel
      )
    case .finger(let advice):
      return View(
        prompt.scan == .swipe
          ? "Swipe over the fingerprint reader" : "Touch the fingerprint reader",
        Icons.finger,
        isPassing: true,
        body: touch(prompt, advice?.sentence(prompt.scan) ?? prompt.waiting) + cancel
      )
    case .queued:
      return View(
        "Another prompt is open",
        Icons.moment,
        isPassing: true,
        body: sign("This one comes next.") + cancel
      )
    case .ready:
      return View(
        "Your turn",
        Icons.finger,
        isPassing: true,
        body: """
          \(question(prompt))
          \(sign("The other prompt is over."))
          \(parts.button("/prompt/begin", "Continue", "main", hidden: hidden(prompt)))
          \(cancel)
          """
      )
    case .waiting(let seconds):
      return View(
        "Please wait",
        Icons.moment,
        isPassing: true,
        body: """
          \(parts.said(prompt.notice.map { .alert($0.asSentence) }))
          \(sign("You can try again in \(seconds) seconds."))
          \(cancel)
          """
      )
    case .starting, .checking, .ended:
      return View("Please wait", Icons.moment, isPassing: true, body: sign("Checking…") + cancel)
    }
  }

  private func question(_ prompt: PresencePrompt) -> HTML {
    """
    <p>\(HTML.isolated(prompt.requester)) asks to <b>\(HTML.isolated(prompt.action))</b>\
    \(prompt.reason.map { ", \($0)" as HTML }).</p>
    \(prompt.passwordReason.map { "<p>\(HTML.isolated($0.asSentence))</p>" as HTML })
    """
  }

  /// The number of the prompt, so that an answer to an earlier one is recognized.
  private func hidden(_ prompt: PresencePrompt) -> HTML {
    "<input type=\"hidden\" name=\"prompt\" value=\"\(prompt.number)\">"
  }

  private func answer(_ prompt: PresencePrompt, to text: String, isHidden: Bool) -> HTML {
    let label = text.reversed().drop { $0 == " " || $0 == ":" }.reversed()
    let field = Parts.Field(
      label: String(label),
      name: "password",
      type: isHidden ? "password" : "text",
      completion: "off",
      error: prompt.notice(about: .password)?.asSentence,
      hint: isHidden ? "The password that you log in to this computer with." : nil
    )
    // The result of a finger is not an error of this field.
    let finger = prompt.notice(about: .fingerprint).map { Notice.status($0.asSentence) }
    return question(prompt) + parts.said(finger)
      + parts.form("/prompt/answer", [field], "Continue", hidden: hidden(prompt))
  }

  private func touch(_ prompt: PresencePrompt, _ advice: String) -> HTML {
    let password =
      prompt.allowsPassword
      ? parts.button("/prompt/password", "Use the system password", hidden: hidden(prompt)) : ""
    return """
      \(question(prompt))
      \(parts.said(prompt.notice.map { .alert($0.asSentence) }))
      \(sign(advice))
      \(password)

      """
  }

  func loading() -> View {
    View(
      "Please wait",
      Icons.moment,
      isPassing: true,
      body: sign("Waiting for \(backend)…") + parts.button("/cancel", "Cancel", "quiet")
    )
  }

  func error(_ error: AuthError) -> View {
    let suggestion = error.recoverySuggestion
    return View(
      "Something went wrong",
      Icons.warning,
      body: """
        <div class="notice alert" role="alert" tabindex="-1" autofocus>\(error.message.asSentence)\
        </div>
        \(suggestion.map { "<p>\($0.asSentence)</p>" as HTML })
        \(parts.button("/dismiss", "Back", "main"))
        """
    )
  }

  func stranger() -> View {
    View(
      "This page is private",
      Icons.lock,
      body: """
        <p class="lead">Open the address that example-server printed when it started.</p>
        """
    )
  }

  func notFound() -> View {
    View(
      "Page not found",
      Icons.warning,
      body: "<p><a class=\"button\" href=\"/\">Back to the start</a></p>"
    )
  }

  /// The current progress; a screen reader speaks it when the page loads and after each change.
  private func sign(_ text: String) -> HTML {
    "<p class=\"sign\" role=\"status\" tabindex=\"-1\" autofocus>\(text)</p>"
  }
}

extension PresencePrompt {
  /// Identifies the prompt in a form, so that an answer reaches the prompt that it was typed for.
  var number: String { String(id) }

  /// The expected touch, with the finger if only one can match.
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
  /// The text with a capital letter and a full stop.
  var asSentence: String {
    guard let first, let last else { return self }
    return first.uppercased() + dropFirst() + (last.isPunctuation ? "" : ".")
  }
}
