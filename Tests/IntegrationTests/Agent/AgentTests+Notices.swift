import JSON
import System
import TestSupport
import Testing

// The notices that an agent shows afterwards, with the real service.
extension AgentTests {
  /// Uses the account once by a touch, and once more after its session has ended at the provider.
  private func useAndLose() throws {
    let run = try token()
    try desk.sees(Self.question)
    try person.touch()
    let token = try run.text()
    #expect(try run.child.wait() == .exited(0), "\(token)")
    try python(
      """
      import sys, urllib.request
      headers = {"Authorization": "Bearer " + sys.argv[2].strip()}
      urllib.request.urlopen(urllib.request.Request(sys.argv[1], b"", headers), timeout=60)
      """,
      backend.url + "/auth/logout",
      token
    )
    try person.expireTokens()
    let count = try desk.count()
    let refused = try self.token()
    try desk.sees(Self.question, above: count)
    try person.touch()
    let said = try refused.text()
    #expect(try refused.child.wait() == .exited(4), "\(said)")
  }

  @Test
  func aUseIsShownQuietlyAndARequiredLoginWithItsCommand() throws {
    let policy = "\(bench.base)/machine/thumblatch.conf"
    try shell("umask 022; printf '[Policy]\\nnotify = all\\n' >\(policy)")
    let agent = try startAgent()
    try useAndLose()
    let notice = try desk.notification("Allowed by fingerprint: use account 'me' (requested by")
    #expect(try notice.array("actions").isEmpty)
    let hints = try notice.object("hints")
    #expect(try hints.integer("urgency") == 0 && hints.boolean("transient"))
    let ended = try desk.notification("tokens of account 'me' until you sign in again.")
    #expect(try ended.array("actions").isEmpty)
    #expect(try ended.string("body").hasSuffix("run: thumblatch login me"))
    try stop(agent)
  }

  /// The default rule shows required logins and released tokens, and no use.
  @Test
  func withoutTheRuleAUseIsNotShown() throws {
    let agent = try startAgent()
    try useAndLose()
    try desk.sees("tokens of account 'me' until you sign in again.")
    #expect(
      try desk.run("any('Allowed' in each['body'] for each in desk.shown)") == .boolean(false)
    )
    try stop(agent)
  }

  /// The engine ends between the uses, and the next one gives the reminder again.
  @Test
  func aSecretThatExpiresSoonIsShownOnce() throws {
    let agent = try startAgent()
    let end = try shell("date -u -d '5 days' +%FT%TZ | tr -d '\\n'")
    let store = ["store", "gh", "--host", "git.example.org", "--expires", end, "--secret-stdin"]
    try person.run(store, input: "ghp_1\n").succeeded()
    try person.run("token", "gh").succeeded()
    let notice = try desk.notification("The secret of account 'gh' expires at \(end). ")
    #expect(try notice.array("actions").isEmpty)
    #expect(try notice.object("hints").integer("urgency") == 0)
    #expect(try notice.string("body").hasSuffix("run: thumblatch store gh"))
    try bench.endEngine()
    try person.run("token", "gh").succeeded()
    // A notice that follows a later use of the secret.
    try useAndLose()
    try desk.sees("tokens of account 'me' until you sign in again.")
    #expect(
      try desk.run("sum('expires at' in each['body'] for each in desk.shown)") == .integer(1)
    )
    try stop(agent)
  }

  /// The default rule shows that a refresh token has left the vault.
  @Test
  func aReleaseIsShownWithoutARule() throws {
    try person.makeExportable("spare")
    let agent = try startAgent()
    let export = try person.terminal("service", "export", "spare")
    try export.expect("System password for")
    try export.enter(person.systemPassword)
    try export.end()
    let notice = try desk.notification(
      "Allowed by system password: release the refresh token of account 'spare' (requested by"
    )
    #expect(try notice.array("actions").isEmpty)
    #expect(try notice.object("hints").integer("urgency") == 0)
    try stop(agent)
  }
}
