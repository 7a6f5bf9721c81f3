import JSON
import System
import TestSupport
import Testing

/// Real providers rotate, repeat or refuse refresh tokens, and no login is lost.
@Suite(.serialized)
struct ProviderRefreshTests {
  /// The refresh tokens that were presented.
  ///
  /// Each must have been presented only once.
  private func presented(_ member: Member) throws -> Set<String> {
    let sent = try member.provider.refreshes()
    #expect(sent.allSatisfy { $0.committed && $0.status == 200 })
    return Set(sent.compactMap { $0.form["refresh_token"] })
  }

  @Test(arguments: ["fixed", "rotate", "protect", "grace", "expire"])
  func refreshAfterRefreshKeepsTheLogin(_ behaviour: String) throws {
    let member = try Member(.toolkit, ["--refresh", behaviour])
    try member.signIn().succeeded()
    for _ in 0..<4 { _ = try member.newerToken() }
    #expect(try member.provider.refreshes().count == 4)
    // Each new refresh token is used for the next refresh. A token that never changes is used for
    // all.
    #expect(try presented(member).count == (behaviour == "fixed" ? 1 : 4))
    #expect(try member.provider.count("rotations") == (behaviour == "fixed" ? 0 : 4))
    #expect(try member.provider.count("live_refresh_tokens") == 1)
    #expect(try member.standing() == "ready")
    // The same holds after the end of an engine.
    try member.expireTokens()
    try member.run("token", "work").succeeded()
    #expect(try member.provider.refreshes().count == 5)
    try member.run("whoami", "work").succeeded()
  }

  /// The provider has rotated, and its answer never arrived.
  private func answerIsLost(_ behaviour: String, settings: [String: String] = [:]) throws -> Member
  {
    let member = try Member(.toolkit, ["--refresh", behaviour])
    try member.signIn().succeeded()
    try member.provider.fail(["grant": "refresh_token", "status": "reset-after"])
    let old = try member.run("token", "work").succeeded()
    let lost = try member.run("token", "work", "--rejected", input: old)
    #expect(lost.end == .exited(5), "\(lost.text)")
    #expect(try member.standing() == "uncertain")
    try member.forgetRetryWait()
    return member
  }

  @Test(arguments: ["fixed", "grace"])
  func aLostAnswerIsAskedForOnceMoreWhereTheProviderForgives(_ behaviour: String) throws {
    let member = try answerIsLost(behaviour)
    let again = try member.run("token", "work")
    #expect(try presentedTwice(member))
    if behaviour == "grace", again.end == .exited(2) {
      // This provider returns the same pair again, but with an ID token for an access token that it
      // does not send. The vault rejects that access token. The next refresh has no such fault.
      #expect(again.text.contains("belongs to another access token"), "\(again.text)")
      try member.run("token", "work").succeeded()
    } else {
      try again.succeeded()
    }
    #expect(try member.standing() == "ready")
    #expect(try member.provider.count("live_refresh_tokens") == 1)
    _ = try member.newerToken()
    try member.run("whoami", "work").succeeded()
  }

  private func presentedTwice(_ member: Member) throws -> Bool {
    let sent = try member.provider.refreshes().compactMap { $0.form["refresh_token"] }
    return sent.count == 2 && sent[0] == sent[1]
  }

  @Test(arguments: ["rotate", "protect"])
  func aLostAnswerIsToldAsThatWhereTheProviderDoesNot(_ behaviour: String) throws {
    let member = try answerIsLost(behaviour)
    let refused = try member.run("token", "work")
    #expect(refused.end == .exited(4), "\(refused.text)")
    #expect(refused.text.contains("lost"), "\(refused.text)")
    #expect(try member.standing() == "login-required")
    #expect(try member.provider.count("live_refresh_tokens") == (behaviour == "protect" ? 0 : 1))
    // The request is not repeated.
    #expect(try member.run("token", "work").end == .exited(4))
    #expect(try member.provider.refreshes().count == 2)
    try member.signIn().succeeded()
    _ = try member.newerToken()
  }

