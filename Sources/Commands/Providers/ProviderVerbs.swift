internal import Configuration
internal import JSON
internal import Providers

/// `provider add, list, show, test, apply, remove`: the files, and the engine's facts about them.
enum ProviderVerbs {
  static let all = [add, list, show, test, apply, remove]

  static let name = Verb.Operand("NAME", .one, offers: .providers)

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
        // Removed since the names were read.
        if error.code == .notFound { continue }
        // One bad file must not hide the others; it is reported at the end.
        firstProblem = firstProblem ?? error
        objects.append(.object(["name": .string(name.text), "problem": .string(error.message)]))
        table.add(name.text, "-", "unreadable", source.rawValue)
      }
    }
    if objects.isEmpty && !session.output.json {
      session.output.talk("no providers yet: thumblatch provider add --template lists templates")
      return
    }
    try session.show(["providers": .array(objects)], table.text(columns: session.output.columns))
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
    for (key, value) in ProviderText.shownSettings(of: provider).sorted(by: { $0.key < $1.key }) {
      table.add(key, ProviderText.shown(value, of: key))
    }
    try session.show(
      ["provider": .object(ProviderText.object(provider, source))],
      table.text(columns: nil)
    )
  }

  static let remove = Verb(
    "provider remove",
    [name],
    summary: "remove a provider; accounts that are signed in keep working"
  ) { session throws(CommandError) in
    let files = try ProviderFiles(environment: session.environment)
    let name = try session.providerName(session.arguments.operands[0])
    let certificates = try files.remove(name)
    try session.report(
      ["removed": .string(name.text)],
      "removed provider \(name)" + (certificates.map { " and its certificates, \($0)" } ?? "")
    )
  }
}
