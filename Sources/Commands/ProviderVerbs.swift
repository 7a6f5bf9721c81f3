internal import Configuration
internal import Glibc
internal import JSON
internal import System

/// `provider add, list, show, remove`: files, without an engine.
enum ProviderVerbs {
  static let all = [add, list, show, remove]

  private static let name = Verb.Operand(name: "NAME", count: .one)

  static let add = Verb(
    "provider add",
    [name],
    options: [
      Verb.Option("--kind", "KIND", "what it speaks: password-backend"),
      Verb.Option("--issuer", "URL", "where it is: https, or http on this machine"),
      Verb.Option("--client-id", "ID", "the client id it knows this program by"),
      Verb.Option("--ca", "FILE", "certificates (PEM) to trust instead of the system's"),
      Verb.Option("--pin", "sha256//...", repeats: true, "a public key that its TLS must use"),
      Verb.Option("--proxy", "URL", "the proxy to use; those of the environment are ignored"),
      Verb.Option(
        "--api-host",
        "HOST",
        repeats: true,
        "a host besides the issuer's that `request` may send the access token to"
      ),
      Verb.Option(
        "--set",
        "KEY=VALUE",
        repeats: true,
        "any other key of a provider file, such as login_path or refresh_token_field"
      ),
    ],
    summary: "say where accounts sign in",
    details: """
      Writes NAME.conf into ~/.config/thumblatch/providers.d. Accounts that have signed in keep the \
      provider as it was at their login.
      """
  ) { session throws(CommandError) in
    let files = try ProviderFiles(environment: session.environment)
    let name = try session.providerName(session.arguments.operands[0])
    let path = try session.arguments.value("--ca").map(absolute)
    var settings = try settings(from: session.arguments)
    if let path {
      let certificates = try files.contents(of: path) ?? []
      settings["ca"] = String(decoding: certificates, as: UTF8.self)
    }
    let provider: Provider
    do throws(ConfigurationError) { provider = try Provider(name: name, settings: settings) } catch
    {
      throw CommandError(.usage, option(for: error))
    }
    try files.add(provider, certificateFile: path)
    try session.report(
      ["provider": .object(object(provider, .user))],
      "added provider \(name), \(provider.issuer)"
    )
  }

  static let list = Verb(
    "provider list",
    summary: "list the providers"
  ) { session throws(CommandError) in
    let files = try ProviderFiles(environment: session.environment)
    var objects: [JSONValue] = []
    var table = Table(headings: ["provider", "kind", "issuer", "from"])
    var firstProblem: CommandError?
    for (name, source) in try files.names() {
      do throws(CommandError) {
        let (provider, _) = try files.read(name)
        objects.append(
          .object([
            "name": .string(name.text), "kind": .string(provider.kind.rawValue),
            "issuer": .string(provider.issuer.text), "source": .string(source.rawValue),
          ])
        )
        table.add(name.text, provider.kind.rawValue, provider.issuer.text, source.rawValue)
      } catch {
        // Removed meanwhile.
        if error.code == .notFound { continue }
        // One bad file must not hide the others; it is told at the end.
        firstProblem = firstProblem ?? error
        objects.append(.object(["name": .string(name.text), "problem": .string(error.message)]))
        table.add(name.text, "-", "unreadable", source.rawValue)
      }
    }
    if objects.isEmpty && !session.output.json {
      session.output.talk("no providers yet: thumblatch provider add NAME --issuer URL ...")
      return
    }
    try session.show(
      ["providers": .array(objects)],
      table.text(columns: session.output.columns)
    )
    if let firstProblem, !session.output.json { throw firstProblem }
  }

  static let show = Verb(
    "provider show",
    [name],
    summary: "show all settings of a provider"
  ) { session throws(CommandError) in
    let files = try ProviderFiles(environment: session.environment)
    let name = try session.providerName(session.arguments.operands[0])
    let (provider, source) = try files.read(name)
    var table = Table(headings: ["", ""])
    table.add("name", name.text)
    table.add("from", source.rawValue)
    for (key, value) in provider.settings.sorted(by: { $0.key < $1.key }) {
      table.add(key, key == "ca" ? "\(value.utf8.count) bytes of certificates" : value)
    }
    try session.show(["provider": .object(object(provider, source))], table.text(columns: nil))
  }

  static let remove = Verb(
    "provider remove",
    [name],
    summary: "remove a provider; accounts that have signed in keep working"
  ) { session throws(CommandError) in
    let files = try ProviderFiles(environment: session.environment)
    let name = try session.providerName(session.arguments.operands[0])
    try files.remove(name)
    try session.report(["removed": .string(name.text)], "removed provider \(name)")
  }

  private static func settings(
    from arguments: Arguments
  ) throws(CommandError) -> [String: String] {
    var settings: [String: String] = [:]
    for (option, key) in optionKeys { settings[key] = arguments.value(option) }
    let pins = arguments.allValues("--pin")
    if !pins.isEmpty { settings["pins"] = pins.joined(separator: ";") }
    let hosts = arguments.allValues("--api-host")
    if !hosts.isEmpty { settings["api_hosts"] = hosts.joined(separator: ";") }
    for pair in arguments.allValues("--set") {
      guard let equals = pair.firstIndex(of: "=") else {
        throw CommandError(.usage, "--set needs KEY=VALUE, not \"\(pair)\"")
      }
      let key = String(pair[..<equals])
      guard settings[key] == nil && key != "ca" else {
        throw CommandError(.usage, "the key \(key) is set twice", hint: "certificates: --ca FILE")
      }
      settings[key] = String(pair[pair.index(after: equals)...])
    }
    guard settings["kind"] != nil else {
      throw CommandError(.usage, "--kind is missing", hint: "--kind password-backend")
    }
    guard settings["issuer"] != nil else {
      throw CommandError(.usage, "--issuer is missing", hint: "--issuer https://...")
    }
    return settings
  }

  private static let optionKeys = [
    ("--kind", "kind"), ("--issuer", "issuer"), ("--client-id", "client_id"),
    ("--proxy", "proxy"),
  ]

  /// A configuration error, told in terms of the option that it came from.
  private static func option(for error: ConfigurationError) -> String {
    let options = Dictionary(uniqueKeysWithValues: optionKeys.map { ($0.1, $0.0) })
      .merging(["ca": "--ca", "pins": "--pin", "api_hosts": "--api-host"]) { old, _ in old }
    guard let key = error.key else { return "\(error)" }
    let plain = ConfigurationError(error.problem)
    return "\(options[key] ?? "--set \(ConfigurationError.shown(key))"): \(plain)"
  }

  /// A path that stays right when the program runs elsewhere (realpath(3)).
  private static func absolute(_ path: String) throws(CommandError) -> String {
    guard let resolved = unsafe realpath(path, nil) else {
      throw CommandError(.usage, "\(SystemError("open", code: errno, subject: path))")
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  private static func object(_ provider: Provider, _ source: ProviderFiles.Source) -> JSONObject {
    let settings = provider.settings.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    return [
      "name": .string(provider.name.text),
      "source": .string(source.rawValue),
      "settings": .object(JSONObject(settings.map { ($0.0, .string($0.1)) })),
    ]
  }
}
