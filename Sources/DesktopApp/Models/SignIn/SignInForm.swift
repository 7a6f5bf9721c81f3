internal import Configuration
internal import GTK
internal import SecretMemory

/// A field of a form, with what is typed there at first.
struct SignInField: Sendable {
  /// The setting of the provider, or `account`, `email`, `name`, `password`, `repeated`.
  let key: String
  let title: String
  var text = ""
  var isSecret = false
  var isOptional = false
}

/// What is wrong with which field; under the empty key, what concerns no field.
struct SignInProblems: Error {
  var fields: [String: String]

  init(_ key: String?, _ text: String) {
    fields = [key ?? "": text]
  }

  init(_ problems: [(String, String)]) {
    fields = Dictionary(problems) { first, _ in first }
  }
}

/// What a person typed into a form.
struct SignInAnswers: Sendable {
  var texts: [String: String] = [:]
  var secrets: [String: SharedSecret] = [:]
}

/// The fields in which a person says where, and under which name, they sign in.
struct SignInForm: Sendable {
  private static let addressStart = "https://"

  /// Where the settings of the provider come from.
  enum Source: Sendable {
    /// A file of the machine or of the person.
    case installed(Provider)
    case template(ProviderTemplate)
    /// The address of a provider of this kind.
    case address(Provider.Kind)
    /// That of an account, which signs in again.
    case account(String, Provider)
  }

  let source: Source
  let title: String
  /// What a person has to do at the provider first.
  let notes: [String]
  let fields: [SignInField]
  /// Whether the person is a new user there.
  let isRegistration: Bool

  /// Makes the form of a source, with what was typed into an earlier one.
  init(_ source: Source, _ texts: [String: String], isRegistration: Bool = false) {
    self.source = source
    self.isRegistration = isRegistration
    var fields: [SignInField] = []
    switch source {
    case .installed(let provider):
      title =
        isRegistration
        ? tr("Register at %s", provider.name.text) : tr("Sign In at %s", provider.name.text)
      notes = []
    case .template(let template):
      let words = TemplateWords(of: template)
      (title, notes) = (words.title, words.notes)
      fields = template.placeholders.map { placeholder in
        SignInField(
          key: placeholder.name,
          title: words.field(placeholder),
          text: placeholder.standard ?? ""
        )
      }
      fields += Self.client(needsSecret: template.needsSecret)
    case .address(let kind):
      switch (kind.isOAuth, isRegistration) {
      // Not translated: a name.
      case (true, _): title = "OpenID Connect"
      case (false, true): title = tr("Register with E-Mail and Password")
      case (false, false): title = tr("E-Mail and Password")
      }
      notes =
        kind.isOAuth ? [tr("Register a client there that redirects to this computer.")] : []
      fields = [
        SignInField(key: "issuer", title: tr("Address of the provider"), text: Self.addressStart)
      ]
      if kind.isOAuth { fields += Self.client(needsSecret: false) }
    case .account(let name, let provider):
      title = tr("Sign In to “%s”", name)
      notes = [tr("The account is at %s.", provider.name.text)]
    }
    if source.account == nil {
      let isNamed = if case .address = source { false } else { true }
      fields.append(
        SignInField(key: "account", title: tr("Name of the account here"), isOptional: !isNamed)
      )
    }
    if source.kind == .passwordBackend { fields += Self.person(isNew: isRegistration) }
    self.fields = fields.map { field in
      var field = field
      if let text = texts[field.key] { field.text = text }
      return field
    }
  }

  private static func person(isNew: Bool) -> [SignInField] {
    var fields = [SignInField(key: "email", title: tr("E-mail"))]
    if isNew {
      fields.append(SignInField(key: "name", title: tr("Your name"), isOptional: true))
    }
    fields.append(SignInField(key: "password", title: tr("Password"), isSecret: true))
    if isNew {
      fields.append(SignInField(key: "repeated", title: tr("Password again"), isSecret: true))
    }
    return fields
  }

  private static func client(needsSecret: Bool) -> [SignInField] {
    [
      SignInField(key: "client_id", title: tr("Client ID")),
      SignInField(
        key: ClientSecret.key,
        title: tr("Client secret"),
        isSecret: true,
        isOptional: !needsSecret
      ),
    ]
  }

  /// Whether e-mail and password are typed here.
  var takesPassword: Bool { source.kind == .passwordBackend }

  /// Whether the provider may give a code for another device.
  var mayGiveCodes: Bool {
    switch source {
    case .installed(let provider), .account(_, let provider): provider.mayGiveCodes
    case .template, .address: !takesPassword
    }
  }

