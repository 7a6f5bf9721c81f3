internal import Configuration
internal import ToolProtocols

/// `git-credential`: a credential helper of git.
enum GitVerb {
  static let verb = Verb(
    "git-credential",
    [
      Verb.Operand(
        "OPERATION",
        .one,
        offers: .words(["capability", "erase", "get", "store"])
      )
    ],
    summary: "act as git's credential helper",
    details: """
      Git runs it as git-credential-thumblatch, after: git config --global credential.helper \
      thumblatch. It gives a token for the hosts of thumblatch host list. After a server has \
      refused the token, the next call gets a newer one. A password that git stores is kept as by \
      thumblatch store, unless an account with a login serves the host. It does not replace \
      another usable password. After the server has refused the password, it is erased, if the \
      account is not locked. The account remains. If git also stores a refresh token, it is \
      imported if a provider has that host and the client in git's configuration \
      (credential.oauthClientId). Otherwise the refresh token is not kept. After the import, the \
      copies in git's other helpers no longer work. With refresh_reuse = revokes in the provider's \
      file, using such a copy would end the login, so the vault does not import the token.
      """,
    isForTools: true
  ) { session throws(CommandError) in
    // gitcredentials(7): a helper ignores an operation that it does not know.
    switch GitCredential.Operation(rawValue: session.arguments.operands[0]) {
    case nil: break
    case .capability: try session.output.data(bytes: GitCredential.capabilities)
    case .get: try get(session)
    case .store: try store(session)
    case .erase: try erase(session)
    }
  }

  private static func get(_ session: Session) throws(CommandError) {
    let query = try ToolInput.request(session, upToEmptyLine: true, ToolQuery.git)
    guard let entry = try session.hostAccount(of: query) else { return }
    let answer: [UInt8]
    do throws(CommandError) {
      answer = try session.answer(query, for: entry)
    } catch {
      let account = entry.account.text
      if error.code == .loginRequired,
        let known = try? SignInVerbs.knownAccount(session, account), known.isStatic
      {
        // The next helper or the person has another password, which git gives to be kept.
        if let username = entry.username {
          try session.output.data(bytes: GitCredential.answer(username: username))
        }
        return session.output.talk(
          "\(error.message); git asks its other helpers or you; or: thumblatch store \(account)"
        )
      }
      // Otherwise git would ask the person for a user name and a password.
      try session.output.data(bytes: GitCredential.quit)
      throw error
    }
    try session.output.data(bytes: answer)
  }

  /// Keeps a password that a server has accepted, as an account without login.
  private static func store(_ session: Session) throws(CommandError) {
    let request = try request(session)
    guard let secret = request.stored, let host = try? TokenHost(request.url) else { return }
    // Git takes no such secret from a helper. A stored one would keep git from asking the person.
    guard AuthorizationText.isLine(secret.text) else {
      return session.output.talk(
        "the password for \(host) is not stored, because it has control characters"
      )
    }
    if let token = request.refreshToken {
      if try session.takeOver(token, of: request, for: host) { return }
      session.output.talk(
        "the refresh token of another helper is not kept; for a login of your own: thumblatch login"
      )
    }
    try session.keep(secret, for: host, isWrittenBack: true)
  }

  private static func erase(_ session: Session) throws(CommandError) {
    let request = try request(session)
    guard let secret = request.secret,
      let entry = try session.hostAccount(try? TokenHost(request.url))
    else {
      return
    }
    try session.giveUpRefused(secret, of: entry)
  }

  private static func request(_ session: Session) throws(CommandError) -> GitCredential {
    try ToolInput.request(session, upToEmptyLine: true) { bytes throws(ToolRequestError) in
      try GitCredential(bytes)
    }
  }
}
