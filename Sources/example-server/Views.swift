import AuthSession

/// The views: HTML made here, without script, for the keyboard and for screen readers.
struct Views {
  let parts: Parts

  init(formToken: String) {
    parts = Parts(formToken: formToken)
  }

  // MARK: Signed out

  func login(_ draft: Draft, _ notice: Notice?) -> View {
    View(
      "Sign in",
      Icons.door,
      body: """
        \(parts.said(notice))
        \(parts.form("/login", [email(draft), password(draft, "current-password")], "Sign in"))
        <p class="lead">New here? <a href="/register">Make an account</a></p>
        """
    )
  }

  func register(_ draft: Draft, _ notice: Notice?) -> View {
    let name = Parts.Field(
      label: "Name",
      name: "name",
      completion: "name",
      value: draft.name,
      isRequired: false,
      hint: "As you would like to be called. You can leave it empty."
    )
    let fields = [name, email(draft), password(draft, "new-password")]
    return View(
      "Make an account",
      Icons.person,
      body: """
        \(parts.said(notice))
        \(parts.form("/register", fields, "Make an account"))
        <p class="lead">You have one? <a href="/">Sign in</a></p>
        """
    )
  }

  private func email(_ draft: Draft) -> Parts.Field {
    Parts.Field(
      label: "E-mail",
      name: "email",
      type: "email",
      completion: "username",
      value: draft.email,
      error: draft.emailError
    )
  }

  private func password(_ draft: Draft, _ completion: String) -> Parts.Field {
    Parts.Field(
      label: "Password",
      name: "password",
      type: "password",
      completion: completion,
      error: draft.passwordError
    )
  }

  // MARK: Signed in

  func profile(_ user: User, isProtected: Bool, _ notice: Notice?) -> View {
    let name = Self.name(of: user)
    let state: HTML =
      isProtected ? "<span class=\"on\">On</span>" : "<span class=\"off\">Off</span>"
    let choices =
      isProtected
      ? parts.button("/lock", "Lock now") + parts.button("/unprotect", "Turn the protection off")
      : parts.button("/protect", "Turn presence protection on")
    let facts: [(name: String, value: HTML)] = [
      ("Name", .isolated(name)),
      ("E-mail", .isolated(user.email ?? "unknown")),
      ("Signed in at", .isolated(user.issuer)),
      ("Presence protection", state),
    ]
    var view = View(
      "Hello, \(name.withoutTurns.shortened())",
      Self.initial(of: name),
      body: """
        \(parts.said(notice))
        \(parts.facts(facts))
        <p><a class="button" href="/inside" autofocus>Open the protected area</a></p>
        \(choices)
        \(parts.button("/logout", "Sign out", "quiet"))
        """
    )
    view.heading = "Hello, \(HTML.isolated(name.shortened()))"
    return view
  }

  func presenceSetup(_ capability: PresenceCapability?, _ notice: Notice?) -> View {
    let ways: HTML =
      switch capability {
      case .fingerprint(let fingers):
        "a finger on the reader (\(fingers.joined(separator: ", "))), or your system password"
      case .passwordOnly(let reason): "your system password (\(reason))"
      case .none(let reason)?: "nothing at the moment (\(reason))"
      case nil: "a finger on the reader, or your system password"
      }
    return View(
      "Protect your login?",
      Icons.finger,
      body: """
        \(parts.said(notice))
        <p>With presence protection this login is used only when you are there.</p>
        <p>What you need on this machine: \(ways).</p>
        \(parts.button("/protect", "Turn it on", "main", hasFocus: true))
        \(parts.button("/later", "Maybe later", "quiet"))
        """
    )
  }

  func inside(_ record: BackendRecord) -> View {
    let facts: [(name: String, value: HTML)] = [
      ("Number", .isolated(record.id ?? "none")),
      ("E-mail", .isolated(record.email ?? "none")),
      ("Name", .isolated(record.name ?? "none")),
      ("Role", .isolated(record.role ?? "none")),
    ]
    return View(
      "Protected area",
      Icons.shield,
      body: """
        <p>This is what the backend keeps of you. It told it to a valid access token.</p>
        \(parts.facts(facts))
        <p><a class="button" href="/" autofocus>Back to your profile</a></p>
        """
    )
  }

  func lock(_ user: User, _ notice: Notice?) -> View {
    View(
      "Locked",
      Icons.lock,
      body: """
        \(parts.said(notice))
        <p class="lead">\(HTML.isolated(Self.name(of: user).shortened(to: 120))) is signed in.</p>
        \(parts.button("/unlock", "Unlock", "main", hasFocus: true))
        \(parts.button("/unprotect", "Turn the protection off"))
        \(parts.button("/logout", "Sign out", "quiet"))
        """
    )
  }

  func offline(_ user: User) -> View {
    View(
      "No connection",
      Icons.cloud,
      body: """
        <p class="notice alert" role="alert">\(HTML.isolated(user.issuer)) cannot be reached at the \
        moment.</p>
        <p>\(HTML.isolated(Self.name(of: user).shortened(to: 120))) is still signed in, and nothing \
        is lost.</p>
        <p><a class="button" href="/inside" autofocus>Try again</a></p>
        \(parts.button("/logout", "Sign out", "quiet"))
        """
    )
  }

  private static func name(of user: User) -> String {
    [user.name, user.email].compactMap(\.self).first { !$0.isEmpty } ?? "you"
  }

  private static func initial(of name: String) -> HTML {
    let initial = name.first { $0.isLetter || $0.isNumber }.map { String($0).uppercased() }
    return initial.map { "<div class=\"icon\" aria-hidden=\"true\">\($0)</div>" } ?? Icons.person
  }
}

/// What `/auth/me` answers, as far as it is shown.
struct BackendRecord: Decodable {
  var id: String?
  var email: String?
  var name: String?
  var role: String?
}

/// What was typed into the form that is shown again; never a password.
struct Draft: Hashable {
  var name = ""
  var email = ""
  var emailError: String?
  var passwordError: String?
  /// Whether it was the form of a new account.
  var isNew = false

  var isWrong: Bool { emailError != nil || passwordError != nil }
}
