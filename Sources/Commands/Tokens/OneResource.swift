internal import Configuration
internal import VaultInterface

/// Keeps the token of an account that is for one resource from other addresses.
enum OneResource {
  /// The variable in which Claude Code names the server that a helper gets headers for.
  static let variable = "CLAUDE_CODE_MCP_SERVER_URL"

  /// The account that a tool gets a token of, once it is known that the token may go to the tool's
  /// server.
  ///
  /// - Throws: exit 11 if the account's token is for another server.
  static func account(_ session: Session) throws(CommandError) -> String? {
    let account = try session.account()
    guard let url = session.environment(variable) else { return account }
    let terms = try session.call(within: Session.localLimit) { _ in
      RequestTermsCall(account: account)
    }
    guard let resource = terms.resource else { return terms.account }
    guard let target = try? RequestTarget(url), let home = try? RequestTarget(resource),
      target.isInside(home)
    else { throw refusal(of: terms.account, for: resource, to: url) }
    return terms.account
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
