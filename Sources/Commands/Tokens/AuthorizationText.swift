internal import JSON
internal import VaultInterface

/// The value of a header `Authorization`.
enum AuthorizationText {
  static let basic = Verb.Option(
    "--basic",
    "send it as a password with the account's user name, not as a Bearer token"
  )

  /// The value with a token, or with `--basic` the value of RFC 7617.
  static func value(
    _ token: String,
    of account: String,
    _ session: Session
  ) throws(CommandError)
    -> String
  {
    guard session.arguments.has(basic.name) else {
      try demandLine(token, of: account)
      guard token.utf8.allSatisfy({ $0 < 0x80 }) else {
        throw CommandError(
          .refused,
          "the secret of \(account) cannot be a Bearer token: it is not ASCII",
          hint: "--basic sends it as a password"
        )
      }
      return "Bearer \(token)"
    }
    let username = try StatusVerbs.accounts(session, named: account).first?.subject
    guard let username, !username.contains(":") else {
      throw .usage(
        "\(account) has no user name that --basic could send",
        hint: "leave --basic out; or: thumblatch store \(account) --username NAME"
      )
    }
    return "Basic " + Base64.standard.text(Array("\(username):\(token)".utf8))
  }

  /// Refuses a secret that would end its own line.
  static func demandLine(_ token: String, of account: String) throws(CommandError) {
    guard isLine(token) else {
      throw CommandError(
        .refused,
        "the secret of \(account) has control characters, so it cannot be part of a line",
        hint: "thumblatch token \(account) prints it"
      )
    }
  }

  /// Whether a secret has no control characters.
  static func isLine(_ token: String) -> Bool {
    token.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
