internal import Configuration
internal import JSON

/// `host add, list, remove`: which host gets which account's token.
enum HostVerbs {
  static let all = [add, list, remove]

  private static let host = Verb.Operand("HOST", .one)
  private static let username = Verb.Option(
    "--username",
    "NAME",
    "the user name to send with the token, for servers that expect a password"
  )
  private static let minimumLifetime = Verb.Option(
    "--min-ttl",
    "DURATION",
    "how long the token must stay valid; 10s by default"
  )

  static let add = Verb(
    "host add",
    [host, .namedAccount],
    options: [TokenVerbs.scope, TokenVerbs.audience, minimumLifetime, username],
    summary: "let a host get an account's token through git, docker and other tools",
    details: """
      The helpers for other tools give a token only to hosts in hosts.conf, because an untrusted \
      project can make a tool ask for any host. HOST is a name with its port, unless that is 443. \
      It is compared exactly, and patterns are not supported. http://localhost:PORT is for a \
      server on this machine without TLS.
      """
  ) { session throws(CommandError) in
    let arguments = session.arguments
    let host = try session.tokenHost(arguments.operands[0])
    let account = try session.accountName(arguments.operands[1])
    var settings = [(key: "account", value: account)]
    for option in [TokenVerbs.scope, TokenVerbs.audience, minimumLifetime, username] {
      guard let value = arguments.value(option.name) else { continue }
      settings.append((key: String(option.name.dropFirst(2)), value: value))
    }
    let hosts = try HostAccounts(environment: session.environment)
    try hosts.demandPossible(host, settings: settings)
    var isMissing = false
    do throws(CommandError) { try session.demandAllowed(host, of: account) } catch {
      // The account may come later. The helpers check it again.
      guard [.notFound, .unavailable].contains(error.code) else { throw error }
      isMissing = error.code == .notFound
    }
    try hosts.add(host, settings: settings)
    try session.report(
      ["host": .string(host.text), "account": .string(account)],
      "\(host) gets tokens of \(account) from now on"
    )
    guard isMissing, !session.output.json else { return }
    session.output.talk(
      "note: there is no account \(account) yet; to sign in: thumblatch login \(account)"
    )
  }

  static let list = Verb(
    "host list",
    summary: "list the hosts that get a token"
  ) { session throws(CommandError) in
    let entries = try HostAccounts(environment: session.environment).read().entries
    if entries.isEmpty && !session.output.json {
      session.output.talk("no hosts yet: thumblatch host add HOST ACCOUNT")
      return
    }
    var table = Table(headings: ["host", "account", "scope", "audience", "username"])
    for entry in entries {
      table.add(
        entry.host.text,
        entry.account.text,
        entry.scope ?? "-",
        entry.audience ?? "-",
        entry.username ?? "-"
      )
    }
    try session.show(
      ["hosts": .array(entries.map { .object(object($0)) })],
      table.text(columns: session.output.columns)
    )
  }

  static let remove = Verb(
    "host remove",
    [host],
    summary: "stop giving tokens to a host"
  ) { session throws(CommandError) in
    let host = try session.tokenHost(session.arguments.operands[0])
    try HostAccounts(environment: session.environment).remove(host)
    try session.report(["removed": .string(host.text)], "\(host) no longer gets a token")
  }

  private static func object(_ entry: HostAccount) -> JSONObject {
    [
      "host": .string(entry.host.text),
      "account": .string(entry.account.text),
      "scope": AccountText.optional(entry.scope),
      "audience": AccountText.optional(entry.audience),
      "min_ttl": entry.minimumLifetime.map { .integer(Int64($0)) } ?? .null,
      "username": AccountText.optional(entry.username),
    ]
  }
}

extension Session {
  /// The host that a word names.
  func tokenHost(_ word: String) throws(CommandError) -> TokenHost {
    do throws(ConfigurationError) { return try TokenHost(word) } catch {
      throw .usage("HOST \(error)")
    }
  }
}
