import JSON
import System
import TestSupport
import Testing

/// Faults between a real provider and the vault sign no user out.
@Suite(.serialized)
struct RealProviderFaultTests {
  /// One fault at a refresh, and its expected result.
  private struct Expectation: Sendable {
    let fault: JSONObject
    let status: Int32
    let standing: String

    init(_ status: Int32, _ standing: String, _ fault: JSONObject) {
      (self.fault, self.status, self.standing) = (fault, status, standing)
    }
  }

  private static let expectations: [Expectation] = [
    .init(5, "uncertain", ["status": 500]),
    .init(5, "uncertain", ["status": 503, "body": ""]),
    // An empty refusal, by a firewall in front of the provider or by the provider.
    .init(5, "uncertain", ["status": "empty", "code": 400]),
    .init(5, "uncertain", ["status": "empty", "code": 403]),
    .init(5, "uncertain", ["status": "html", "code": 400]),
    .init(5, "uncertain", ["status": "html", "code": 403]),
    .init(5, "ready", ["status": "retry-after", "retry_after": 1800]),
    .init(5, "uncertain", ["status": "half"]),
    .init(5, "uncertain", ["status": "reset-before"]),
    .init(5, "uncertain", ["status": "reset-after"]),
    .init(5, "uncertain", ["status": "garbage"]),
    .init(5, "uncertain", ["status": "huge"]),
    // The sign-in page of a network that is not open yet.
    .init(5, "uncertain", ["status": "html", "code": 200]),
    .init(2, "ready", ["status": 400, "body": #"{"error": "invalid_client"}"#]),
    .init(2, "ready", ["status": 400, "body": #"{"error": "unauthorized_client"}"#]),
    .init(2, "ready", ["status": 404]),
  ]

  @Test
  func aFaultIsToldAndSignsNoUserOut() throws {
    // The provider accepts a used refresh token, because this test is about the reading of answers.
    let member = try Member(.toolkit, ["--refresh", "fixed"])
    try member.signIn().succeeded()
    for expectation in Self.expectations {
      let what = "\(expectation.fault.members)"
      try member.expireTokens()
      try member.provider.clear()
      try member.provider.fail(expectation.fault.at(grant: "refresh_token"))
      let told = try member.run("token", "work")
      #expect(told.end == .exited(expectation.status), "\(what): \(told.text)")
      #expect(try member.standing() == expectation.standing, "\(what)")
      let asksForPatience = told.text.contains("429")
      if asksForPatience {
        // Until then the provider is not asked again.
        let again = try member.run("token", "work")
        #expect(again.end == .exited(5) && again.text.contains("429"), "\(what): \(again.text)")
      }
      #expect(try member.provider.refreshes().count <= 1, "a POST was repeated: \(what)")
      // The next engine does not remember the wait.
      if expectation.standing == "uncertain" || asksForPatience { try member.forgetRetryWait() }
      try member.run("token", "work").succeeded()
      #expect(try member.standing() == "ready", "\(what)")
    }
    _ = try member.newerToken()
    #expect(try member.provider.count("live_refresh_tokens") == 1)
  }

  @Test
  func anEmptyRefusalCountsWhereTheProviderIsSaidToMeanIt() throws {
    let member = try Member(settings: ["empty_refusal": "true"])
    try member.signIn().succeeded()
    try member.expireTokens()
    try member.provider.fail(["grant": "refresh_token", "status": "empty", "code": 400])
    #expect(try member.run("token", "work").end == .exited(4))
    #expect(try member.standing() == "login-required")
  }

  @Test
  func beingOfflineIsNoRefusalAndNoUncertainty() throws {
    let member = try Member()
    try member.signIn().succeeded()
    try member.expireTokens()
    try member.provider.call("offline")
    let offline = try member.run("token", "work")
    #expect(offline.end == .exited(5), "\(offline.text)")
    #expect(offline.text.contains("is not answering (connection refused)"), "\(offline.text)")
    #expect(try member.standing() == "ready")
    let test = try member.run("provider", "test", "idp")
    #expect(test.end == .exited(5), "\(test.text)")
    try member.provider.call("online")
    // No request was sent, so there is no wait.
    try member.run("token", "work").succeeded()
    #expect(try member.provider.refreshes().count == 1)
    // A failing provider does not count as offline.
    try member.expireTokens()
    try member.provider.fail(["grant": "refresh_token", "status": 503])
    let failing = try member.run("token", "work")
    #expect(
      failing.end == .exited(5) && !failing.text.contains("no network"),
      "\(failing.text)"
    )
  }

  @Test
  func noByteOfATokenFollowsARedirect() throws {
    let member = try Member()
    try member.signIn().succeeded()
    let elsewhere = try member.provider.call("elsewhere").string("url")
    func away(_ path: String, _ status: Int64 = 307) throws {
      try member.provider.fail([
        "path": .string(path), "status": "redirect", "code": .integer(status),
        "location": .string(elsewhere + path),
      ])
    }
    for status: Int64 in [301, 302, 303, 307, 308] {
      try member.expireTokens()
      try away("/o/token/", status)
      #expect(try member.run("token", "work").end == .exited(2))
      #expect(try member.standing() == "ready")
      try member.run("token", "work").succeeded()
    }
    // Neither the access token, nor a code, nor the token to be revoked.
    try away("/o/userinfo/")
    #expect(try member.run("whoami", "work").end != .exited(0))
    try away("/o/token/")
    #expect(try member.login("other").end != .exited(0))
    try away("/o/revoke_token/")
    #expect(try object(member.run("logout", "work", "--json").text).boolean("revoked") == false)
    #expect(try member.provider.call("elsewhere").integer("connections") == 0)
  }

  @Test
  func aCheckThatFailsAfterARefreshKeepsWhatTheProviderGave() throws {
    let member = try Member(.toolkit, ["--refresh", "protect"])
    try member.login().succeeded()
    for fault: JSONObject in [
      ["claims": ["aud": "somebody-else"]], ["claims": ["sub": "2"]], ["claims": ["exp": -300]],
      ["claims": [:], "key": "other"], ["claims": [:], "key": "none"],
    ] {
      try member.expireTokens()
      try member.provider.fail(fault.at(grant: "refresh_token"))
      let uncheckedTokens = try member.run("token", "work")
      #expect(
        uncheckedTokens.end != .exited(0) && uncheckedTokens.end != .exited(4),
        "\(uncheckedTokens.text)"
      )
      #expect(uncheckedTokens.text.contains("ID token"), "\(uncheckedTokens.text)")
      // The family lives: the token that came with the bad one is in the vault.
      try member.run("token", "work").succeeded()
      #expect(try member.provider.count("live_refresh_tokens") == 1)
    }
  }
}
