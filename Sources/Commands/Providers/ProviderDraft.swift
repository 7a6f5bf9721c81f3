internal import Configuration
internal import Glibc
internal import SecretMemory
internal import System

/// The arguments of `provider add`, not yet checked as a provider.
struct ProviderDraft {
  /// The template, if one is named.
  let template: ProviderTemplate?
  /// The file of `--ca`, by a path that is valid from any directory.
  let certificateFile: String?
  /// Whether to ask for a client secret.
  let wantsSecret: Bool
  /// The keys that the arguments set.
  var settings: [String: String]

  private let values: [String: String]
  /// Whether `api_hosts` came from `--api-host`, and so adds to the hosts of the template.
  private let addsHosts: Bool

  /// The options for single keys.
  private static let optionKeys = [
    ("--kind", "kind"), ("--issuer", "issuer"), ("--client-id", "client_id"),
    ("--audience", "audience"), ("--redirect-uri", "redirect_uri"), ("--proxy", "proxy"),
  ]
  /// The options that may be repeated, and the separator between their values.
  private static let listKeys = [
    ("--pin", "pins", ";"), ("--api-host", "api_hosts", ";"), ("--scope", "scope", " "),
    ("--resource", "resource", ";"),
  ]

  /// Reads the arguments; one error reports all missing options.
  init(_ arguments: Arguments) throws(CommandError) {
    let template = try Self.template(arguments)
    self.template = template
    certificateFile = try arguments.value("--ca").map(Self.absolute)
    wantsSecret =
      arguments.has("--client-secret") || arguments.has("--client-secret-stdin")
      || template?.needsSecret == true
    settings = try Self.settings(from: arguments)
    addsHosts = !arguments.allValues("--api-host").isEmpty
    var values: [String: String] = [:]
    for placeholder in ProviderTemplate.all.flatMap(\.placeholders) {
      guard let value = arguments.value("--\(placeholder.name)") else { continue }
      guard template?.placeholders.contains(where: { $0.name == placeholder.name }) == true else {
        throw .usage(
          template.map { "the template \($0.name) has no --\(placeholder.name)" }
            ?? "--\(placeholder.name) belongs to a template",
          hint: "thumblatch provider add --template lists what each needs"
        )
      }
      values[placeholder.name] = value
    }
    self.values = values
    try checkNothingIsMissing()
  }

  /// The options that a template needs, as they are typed.
  static func needs(of template: ProviderTemplate) -> [String] {
    template.missing(of: [:]).map { "--\($0.name)" } + ["--client-id"]
      + (template.needsSecret ? ["--client-secret"] : [])
  }

  /// Checks all but the client secret.
  func check(name: ProviderName) throws(CommandError) {
    var secret: SharedSecret?
    if wantsSecret {
      do throws(SecretMemoryError) {
        secret = SharedSecret(try SecretBytes(copying: Array("s".utf8)))
      } catch {
        throw CommandError(.bug, "\(error)")
      }
    }
    _ = try provider(name: name, secret: secret)
  }

  /// The provider of these arguments.
  func provider(name: ProviderName, secret: SharedSecret?) throws(CommandError) -> Provider {
    do throws(ConfigurationError) {
      var all: [String: String] = [:]
      if let template {
        all = try template.settings(
          filledWith: values,
          issuer: settings["issuer"],
          hasSecret: secret != nil
        )
      }
      let ofTemplate = all["api_hosts"]
      all.merge(settings) { $1 }
      if addsHosts, let ofTemplate, let more = all["api_hosts"] {
        all["api_hosts"] = "\(ofTemplate);\(more)"
      }
      if all["kind"] == nil { all["kind"] = Provider.Kind.oidc.rawValue }
      return try Provider(
        name: name,
        settings: all,
        clientSecret: try secret.map(ClientSecret.init)
      )
    } catch {
      throw .usage(option(for: error))
    }
  }

