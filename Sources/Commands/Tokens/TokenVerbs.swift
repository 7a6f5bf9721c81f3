internal import JSON
internal import System
internal import VaultClient
internal import VaultInterface

/// `token`, `env`, `headers`, `exec`, `whoami`.
enum TokenVerbs {
  static let all = [token, env, headers, exec, whoami]

  static let scope = Verb.Option(
    "--scope",
    "SCOPES",
    "a token for these scopes, separated by spaces"
  )
  static let audience = Verb.Option("--audience", "AUDIENCE", "a token for this recipient")

  static let reason = Verb.Option.reason

  /// The options of each verb that gets a token.
  static let options = [
    Verb.Option("--min-ttl", "DURATION", "how long the token must stay valid; 10s by default"),
    Verb.Option(
      "--rejected",
      "get a newer token: the one on standard input was refused with 401"
    ),
    scope, audience, reason,
  ]

  static let token = Verb(
    "token",
    [.account],
    options: options + HelperRelay.options,
    summary: "print a valid access token",
    details: """
      Prints only the token on standard output. Refreshes it when needed, after a presence check \
      if the account is protected. Tokens for different scopes and audiences are stored \
      separately. If the provider issues only one token, each call opens it and needs such a \
      check. At some providers, requesting a token with fewer scopes narrows the login itself \
      until the next login. Unless the provider's file describes this behaviour, the first such \
      call asks for consent; without a terminal, or with --no-input, it ends with exit 7. Tools \
      that get their token from a command should use --helper. Then prompts are shown only at the \
      desktop, and if the tool repeats the command, the provider is asked whether it still accepts \
      the token.
      """
  ) { session throws(CommandError) in
    try HelperRelay.run(session)
    let reply = try requested(session)
    try session.give(object(reply), reply.accessToken)
  }

  /// Gets the requested token, and reports its missing scopes.
  static func requested(_ session: Session) throws(CommandError) -> AccessTokenReply {
    let account = try ResourceBinding.account(session)
    let lifetime = try session.duration("--min-ttl").map { Int(clamping: $0) }
    let rejected =
      session.arguments.has("--rejected")
      ? try StandardInput.rejectedToken(interrupt: session.interrupt) : nil
    let reply: AccessTokenReply
    do throws(CommandError) {
      reply = try session.accessToken(of: account, minimumLifetime: lifetime, rejected: rejected)
    } catch {
      throw session.arguments.isForTool ? error.forTool(account) : error
    }
    if reply.shorterThanRequested && !session.output.json {
      session.output.talk("note: tokens of this provider expire sooner than --min-ttl asks")
    }
    tellOfMissing(reply, session)
    return reply
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
    options: [Verb.Option("--verify", "only ask whether the provider accepts the access token")],
    summary: "show who the provider says you are",
    details: """
      With --verify, uses verify_path of a password backend, and the userinfo endpoint of any \
      other provider. Without that endpoint, a client with a secret uses the introspection \
      endpoint. If the provider refuses the token or says that it is not active, the exit status \
      is 8, and the token is not handed out again.
      """
  ) { session throws(CommandError) in
    let account = try session.account()
    if session.arguments.has("--verify") { return try verify(account, session) }
    let reply = try session.call(within: Session.remoteLimit, again: .always) { prompt in
      WhoAmICall(account: account, prompt: prompt)
    }
    try session.give(
      ["account": .object(AccountText.object(reply.account)), "profile": .object(reply.profile)],
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
        "\(reply.account.issuer) no longer accepts the access token of \(reply.account.name)",
        hint: "to get a newer one: thumblatch token \(reply.account.name)",
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
