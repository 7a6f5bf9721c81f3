internal import Configuration
internal import PresenceTerms
internal import System
internal import ToolProtocols
internal import VaultClient
internal import VaultInterface

/// The verbs that other tools call for a token, each in the tool's own protocol.
enum ToolVerbs {
  static let all = [
    GitVerb.verb, DockerVerb.verb, KubeVerb.verb, CargoVerb.verb, BazelVerb.verb,
    TerraformVerb.verb,
  ]

  /// The verbs of the names by which the program is installed as well.
  private static let names = [
    "git-credential-thumblatch": GitVerb.verb,
    "docker-credential-thumblatch": DockerVerb.verb,
    "cargo-credential-thumblatch": CargoVerb.verb,
    "bazel-credential-thumblatch": BazelVerb.verb,
    "terraform-credentials-thumblatch": TerraformVerb.verb,
  ]

  /// The words of the verb for a program's name; none for any other name.
  static func words(calledAs path: String) -> [String] {
    names[path.split(separator: "/").last.map(String.init) ?? ""]?.words ?? []
  }
}

extension CommandError {
  /// The error of words that are no call of a verb, as the tool that runs the verb expects it.
  func beforeVerb(_ words: [String], _ output: Output) -> CommandError {
    guard words.first == DockerVerb.verb.words.first, !isSaid else { return self }
    return DockerVerb.said(self, output)
  }
}

extension Session {
  /// The entry of `hosts.conf` for the host that a tool wants to reach; `nil` if the user did not
  /// name it.
  func hostAccount(_ host: TokenHost?) throws(CommandError) -> HostAccount? {
    guard let host else { return nil }
    return try HostAccounts(environment: environment).read()[host]
  }

  /// The entry of `hosts.conf` for a tool's request; `nil` if the user did not name its host.
  func hostAccount(of query: ToolQuery) throws(CommandError) -> HostAccount? {
    guard query.hasHost else { return nil }
    return query.entry(in: try HostAccounts(environment: environment).read())
  }

  /// Answers a tool with the token of a host that may have it.
  ///
  /// The prompt names the tool as the stated reason.
  func answer(
    _ query: ToolQuery,
    for entry: HostAccount
  ) throws(CommandError) -> [UInt8] {
    do throws(CommandError) {
      try demandAllowed(entry.host, of: entry.account.text)
      let token = try toolToken(of: entry.account.text) { prompt in
        AccessTokenCall(
          account: entry.account.text,
          minimumLifetime: entry.minimumLifetime,
          prompt: prompt,
          scope: entry.scope,
          audience: entry.audience,
          reason: query.reason(for: entry)
        )
      }
      return query.answer(token, for: entry)
    } catch {
      guard error.code == .notFound else { throw error }
      throw CommandError(
        .notFound,
        error.message,
        hint: "hosts.conf still names this account for \(entry.host); to remove the host:"
          + " thumblatch host remove \(entry.host)"
      )
    }
  }

  /// The same; `nil` if the account has no login and keeps no secret now.
  func answerIfKept(
    _ query: ToolQuery,
    for entry: HostAccount
  ) throws(CommandError) -> [UInt8]? {
    do throws(CommandError) { return try answer(query, for: entry) } catch {
      // An expired secret is still kept, and is an error.
      guard error.code == .loginRequired,
        let known = try? SignInVerbs.knownAccount(self, entry.account.text), known.isStatic,
        known.state == .signedOut
      else { throw error }
      return nil
    }
  }

  /// Gets the token of an account, with advice that helps where there is no terminal.
  func toolToken(
    of account: String,
    _ make: (String?) -> AccessTokenCall
  ) throws(CommandError) -> ToolToken {
    do throws(CommandError) {
      // Most calls of tools are for a valid token. To look for the desktop takes longer than such a
      // call.
      let found = arguments.isForTool ? try tokenAtHand(make(nil)) : nil
      let reply = if let found { found } else { try accessToken(make) }
      TokenVerbs.tellOfMissing(reply, self)
      try AuthorizationText.demandLine(reply.accessToken, of: account)
      return ToolToken(reply.accessToken, expiresAt: reply.expiresAt.map(Int64.init))
    } catch {
      throw error.forTool(account)
    }
  }

  /// Gets a token for which no person is needed; `nil` if only a presence check could give one.
  func tokenAtHand(_ call: AccessTokenCall) throws(CommandError) -> AccessTokenReply? {
    var call = call
    call.ask = false
    let reply: AccessTokenReply
    do throws(VaultClientError) {
      reply = try callWithoutPrompt(call, within: Session.remoteLimit, again: .always)
    } catch {
      if case .refused(.presenceNeeded) = error { return nil }
      throw CommandError(error, .always)
    }
    return try usable(reply)
  }

  /// The vault's answer about a token that a host refused.
  enum Rejected {
    /// It is the secret of an account without login, which has no newer one.
    case isStatic
    /// Only a presence check could show that.
    case isLocked
    case other
  }

  /// Has the vault drop the token of a host that refused it, without a prompt.
  ///
  /// Without a presence check there may be no newer token yet; then the next call makes the check.
  @discardableResult
  func rejectToken(_ token: String, for entry: HostAccount) -> Rejected {
    rejectToken(token, for: entry.account.text, scope: entry.scope, audience: entry.audience)
  }

  /// The same for an account that may have no host.
  func rejectToken(
    _ token: String,
    for account: String,
    scope: String?,
    audience: String?
  ) -> Rejected {
    let call = AccessTokenCall(
      account: account,
      rejected: token,
      scope: scope,
      audience: audience,
      ask: false
    )
    do throws(VaultClientError) {
      _ = try callWithoutPrompt(call, within: Session.remoteLimit, again: .always)
      return .other
    } catch {
      switch error {
      case .refused(.loginRequired(_, CommandError.refusedSecret)): return .isStatic
      case .refused(.presenceNeeded): return .isLocked
      default: return .other
      }
    }
  }
}

extension CommandError {
  /// The error for a request of a tool that is not understood.
  init(_ error: ToolRequestError) {
    self.init(.usage, error.description)
  }

  /// The error after an answer that has said all of it in the tool's protocol.
  static func answered(_ code: ExitCode) -> Self {
    CommandError(code, "", isSaid: true)
  }

  /// The error with advice that helps if a tool runs this program, which then asks at no terminal.
  func forTool(_ account: String?) -> CommandError {
    guard code == .promptNeeded, reason == nil, !isForSocket else { return self }
    let unlock = (["thumblatch unlock"] + [account].compactMap(\.self)).joined(separator: " ")
    return CommandError(code, message, hint: "at a terminal: \(unlock); then try again")
  }

  /// The message and its advice on one line, for a tool that shows it.
  var line: String { message + (hint.map { "; \($0)" } ?? "") }
}
