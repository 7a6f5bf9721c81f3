internal import Configuration
internal import JSON
internal import PlainText
internal import VaultClient
internal import VaultInterface

extension ProviderVerbs {
  static let test = Verb(
    "provider test",
    [name],
    summary: "show what a provider offers, over the TLS that is set for it",
    details: """
      No sign-in takes place, and nothing is stored. Shows the endpoints and where they come from, \
      the scopes, the redirect URI to register, the ways to sign in, and warnings. Also tests, \
      without a sign-in, whether the provider refuses the redirect URI, and whether this client \
      can revoke a token.
      """
  ) { session throws(CommandError) in
    let files = try ProviderFiles(environment: session.environment)
    let (provider, _) = try files.read(try session.providerName(session.arguments.operands[0]))
    let seen = try session.call(within: Session.remoteLimit) { _ in
      TestProviderCall(provider: VaultProvider(provider), tries: true)
    }
    try session.show(
      object(seen, of: provider),
      text(seen, of: provider, columns: session.output.columns)
    )
  }

  private static func object(_ seen: TestProviderReply, of provider: Provider) -> JSONObject {
    let endpoints = seen.endpoints.sorted { $0.key < $1.key }
    return [
      "provider": .string(provider.name.text),
      "kind": .string(provider.kind.rawValue),
      "issuer": .string(seen.issuer),
      "discovered": .boolean(seen.discovered),
      "endpoints": .object(JSONObject(endpoints.map { ($0.key, .string($0.value)) })),
      "flows": .array(seen.flows.map { .string($0) }),
      "keys": seen.keys.map { .integer(Int64($0)) } ?? .null,
      "own_certificates": .boolean(provider.certificateAuthority != nil),
      "pins": .integer(Int64(provider.pins.count)),
      "proxy": AccountText.optional(provider.proxy),
      "redirect_uri": AccountText.optional(RedirectText.registered(provider)),
      "scopes_offered": seen.scopes.map { .array($0.map { .string($0) }) } ?? .null,
      "scopes_asked": .array((seen.askedScopes ?? []).map { .string($0) }),
      "insecure": .boolean(provider.issuer.isPlain),
      "warnings": .array(seen.warnings.map { .string($0) }),
    ]
  }

  private static func text(
    _ seen: TestProviderReply,
    of provider: Provider,
    columns: Int?
  ) -> String {
    var table = Table(headings: ["", ""])
    // A shortened address could not be compared with the intended one.
    table.whole = [1]
    table.add("provider", "\(provider.name), \(provider.kind.rawValue)")
    table.add("issuer", seen.issuer)
    table.add("discovery", discovery(seen, of: provider))
    table.add("trust", ProviderText.trust(provider))
    if let proxy = provider.proxy { table.add("proxy", proxy) }
    for (key, url) in seen.endpoints.sorted(by: { $0.key < $1.key }) {
      // Only a URL that the file names is marked; any other was discovered.
      let isWritten = provider.settings[key] != nil
      table.add(key, isWritten && seen.discovered ? "\(url) (from the file)" : url)
    }
    if let keys = seen.keys { table.add("keys for ID tokens", "\(keys)") }
    if let scopes = seen.scopes { table.add("scopes offered", scopes.joined(separator: " ")) }
    if let asked = seen.askedScopes, !asked.isEmpty {
      table.add("scopes asked for", asked.joined(separator: " "))
    }
    if seen.flows.contains("browser"), let redirect = RedirectText.registered(provider) {
      table.add("redirect URI", "\(redirect) (register it there)")
    }
    table.add("ways to sign in", seen.flows.isEmpty ? "none" : seen.flows.joined(separator: ", "))
    var lines = [table.text(columns: columns)]
    let name = provider.name.text
    lines += seen.warnings.map { "warning: \(name) \(PlainText.line($0, limit: 600))" }
    return lines.joined(separator: "\n")
  }

  private static func discovery(_ seen: TestProviderReply, of provider: Provider) -> String {
    if seen.discovered { return "the provider publishes its endpoints" }
    guard let oauth = provider.oauth else { return "none: a password backend has fixed paths" }
    return oauth.discovery == .off ? "off: the file names the endpoints" : "no metadata was found"
  }
}
