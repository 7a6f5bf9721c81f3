internal import Configuration
internal import JSON
internal import PresenceTerms
internal import VaultClient
internal import VaultInterface

extension ProviderVerbs {
  static let apply = Verb(
    "provider apply",
    [name, Verb.Operand("ACCOUNT", .any, offers: .accounts)],
    summary: "apply an edited provider to accounts that are signed in",
    details: """
      An account keeps the settings of its login, even if the provider's file or the provider \
      changes. This command reads the provider's endpoints, shows the changes, asks for the system \
      password, and binds the current settings to each ACCOUNT, or to all accounts that are signed \
      in there. Their earlier access tokens are dropped.
      """
  ) { session throws(CommandError) in
    let files = try ProviderFiles(environment: session.environment)
    let name = try session.providerName(session.arguments.operands[0])
    let (provider, _) = try files.read(name)
    var applied: [JSONValue] = []
    var unchanged: [JSONValue] = []
    for account in try accounts(session, of: name) {
      let bound = try boundProvider(session, of: account)
      // If its metadata has changed too, the engine's prompt shows that.
      let edits = ProviderText.changes(from: bound.asWritten, to: provider)
      if !edits.isEmpty { try announce(edits, of: name, for: account, session) }
      _ = try session.call(within: Session.remoteLimit, again: .never) { prompt in
        ApplyProviderCall(account: account, provider: VaultProvider(provider), prompt: prompt)
      }
      let now = try boundProvider(session, of: account)
      guard now != bound else {
        unchanged.append(.string(account))
        session.output.talk("\(account) already uses the current settings of \(name)")
        continue
      }
      applied.append([
        "account": .string(account),
        "changes": .array(ProviderText.changes(from: bound, to: now).map { .object($0.object) }),
      ])
      session.output.talk("\(account) now uses the current settings of \(name)")
    }
    if applied.isEmpty && unchanged.isEmpty {
      session.output.talk("no account is signed in at \(name)")
    }
    if session.output.json {
      try session.output.data(["applied": .array(applied), "unchanged": .array(unchanged)])
    }
  }

  /// The accounts to change: those named, or all that are signed in at the provider.
  private static func accounts(
    _ session: Session,
    of provider: ProviderName
  ) throws(CommandError) -> [String] {
    let known = try StatusVerbs.accounts(session, named: nil)
    var named: [String] = []
    for word in session.arguments.operands.dropFirst() {
      let name = try session.accountName(word)
      guard let account = known.first(where: { $0.name == name }) else {
        throw CommandError(.notFound, "no such account: \(name)", hint: "thumblatch account list")
      }
      guard account.provider == provider.text else {
        throw .usage(
          "\(name) signs in at \(account.provider), not at \(provider)",
          hint: "thumblatch login \(name) --provider \(provider)"
        )
      }
      if !named.contains(name) { named.append(name) }
    }
    guard named.isEmpty else { return named }
    return known.filter { $0.provider == provider.text && $0.state != .signedOut }.map(\.name)
  }

  static func boundProvider(
    _ session: Session,
    of account: String
  ) throws(CommandError) -> Provider {
    let reply = try session.call(within: Session.localLimit) { _ in
      AccountProviderCall(account: account)
    }
    return try reply.provider.bound
  }

  /// Shows the changes at the terminal, before the password is asked for there.
  private static func announce(
    _ changes: [ProviderText.Change],
    of provider: ProviderName,
    for account: String,
    _ session: Session
  ) throws(CommandError) {
    _ = try session.terminal(for: "the system password to change the settings of \(account)")
    session.output.say("What changes for \(account) at \(provider):")
    for line in changes.flatMap(\.lines) { session.output.say(line) }
  }
}
