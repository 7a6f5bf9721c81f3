internal import Configuration
internal import JSON
internal import PresenceTerms
internal import System
internal import Varlink
internal import VaultClient
internal import VaultInterface

/// `account list, rename, default, remove`.
enum AccountVerbs {
  static let all = [list, rename, setDefault, remove]

  static let list = Verb(
    "account list",
    summary: "list the accounts"
  ) { session throws(CommandError) in
    let accounts = try StatusVerbs.accounts(session, named: nil)
    if accounts.isEmpty && !session.output.json {
      session.output.talk("no accounts yet: thumblatch login NAME --provider P")
      return
    }
    let differing = ProviderComparison.differing(accounts, session)
    let objects = accounts.map {
      JSONValue.object(AccountText.object($0, differs: differing[$0.name]))
    }
    try session.show(
      ["accounts": .array(objects)],
      AccountText.table(
        accounts,
        differing: differing,
        columns: session.output.columns,
        now: WallTime.now.seconds
      )
    )
  }

  static let rename = Verb(
    "account rename",
    [.namedAccount, Verb.Operand("NEW-NAME", .one)],
    options: [.reason],
    summary: "rename an account",
    details: """
      Changes only the name; nothing is encrypted again. If the helpers of other tools use this \
      vault, the account is also renamed in hosts.conf. A protected account needs a presence \
      check, because later prompts show its name.
      """
  ) { session throws(CommandError) in
    let old = try session.accountName(session.arguments.operands[0])
    let new = try session.accountName(session.arguments.operands[1])
    let reply = try warning(ofHostsOf: old, session) { prompt in
      RenameAccountCall(account: old, name: new, prompt: prompt)
    }
    let name = reply.account.name
    let hosts = session.changeHosts(of: old, to: name)
    try session.report(
      [
        "account": .object(AccountText.object(reply.account)), "was": .string(old),
        "hosts": .array(hosts.map { .string($0.text) }),
      ],
      "renamed \(old) to \(name)"
    )
    for host in hosts { session.output.talk("\(host) gets tokens of \(name) from now on") }
  }

  static let setDefault = Verb(
    "account default",
    [.namedAccount],
    summary: "choose the account that is used if none is named",
    details: "Needs a presence check if a protected account would no longer be the default."
  ) { session throws(CommandError) in
    let account = try session.accountName(session.arguments.operands[0])
    let reply = try session.call(within: Session.localLimit) { prompt in
      SetDefaultAccountCall(account: account, prompt: prompt)
    }
    try session.report(
      ["account": .object(AccountText.object(reply.account))],
      "\(reply.account.name) is now the default account"
    )
  }

  static let remove = Verb(
    "account remove",
    [.namedAccount],
    options: [Verb.Option("--local", "do not notify the provider"), AccountEnd.yes, .reason],
    summary: "sign out as logout does, and forget the account",
    details: """
      Asks for confirmation at the terminal if the account is signed in. Removing a protected \
      account needs a presence check, even while it is unlocked. If the helpers of other tools use \
      this vault, the account's hosts are removed from hosts.conf. The audit log keeps the \
      account's name. Exit 12 says that the refresh token stays valid at the provider.
      """
  ) { session throws(CommandError) in
    let name = try session.accountName(session.arguments.operands[0])
    let local = session.arguments.has("--local")
    let account = try StatusVerbs.accounts(session, named: name).first
    try AccountEnd.removal.confirm(account, local: local, session)
    let reply = try warning(ofHostsOf: name, session) { prompt in
      RemoveAccountCall(account: name, local: local, prompt: prompt)
    }
    let hosts = session.changeHosts(of: name, to: nil)
    let ending = AccountEnding(reply, of: name, account, local: local)
    var members = ending.members
    members["removed"] = true
    members["hosts"] = .array(hosts.map { .string($0.text) })
    try session.report(
      members,
      account?.state == .signedOut
        ? "removed \(name): it was not signed in"
        : "Removed \(name) from this vault. \(ending.sentence)"
    )
    for host in hosts { session.output.talk("\(host) no longer gets a token") }
    try ending.check()
  }

  /// Makes a call that renames or removes an account.
  ///
  /// If the answer is lost, it warns of the hosts of the account.
  private static func warning<Method: VarlinkMethod>(
    ofHostsOf account: String,
    _ session: Session,
    _ make: (String?) -> Method
  ) throws(CommandError) -> Method.Reply {
    do throws(CommandError) {
      return try session.call(within: Session.remoteLimit, again: .never, make)
    } catch {
      session.warnOfHosts(of: account, afterDoubt: error)
      throw error
    }
  }
}
