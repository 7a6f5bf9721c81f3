import ThumblatchKit

/// The views: HTML without scripts, for the keyboard and for screen readers.
struct Views {
  let parts: Parts
  /// The backend's name for the person.
  let backend: String

  init(formToken: String, backend: String) {
    parts = Parts(formToken: formToken)
    self.backend = backend.split(separator: "/").dropFirst().first.map(String.init) ?? backend
  }

  // MARK: Signed out

  func login(_ draft: Draft, _ notice: Notice?) -> View {
    View(
      "Sign in",
      body: """
        <p class="lead">at \(HTML.isolated(backend))</p>
        \(parts.said(notice))
        \(parts.form("/login", [email(draft), password(draft, "current-password")], "Sign in"))
        <p class="lead">New here? <a href="/register">Create an account</a></p>
        """
    )
  }

  func register(_ draft: Draft, _ notice: Notice?) -> View {
    let name = Parts.Field(
      label: "Name (optional)",
      name: "name",
      completion: "name",
      value: draft.name,
      isRequired: false,
      error: draft.nameError
    )
    let fields = [name, email(draft), password(draft, "new-password")]
    return View(
      "Create an account",
      body: """
        <p class="lead">at \(HTML.isolated(backend))</p>
        \(parts.said(notice))
        \(parts.form("/register", fields, "Create account"))
        <p class="lead">Already have an account? <a href="/?form=login">Sign in</a></p>
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
      ? parts.button("/lock", "Lock now") + parts.button("/unprotect", "Turn off protection")
      : parts.button("/protect", "Turn on presence protection")
    let facts: [(name: String, value: HTML)] = [
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
        <p><a class="button" href="/inside">Open the protected area</a></p>
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
      case .securityKey(let names):
        "a touch of your security key (\(names.joined(separator: ", "))), or your system password"
      case .passwordOnly(let reason): "your system password (\(reason))"
      case .none(let reason)?: "nothing at the moment (\(reason))"
      case nil: "a finger on the reader, or your system password"
      }
    return View(
      "Protect this login?",
      Icons.finger,
      body: """
        \(parts.said(notice))
        <p>With presence protection, this login is used only while you are here.</p>
        <p>To show that on this computer, you use \(ways).</p>
        \(parts.button("/protect", "Turn on protection", "main"))
        \(parts.button("/later", "Not now", "quiet"))
        """
    )
  }

  func inside(_ record: BackendRecord) -> View {
    var facts: [(name: String, value: HTML)] = [
      ("Name", .isolated(record.name ?? "unknown")),
      ("E-mail", .isolated(record.email ?? "unknown")),
    ]
    if let isVerified = record.emailVerified {
      facts.append(("E-mail confirmed", isVerified ? "Yes" : "No"))
    }
    if let role = record.role { facts.append(("Role", .isolated(role))) }
    if let day = record.createdAt.flatMap(Self.day) { facts.append(("Member since", "\(day)")) }
    return View(
      "Protected area",
      Icons.shield,
      body: """
        <p>\(HTML.isolated(backend)) gave this to a valid access token.</p>
        \(parts.facts(facts))
        <p><a class="button" href="/">Back to your profile</a></p>
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
        \(parts.button("/unlock", "Unlock", "main"))
        \(parts.button("/unprotect", "Turn off protection"))
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
        <p>\(HTML.isolated(Self.name(of: user).shortened(to: 120))) is still signed in. Nothing is \
        lost.</p>
        <p><a class="button" href="/inside">Try again</a></p>
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

extension Views {
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
  ]

  /// The day of a time such as `2026-08-21T10:00:00Z`; `nil` if the text is not such a time.
  private static func day(_ time: String) -> String? {
    let parts = time.prefix(10).split(separator: "-").map { Int($0) }
    guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
      months.indices.contains(month - 1), (1...31).contains(day)
    else { return nil }
    return "\(day) \(months[month - 1]) \(year)"
  }
}

/// The shown members of the answer of `/auth/me`.
struct BackendRecord: Decodable {
  enum CodingKeys: String, CodingKey {
    case email
    case name
    case role
    case emailVerified = "email_verified"
    case createdAt = "created_at"
  }

  var email: String?
  var name: String?
  var role: String?
  var emailVerified: Bool?
  var createdAt: String?
}

/// The typed values of a form that is shown again; never a password.
struct Draft: Hashable {
  var name = ""
  var email = ""
  var nameError: String?
  var emailError: String?
  var passwordError: String?
  /// Whether it is the form of a new account.
  var isNew = false

  var isWrong: Bool { nameError != nil || emailError != nil || passwordError != nil }

  /// The same with the backend's errors, each at its field.
  func marked(by error: AuthError) -> Draft {
    var draft = self
    draft.nameError = error.message(about: .name)?.asSentence
    draft.emailError = error.message(about: .email)?.asSentence
    draft.passwordError = error.message(about: .password)?.asSentence
    switch error.kind {
    case .wrongCredentials:
      draft.passwordError = "The e-mail address or the password is wrong."
    case .addressTaken:
      draft.emailError = "This e-mail address already has an account. Sign in, or use another one."
    default: break
    }
    return draft
  }
}
