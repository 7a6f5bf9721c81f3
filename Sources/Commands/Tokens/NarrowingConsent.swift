internal import VaultClient
internal import VaultInterface

/// The question whether a token for fewer scopes justifies the risk to the sign-in.
enum NarrowingConsent {
  static let remedy =
    "agree once at a terminal; or set refresh_scope = any (a login keeps its scopes) or whole (it"
    + " does not) in the provider's file, then: thumblatch provider apply"
}

extension Session {
  /// Gets an access token for the options `--scope` and `--audience`; asks the person first if that
  /// may narrow the sign-in.
  ///
  /// - Throws: exit 7 if the person cannot be asked, exit 130 after a no.
  func accessToken(
    of account: String?,
    minimumLifetime: Int? = nil,
    rejected: String?,
    on calls: VaultCalls? = nil
  ) throws(CommandError) -> AccessTokenReply {
    try accessToken(on: calls) { prompt in
      AccessTokenCall(
        account: account,
        minimumLifetime: minimumLifetime,
        rejected: rejected,
        prompt: prompt,
        scope: arguments.value(TokenVerbs.scope.name),
        audience: arguments.value(TokenVerbs.audience.name),
        reason: arguments.value(TokenVerbs.reason.name)
      )
    }
  }

  /// Gets an access token by the call that `make` makes with a prompt.
  func accessToken(
    on calls: VaultCalls? = nil,
    _ make: (String?) -> AccessTokenCall
  ) throws(CommandError) -> AccessTokenReply {
    let reply = try consenting(on: calls) { prompt in
      var call = make(prompt)
      if arguments.has(HelperRelay.helper.name) { call.helper = true }
      return call
    }
    return try usable(reply)
  }

  /// Refuses a token that no program may get.
  func usable(_ reply: AccessTokenReply) throws(CommandError) -> AccessTokenReply {
    // Refuse a token that could steer a terminal or split a header in two.
    let isToken =
      !reply.accessToken.isEmpty && reply.accessToken.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F }
    if !isToken { try demandStaticSecret(reply) }
    return reply
  }

  /// Refuses what is not a static secret, which may be any text of one line or several.
  private func demandStaticSecret(_ reply: AccessTokenReply) throws(CommandError) {
    let account = try? StatusVerbs.accounts(self, named: reply.account).first
    guard account?.isStatic == true else {
      throw CommandError(.unavailable, "the provider sent an unusable access token")
    }
    let isText = reply.accessToken.unicodeScalars.allSatisfy { scalar in
      scalar.properties.generalCategory != .control || "\t\n\r".unicodeScalars.contains(scalar)
    }
    guard !reply.accessToken.isEmpty, isText else {
      throw CommandError(
        .refused,
        "the secret of \(reply.account) has control characters, and is not handed out",
        hint: "to replace it: thumblatch store \(reply.account)"
      )
    }
  }

  private func consenting(
    on calls: VaultCalls?,
    _ make: (String?) -> AccessTokenCall
  ) throws(CommandError) -> AccessTokenReply {
    do {
      return try call(on: calls, within: Session.remoteLimit, again: .always, make)
    } catch {
      guard error.reason == .mayNarrow, canQuestion else { throw error }
      try agree(to: error.message)
    }
    return try call(on: calls, within: Session.remoteLimit, again: .always) { prompt in
      var call = make(prompt)
      call.narrow = true
      call.remember = true
      return call
    }
  }

  private func agree(to risk: String) throws(CommandError) {
    let terminal = try terminal(for: "consent", instead: NarrowingConsent.remedy)
    output.say("warning: \(risk).")
    output.say("Yes applies to every program until the next login.")
    output.ask("Ask for that token anyway? [y/N] ")
    let answer = try line(at: terminal) ?? ""
    guard isYes(answer) else {
      throw CommandError(.interrupted, "no token was requested; the login is unchanged")
    }
  }
}
