internal import Configuration
internal import PresenceTerms
internal import System
internal import VaultInterface

/// The facts that the steps of a setup use; read again before each step.
struct SetupFacts {
  let status: VaultStatus
  let reader: VaultReader
  let accounts: [VaultAccount]
  let providers: [ProviderName]
  /// The tools of this user that `setup TOOL` knows, and whether setup wrote files for them.
  let tools: [(tool: Tool, hasRecipe: Bool)]

  /// The accounts that have tokens.
  var signedIn: [VaultAccount] {
    accounts.filter { $0.state != .signedOut && $0.state != .loginRequired }
  }

  /// The accounts that a login can restore.
  ///
  /// A static secret does not come from a login.
  var logins: [VaultAccount] {
    accounts.filter { $0.kind != Provider.Kind.static.rawValue }
  }

  /// The accounts to sign in to: those that need it, or else the first one.
  var toSignIn: [VaultAccount] {
    let dead = logins.filter { $0.state == .loginRequired }
    return dead.isEmpty ? Array(logins.prefix(1)) : dead
  }

  init(_ session: Session) throws(CommandError) {
    status = try session.call(within: Session.localLimit) { _ in GetStatusCall() }
    if let problem = status.problem {
      throw CommandError(.unsafeVault, problem, hint: status.remedy)
    }
    reader = try session.call(within: Session.localLimit) { _ in GetReaderCall() }.reader
    accounts = try StatusVerbs.accounts(session, named: nil)
    tools = Tool.allCases.compactMap { tool in
      guard let directory = try? tool.directory(session.environment),
        (try? Directory(path: directory)) != nil
      else { return nil }
      return (tool, !tool.files(in: directory).isEmpty)
    }
    providers = try ProviderFiles(environment: session.environment).names().map(\.name)
  }
}