  @Test
  func whereReuseRevokesTheTokenThatIsStillValidIsNotRisked() throws {
    let member = try Member(
      .toolkit,
      ["--refresh", "protect"],
      settings: ["refresh_reuse": "revokes"]
    )
    try member.signIn().succeeded()
    let usual = try member.run("token", "work").succeeded()
    try member.provider.fail(["grant": "refresh_token", "status": "reset-after"])
    #expect(try member.run("token", "work", "--scope", "openid").end == .exited(5))
    try member.forgetRetryWait()
    // The retry may end the grant, and with it the token that is still valid.
    #expect(try member.run("token", "work", "--scope", "openid").end == .exited(5))
    #expect(try member.provider.refreshes().count == 1)
    #expect(try member.run("token", "work").succeeded() == usual)
    try member.expireTokens()
    #expect(try member.run("token", "work").end == .exited(4))
    #expect(try member.provider.refreshes().count == 2)
  }

  @Test
  func aRefreshTokenThatHasExpiredNeedsALogin() throws {
    let member = try Member(.toolkit, ["--refresh", "expire"])
    try member.signIn().succeeded()
    // Within the hour that the refresh token lives after the access token's end.
    try member.provider.age(seconds: 2000)
    try member.expireTokens()
    try member.run("token", "work").succeeded()
    try member.provider.age(seconds: 9000)
    try member.expireTokens()
    let refused = try member.run("token", "work", "--json")
    #expect(refused.end == .exited(4), "\(refused.text)")
    #expect(try object(refused.text).object("error").string("code") == "login-required")
    #expect(try member.standing() == "login-required")
    #expect(try member.account().string("subject") == "1")
    try member.signIn().succeeded()
    #expect(try member.standing() == "ready")
  }

  @Test
  func aGrantThatWasRevokedAtTheProviderNeedsALoginAndIsNotReplayed() throws {
    let member = try Member()
    try member.signIn().succeeded()
    try member.provider.call("revoke")
    try member.expireTokens()
    for _ in 0..<3 { #expect(try member.run("token", "work").end == .exited(4)) }
    #expect(try member.provider.refreshes().count == 1)
    #expect(try member.standing() == "login-required")
  }

  @Test
  func aLifetimeThatIsNeverGivenIsToldAndNotAskedForAgainAndAgain() throws {
    let member = try Member(.toolkit, ["--access-lifetime", "600"])
    try member.signIn().succeeded()
    for _ in 0..<3 {
      let text = try member.run("token", "work", "--min-ttl", "1h", "--json").succeeded()
      #expect(try object(text).boolean("shorter_than_requested"))
      #expect(try !object(text).string("access_token").isEmpty)
    }
    #expect(try member.provider.refreshes().count <= 1)
    #expect(try presented(member).count <= 1)
    _ = try member.newerToken()
  }

  @Test
  func onlyARejectedTokenThatIsStillTheStoredOneIsRenewed() throws {
    let member = try Member()
    try member.signIn().succeeded()
    let first = try member.run("token", "work").succeeded()
    let second = try member.run("token", "work", "--rejected", input: first).succeeded()
    #expect(try member.run("token", "work", "--rejected", input: first).succeeded() == second)
    #expect(try member.provider.refreshes().count == 1)
  }

  @Test
  func anAnswerWithoutARefreshTokenKeepsTheOld() throws {
    let member = try Member(.toolkit, ["--refresh", "fixed"])
    try member.signIn().succeeded()
    for _ in 0..<3 {
      try member.provider.fail(["grant": "refresh_token", "edit": ["refresh_token": nil]])
      _ = try member.newerToken()
    }
    #expect(try presented(member).count == 1)
    #expect(try member.provider.refreshes().count == 3)
  }
}
