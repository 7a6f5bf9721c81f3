internal import Configuration
internal import Glibc
internal import JSON
internal import PlainText
internal import Providers
internal import SecretMemory
internal import System

extension ProviderVerbs {
  static let add = Verb(
    "provider add",
    [Verb.Operand("NAME", .optional)],
    options: [
      Verb.Option(
        "--template",
        "[T]",
        mayStandAlone: true,
        offers: .words(ProviderTemplate.all.map(\.name)),
        "use the settings of a well-known provider; without T, list them"
      ),
      Verb.Option(
        "--kind",
        "KIND",
        offers: .words(Provider.Kind.allCases.map(\.rawValue)),
        "the protocol: oidc, oauth2 or password-backend; static for a host without a login"
      ),
      Verb.Option("--issuer", "URL", "the provider's URL: https, or http on this machine"),
      Verb.Option("--client-id", "ID", "the ID of your client at the provider"),
      Verb.Option("--client-secret", "ask for the client secret, if the provider requires one"),
      Verb.Option("--client-secret-stdin", "read the client secret from a line of standard input"),
    ] + placeholders + [
      Verb.Option("--scope", "SCOPES", repeats: true, "the scopes to request at a login"),
      Verb.Option(
        "--audience",
        "NAME",
        "the recipient of access tokens, if the provider requires it"
      ),
      Verb.Option("--resource", "URI", repeats: true, "the recipient of access tokens (RFC 8707)"),
      Verb.Option(
        "--redirect-uri",
        "URL",
        "the address on this machine that the browser returns to"
      ),
      Verb.Option(
        "--ca",
        "FILE",
        offers: .files,
        "trust these certificates (PEM) instead of the system's"
      ),
      Verb.Option(
        "--pin",
        "sha256//...",
        repeats: true,
        "a public key that the provider's TLS must use"
      ),
      Verb.Option("--proxy", "URL", "the proxy to use; proxies in the environment are ignored"),
      Verb.Option(
        "--api-host",
        "HOST",
        repeats: true,
        "another host to which thumblatch request may send the access token"
      ),
      Verb.Option(
        "--set",
        "KEY=VALUE",
        repeats: true,
        "any other key of a provider file, such as token_endpoint or refresh_token_field"
      ),
    ],
    summary: "add a provider, where accounts sign in",
    details: """
      Writes NAME.conf into ~/.config/thumblatch/providers.d. Accounts that are signed in keep the \
      settings of their login until you run provider apply.
      The kind is the template's, or oidc if a client ID is given. The scopes replace those of the \
      template; oidc needs openid among them. --api-host adds to the template's hosts. The \
      endpoints of an oidc or oauth2 provider are discovered, unless discovery = off is set.
      """
  ) { session throws(CommandError) in
    guard session.arguments.value("--template") != nil || !session.arguments.has("--template")
    else { return try listTemplates(session) }
    guard let word = session.arguments.operands.first else {
      throw .usage(
        "NAME is missing",
        hint: "usage: thumblatch provider add NAME [options]; --template without a name lists the"
          + " templates"
      )
    }
    let files = try ProviderFiles(environment: session.environment)
    let name = try session.providerName(word)
    try files.refuseExisting(name)
    var draft = try ProviderDraft(session.arguments)
    if let path = draft.certificateFile {
      let certificates = try files.contents(of: path) ?? []
      draft.settings["ca"] = String(decoding: certificates, as: UTF8.self)
    }
    // Check all other options first, so that a secret is not typed in vain.
    try draft.check(name: name)
    let secret = draft.wantsSecret ? try session.clientSecret() : nil
    let provider = try draft.provider(name: name, secret: secret)
    try files.add(provider, certificateFile: draft.certificateFile)
    try session.report(
      [
        "provider": .object(ProviderText.object(provider, .user)),
        "redirect_uri": AccountText.optional(RedirectText.registered(provider)),
        "insecure": .boolean(provider.issuer.isPlain),
      ],
      "added provider \(name), \(provider.issuer)"
    )
    if provider.issuer.isPlain {
      session.output.talk("warning: insecure: \(ProviderText.insecure)")
    }
    let notes = notes(of: draft.template, provider)
    for note in notes where !session.isGuided { session.output.talk("at the provider: \(note)") }
    let uri = RedirectText.registered(provider)
    let isNamed = uri.map { uri in notes.contains { $0.contains(uri) } } ?? false
    for line in RedirectText.toRegister(provider, isNamed: isNamed) { session.output.talk(line) }
    let needsLook = provider.kind != .passwordBackend
    if needsLook { session.output.talk("to see what it offers: thumblatch provider test \(name)") }
  }

  /// The notes of a template, with the provider's own redirect URI.
  private static func notes(of template: ProviderTemplate?, _ provider: Provider) -> [String] {
    guard let template else { return [] }
    let uri = RedirectText.registered(provider) ?? template.redirectURI
    return template.notes.map { $0.replacing(template.redirectURI, with: uri) }
  }

  /// An option for each placeholder of the templates.
  private static let placeholders: [Verb.Option] = {
    var options: [Verb.Option] = []
    var meanings: [String: [String]] = [:]
    let all = ProviderTemplate.all.flatMap { template in
      template.placeholders.map { (template.name, $0) }
    }
    for (template, placeholder) in all {
      meanings[placeholder.name, default: []].append("\(template): \(placeholder.meaning)")
    }
    for (_, placeholder) in all
    where !options.contains(where: { $0.name == "--\(placeholder.name)" }) {
      let help = (meanings[placeholder.name] ?? []).joined(separator: "; ")
      options.append(Verb.Option("--\(placeholder.name)", placeholder.name.uppercased(), help))
    }
    return options
  }()

  private static func listTemplates(_ session: Session) throws(CommandError) {
    let objects = ProviderTemplate.all.map { template in
      JSONValue.object([
        "name": .string(template.name), "title": .string(template.title),
        "needs": .array(ProviderDraft.needs(of: template).map { .string($0) }),
        "optional": .array(
          template.placeholders.filter { $0.standard != nil }.map { .string("--\($0.name)") }
        ),
        "notes": .array(template.notes.map { .string($0) }),
      ])
    }
    var table = Table(headings: ["template", "is", "needs"])
    table.whole = [0, 2]
    for template in ProviderTemplate.all {
      let needs = ProviderDraft.needs(of: template).joined(separator: " ")
      table.add(template.name, template.title, needs)
    }
    let columns = session.output.columns
    var lines = [table.text(columns: columns)]
    for template in ProviderTemplate.all {
      lines += ["", "\(template.name):"]
      for note in template.notes {
        lines += PlainText.wrapped(note, columns: (columns ?? 100) - 2).map { "  " + $0 }
      }
    }
    try session.show(["templates": .array(objects)], lines.joined(separator: "\n"))
  }
}
