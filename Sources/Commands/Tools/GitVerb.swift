internal import Configuration
internal import ToolProtocols

/// `git-credential`: a credential helper of git.
enum GitVerb {
  /// The user name that forges expect beside a token, if any is good.
  private static let username = "oauth2"

  static let verb = Verb(
    "git-credential",
    [
      Verb.Operand(
        "OPERATION",
        .one,
        offers: .words(["capability", "erase", "get", "store"])
      )
    ],
    summary: "answer git as its credential helper",
    details: """
      Git runs it as git-credential-thumblatch, after: git config --global credential.helper \
      thumblatch. It gives a token for the hosts of thumblatch host list, and stores nothing. After a \
      server has refused the token, the next call gets a newer one.
      """,
    isForTools: true
  ) { session throws(CommandError) in
    // gitcredentials(7): a helper ignores an operation that it does not know.
    switch GitCredential.Operation(rawValue: session.arguments.operands[0]) {
    case nil: break
    case .capability: try session.output.data(bytes: GitCredential.capabilities)
    case .get: try get(session)
    case .store: _ = try request(session)
    case .erase: try erase(session)
    }
  }

  private static func get(_ session: Session) throws(CommandError) {
    let request = try request(session)
    guard let entry = try session.hostAccount(try? TokenHost(request.url)) else { return }
    let token: ToolToken
    do throws(CommandError) {
      token = try session.toolToken(for: entry, tool: "git")
    } catch {
      // Otherwise git would ask the person for a user name and a password.
      try session.output.data(bytes: GitCredential.quit)
      throw error
    }
    let username = entry.username ?? request.username ?? Self.username
    try session.output.data(bytes: request.answer(token, username: username))
  }

  private static func erase(_ session: Session) throws(CommandError) {
    let request = try request(session)
    guard let secret = request.secret,
      let entry = try session.hostAccount(try? TokenHost(request.url))
    else {
      return
    }
    session.rejectToken(secret, for: entry)
  }

  private static func request(_ session: Session) throws(CommandError) -> GitCredential {
    try ToolInput.request(session) { bytes throws(ToolRequestError) in try GitCredential(bytes) }
  }
}
