internal import JSON
internal import System
internal import VaultClient
internal import VaultInterface

/// `token`, `whoami`.
enum TokenVerbs {
  static let all = [token, whoami]

  static let scope = Verb.Option("--scope", "SCOPES", "a token for these, separated by spaces")
  static let audience = Verb.Option("--audience", "AUDIENCE", "a token for this recipient")

  static let token = Verb(
    "token",
    [.account],
    options: [
      Verb.Option("--min-ttl", "DURATION", "how long it must still be valid; 10s unless given"),
      Verb.Option(
        "--rejected",
        "the access token on standard input was refused with 401: give a newer one"
      ),
      scope,
      audience,
    ],
    summary: "print a valid access token",
    details: """
      Nothing but the token stands on standard output. It is refreshed when needed, after a \
      presence check where the account asks for one. Tokens for other scopes and audiences are \
      kept beside one another. If the provider gives only one token, each call opens it, and needs \
      such a check. At some providers a token for fewer scopes than the login's narrows the login \
      until a new one. Unless the provider's file says what the provider does, the first such call \
      asks; without a terminal, or with --no-input, it is exit 7.
      """
  ) { session throws(CommandError) in
    let account = try session.account()
    let lifetime = try session.duration("--min-ttl").map { Int(clamping: $0) }
    let rejected =
      session.arguments.has("--rejected")
      ? try StandardInput.rejectedToken(interrupt: session.interrupt) : nil
    let reply = try session.accessToken { prompt in
      AccessTokenCall(
        account: account,
        minimumLifetime: lifetime,
        rejected: rejected,
        prompt: prompt,
        scope: session.arguments.value("--scope"),
        audience: session.arguments.value("--audience")
      )
    }
    // Refuse a token that could steer a terminal or split a header.
    guard !reply.accessToken.isEmpty, reply.accessToken.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F })
    else { throw CommandError(.unavailable, "the provider gave an access token that is none") }
    if reply.shorterThanRequested && !session.output.json {
      session.output.talk("note: the provider's tokens do not last as long as --min-ttl asks")
    }
    tellOfMissing(reply, session)
    try session.show(object(reply), reply.accessToken)
  }

  /// Names the scopes that a token lacks; the engine reports them once.
  static func tellOfMissing(_ reply: AccessTokenReply, _ session: Session) {
    guard let missing = reply.missingScope, !session.output.json else { return }
    session.output.talk(
      "note: the provider did not grant all scopes of \(reply.account); missing: \(missing)"
    )
  }

  static let whoami = Verb(
    "whoami",
    [.account],
    options: [
      Verb.Option("--verify", "ask only whether the provider accepts the access token")
    ],
    summary: "show who the provider says this is",
    details: "With --verify, a password backend is asked at verify_path, another provider at its"
      + " userinfo endpoint. A token that is refused is not handed out again."
  ) { session throws(CommandError) in
    let account = try session.account()
    if session.arguments.has("--verify") { return try verify(account, session) }
    let reply = try session.call(within: Session.remoteLimit, again: .always) { prompt in
      WhoAmICall(account: account, prompt: prompt)
    }
    try session.show(
      [
        "account": .object(AccountText.object(reply.account)),
        "profile": .object(reply.profile),
      ],
      text(reply, columns: session.output.columns)
    )
  }

  private static func verify(_ account: String?, _ session: Session) throws(CommandError) {
    let reply = try session.call(within: Session.remoteLimit, again: .always) { prompt in
      VerifyTokenCall(account: account, prompt: prompt)
    }
    let facts: JSONObject = [
      "account": .object(AccountText.object(reply.account)),
      "accepted": .boolean(reply.accepted),
      "expires_at": AccountText.time(reply.expiresAt),
    ]
    guard reply.accepted else {
      throw CommandError(
        .serverError,
        "\(reply.account.issuer) does not accept the access token of \(reply.account.name) any more",
        hint: "a newer one: thumblatch token \(reply.account.name)",
        facts: facts
      )
    }
    let now = WallTime.now.seconds
    let end = reply.expiresAt.map { ", until \(Timestamps.localBrief(Int64($0), now: now))" } ?? ""
    try session.report(
      facts,
      "\(reply.account.issuer) accepts the access token of \(reply.account.name)\(end)"
    )
  }

  static func object(_ reply: AccessTokenReply) -> JSONObject {
    [
      "account": .string(reply.account),
      "access_token": .string(reply.accessToken),
      "token_type": .string(reply.tokenType),
      "expires_at": AccountText.time(reply.expiresAt),
      "shorter_than_requested": .boolean(reply.shorterThanRequested),
      "scope": AccountText.optional(reply.scope),
      "missing_scope": AccountText.optional(reply.missingScope),
    ]
  }

  private static func text(_ reply: WhoAmIReply, columns: Int?) -> String {
    var table = Table(headings: ["", ""])
    table.add("account", "\(reply.account.name) at \(reply.account.provider)")
    for (name, value) in reply.profile.members.prefix(100) {
      table.add(name, plain(value))
    }
    return table.text(columns: columns)
  }

  private static func plain(_ value: JSONValue) -> String {
    switch value {
    case .null, .unusable: "-"
    case .boolean(let truth): truth ? "yes" : "no"
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .string(let text): text
    case .secret: "(secret)"
    case .array(let elements): elements.prefix(20).map(plain).joined(separator: ", ")
    case .object(let object):
      object.members.prefix(20).map { "\($0.name)=\(plain($0.value))" }.joined(separator: ", ")
    }
  }
}