  /// Whether the settings come from the person, so that they are kept for later sign-ins.
  var isNew: Bool {
    switch source {
    case .installed, .account: false
    case .template, .address: true
    }
  }

  // MARK: Checking

  /// Checks what was typed.
  ///
  /// - Parameters:
  ///   - answers: what was typed, by the keys of the fields.
  ///   - providers: the names of the providers that there are.
  /// - Throws: what is wrong with which field.
  /// - Returns: the account and its provider.
  func check(
    _ answers: SignInAnswers,
    besides providers: Set<ProviderName>
  ) throws(SignInProblems) -> (account: String, provider: Provider) {
    let missing = fields.filter { field in
      guard !field.isOptional else { return false }
      // The beginning of an address that the form offers is no answer.
      return field.isSecret
        ? answers.secrets[field.key] == nil
        : ["", Self.addressStart].contains(answers.texts[field.key] ?? "")
    }
    guard missing.isEmpty else {
      throw SignInProblems(missing.map { ($0.key, tr("This is missing.")) })
    }
    if isRegistration, let password = answers.secrets["password"],
      let repeated = answers.secrets["repeated"],
      !SecretBytes.constantTimeEqual(password.bytes, repeated.bytes)
    {
      throw SignInProblems("repeated", tr("The two passwords differ."))
    }
    do throws(ConfigurationError) {
      let provider = try provider(answers, besides: providers)
      let name = source.account ?? answers.texts["account"] ?? ""
      return (try AccountName(name.isEmpty ? provider.name.text : name).text, provider)
    } catch {
      throw problems(of: error)
    }
  }

  /// How the person proves who they are, by what was typed.
  func way(_ answers: SignInAnswers, at provider: Provider, byCode: Bool) -> SignInRequest.Way {
    guard let password = answers.secrets["password"], let email = answers.texts["email"] else {
      return byCode || !provider.hasPage ? .code : .browser
    }
    guard isRegistration else { return .password(password, email: email) }
    let name = answers.texts["name"] ?? ""
    return .registration(password, email: email, name: name.isEmpty ? nil : name)
  }

  private func problems(of error: ConfigurationError) -> SignInProblems {
    if case .badName(what: "account", text: _) = error.problem {
      return SignInProblems("account", Trouble(english: "\(error)").text)
    }
    guard let key = error.key, fields.contains(where: { $0.key == key }) else {
      return SignInProblems(nil, Trouble(english: "\(error)").text)
    }
    let clause = ErrorWords.clause("\(ConfigurationError(error.problem))")
    return SignInProblems(key, Trouble(tr("this %s", clause)).text)
  }

  private func provider(
    _ answers: SignInAnswers,
    besides providers: Set<ProviderName>
  ) throws(ConfigurationError) -> Provider {
    let secret = answers.secrets[ClientSecret.key]
    var settings: [String: String]
    let wanted: ProviderName
    switch source {
    case .installed(let provider), .account(_, let provider): return provider
    case .template(let template):
      settings = try template.settings(filledWith: answers.texts, hasSecret: secret != nil)
      wanted = try ProviderName(template.name)
    case .address(let kind):
      settings = ["kind": kind.rawValue]
      settings["issuer"] = answers.texts["issuer"]
      wanted = try Self.name(of: answers.texts["issuer"] ?? "")
    }
    settings["client_id"] = answers.texts["client_id"]
    return try Provider(
      name: try ProviderName(
        FreeName.near(wanted.text) { text in providers.contains { $0.text == text } }
      ),
      settings: settings,
      clientSecret: try secret.map { secret throws(ConfigurationError) in
        try ClientSecret(secret)
      }
    )
  }

  private static func name(of address: String) throws(ConfigurationError) -> ProviderName {
    do throws(ConfigurationError) {
      return try ProviderName(of: try Issuer(address))
    } catch {
      throw ConfigurationError(error.problem, key: "issuer")
    }
  }
}

extension SignInForm.Source {
  /// The account that signs in again; `nil` for a new one.
  var account: String? { if case .account(let name, _) = self { name } else { nil } }

  /// The kind of the provider; `nil` if the template says it.
  fileprivate var kind: Provider.Kind? {
    switch self {
    case .installed(let provider), .account(_, let provider): provider.kind
    case .template: nil
    case .address(let kind): kind
    }
  }
}

extension Provider {
  /// Whether it has a page that sends a browser back.
  var hasPage: Bool {
    endpoint(OAuthEndpoint.authorization) != nil || oauth?.discovery == .auto
  }

  /// Whether it may give a code for another device.
  var mayGiveCodes: Bool {
    endpoint(OAuthEndpoint.deviceAuthorization) != nil || oauth?.discovery == .auto
  }
}
