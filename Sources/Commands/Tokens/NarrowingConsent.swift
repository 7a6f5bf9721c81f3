internal import VaultClient
internal import VaultInterface

/// The question whether a token for fewer scopes is worth the risk to the sign-in.
enum NarrowingConsent {
  static let remedy =
    "agree once at a terminal; or set refresh_scope = any (a login keeps its scopes) or whole (it"
    + " does not) in the provider's file, then: thumblatch provider apply"
}

extension Session {
  /// Gets an access token; asks the person first if that may narrow the sign-in.
  ///
  /// - Parameter make: the call, with the prompt whose check has passed.
  /// - Throws: exit 7 if the person cannot be asked, exit 130 after a no.
  /// - Returns: the token.
  func accessToken(
    _ make: (String?) -> AccessTokenCall
  ) throws(CommandError) -> AccessTokenReply {
    do {
      return try call(within: Session.remoteLimit, again: .always, make)
    } catch {
      guard error.reason == .mayNarrow, canAsk else { throw error }
      try agree(to: error.message)
    }
    return try call(within: Session.remoteLimit, again: .always) { prompt in
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