  private func checkNothingIsMissing() throws(CommandError) {
    if let kind = settings["kind"] { try Self.checkKind(kind) }
    if let template {
      if settings["issuer"] != nil {
        let hint = template.placeholders.map { "--\($0.name)" }.joined(separator: " and ")
        guard !template.placeholders.isEmpty else {
          throw .usage("the template \(template.name) sets the issuer: leave --issuer out")
        }
        guard values.isEmpty else { throw .usage("--issuer replaces \(hint): give one of them") }
      }
      let unfilled = settings["issuer"] == nil ? template.missing(of: values) : []
      var missing = unfilled.map { "--\($0.name) (\($0.meaning))" }
      if settings["client_id"] == nil {
        missing.append("--client-id (the ID of your client there)")
      }
      guard !missing.isEmpty else { return }
      let list = missing.joined(separator: " and ")
      throw .usage(
        "the template \(template.name) needs \(list)",
        hint: template.notes.first.map { "at the provider: \($0)" }
      )
    }
    if settings["kind"] == nil, settings["client_id"] == nil {
      throw .usage(
        "--kind is missing",
        hint: "give --template T, --client-id ID (OpenID Connect), or --kind password-backend"
      )
    }
    guard settings["issuer"] != nil else {
      throw .usage("--issuer is missing", hint: "such as --issuer https://id.example.com")
    }
  }

  private static func checkKind(_ kind: String) throws(CommandError) {
    let kinds = Provider.Kind.allCases.map(\.rawValue)
    guard !kinds.contains(kind) else { return }
    throw .usage(
      "no such kind of provider: \(kind)",
      hint: Nearest.match(kind, in: kinds).map { "did you mean: --kind \($0)" }
        ?? "--kind is one of \(kinds.joined(separator: ", "))"
    )
  }

  private static func template(_ arguments: Arguments) throws(CommandError) -> ProviderTemplate? {
    guard let name = arguments.value("--template") else { return nil }
    if let template = ProviderTemplate.named(name) { return template }
    let names = ProviderTemplate.all.map(\.name)
    throw .usage(
      "no such template: \(name)",
      hint: Nearest.match(name, in: names).map { "did you mean: \($0)" }
        ?? "the templates are \(names.joined(separator: ", "))"
    )
  }

  private static func settings(from arguments: Arguments) throws(CommandError) -> [String: String] {
    var settings: [String: String] = [:]
    for (option, key) in optionKeys { settings[key] = arguments.value(option) }
    for (option, key, separator) in listKeys {
      let values = arguments.allValues(option)
      if !values.isEmpty { settings[key] = values.joined(separator: separator) }
    }
    for pair in arguments.allValues("--set") {
      guard let equals = pair.firstIndex(of: "=") else {
        throw .usage("--set needs KEY=VALUE, not \"\(pair)\"")
      }
      let key = String(pair[..<equals])
      // Every user of the machine can see the arguments of a program.
      guard key != ClientSecret.key else {
        throw .usage(
          "other users can see arguments: a client secret cannot be one",
          hint: "--client-secret asks for it; --client-secret-stdin reads it from standard input"
        )
      }
      guard key != "ca" else {
        throw .usage("--set cannot set the certificates", hint: "use --ca FILE")
      }
      guard settings[key] == nil else { throw .usage("the key \(key) is set twice") }
      settings[key] = String(pair[pair.index(after: equals)...])
    }
    return settings
  }

  /// A configuration error, with the option that it came from.
  private func option(for error: ConfigurationError) -> String {
    guard let key = error.key else { return "\(error)" }
    var options = Dictionary(uniqueKeysWithValues: Self.optionKeys.map { ($0.1, $0.0) })
    for (option, key, _) in Self.listKeys { options[key] = option }
    options["ca"] = "--ca"
    options[ClientSecret.key] = "--client-secret"
    for placeholder in template?.placeholders ?? [] {
      options[placeholder.name] = "--\(placeholder.name)"
    }
    let separator = error.problem == .missingKey ? " " : ": "
    let option = options[key] ?? "--set \(ConfigurationError.shown(key))"
    return option + separator + "\(ConfigurationError(error.problem))"
  }

  /// A path that is valid from any directory (realpath(3)).
  private static func absolute(_ path: String) throws(CommandError) -> String {
    guard let resolved = unsafe realpath(path, nil) else {
      throw .usage("\(SystemError("open", code: errno, subject: path))")
    }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
