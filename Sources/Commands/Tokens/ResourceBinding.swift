internal import Configuration
internal import VaultInterface

/// Keeps the token of an account that is for one resource from other addresses, and a static secret
/// from the MCP servers of other hosts.
enum ResourceBinding {
  /// The variable in which Claude Code names the server that a helper gets headers for.
  static let variable = "CLAUDE_CODE_MCP_SERVER_URL"

  /// The account that a tool gets a token of, once it is known that the token may go to the tool's
  /// server.
  ///
  /// - Throws: exit 11 if the account's token or secret is for another server.
  static func account(_ session: Session) throws(CommandError) -> String? {
    let account = try session.account()
    guard let url = session.environment(variable) else { return account }
    let terms = try session.call(within: Session.localLimit) { _ in
      RequestTermsCall(account: account)
    }
    try demand(server: url, in: terms, session)
    return terms.account
  }

  /// Refuses the servers that a tool is set up for, if the account's token is for another one.
  ///
  /// The service's URL may be above the resource: the tool adds to it.
  ///
  /// An account that is not known yet, or an engine that does not answer, is no reason to refuse.
  static func demand(
    service: String?,
    server: String?,
    mayGetTokenOf account: String,
    _ session: Session
  ) throws(CommandError) {
    let terms: RequestTermsReply
    do throws(CommandError) {
      terms = try session.call(within: Session.localLimit) { _ in
        RequestTermsCall(account: account)
      }
    } catch {
      guard error.code == .interrupted else { return }
      throw error
    }
    if let service, !isAbove(service, terms.resource) { try demand(service, in: terms) }
    if let server { try demand(server: server, in: terms, session) }
  }

  /// Refuses an MCP server that gets no token by these terms.
  private static func demand(
    server url: String,
    in terms: RequestTermsReply,
    _ session: Session
  ) throws(CommandError) {
    guard terms.resource == nil else { return try demand(url, in: terms) }
    try session.demandAllowed(try? TokenHost(ofURL: url), by: terms)
  }

  private static func isAbove(_ url: String, _ resource: String?) -> Bool {
    guard let resource, let home = try? RequestTarget(resource),
      let target = try? RequestTarget(url)
    else { return false }
    return home.isInside(target)
  }

  private static func demand(
    _ url: String,
    in terms: RequestTermsReply
  ) throws(CommandError) {
    guard let resource = terms.resource else { return }
    guard let target = try? RequestTarget(url), let home = try? RequestTarget(resource),
      target.isInside(home)
    else { throw refusal(of: terms.account, for: resource, to: url) }
  }

  /// The error for another address.
  static func refusal(of account: String, for resource: String, to url: String) -> CommandError {
    CommandError(
      .refused,
      "refusing to send \(account)'s token to \(url): it is only for \(resource)",
      hint: "to sign in to another MCP server: thumblatch login NAME --mcp URL"
    )
  }
}
