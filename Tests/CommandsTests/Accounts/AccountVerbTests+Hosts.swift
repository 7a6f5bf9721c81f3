import PresenceTerms
import TestSupport
import Testing
import VaultInterface

@testable import Commands

// The hosts of an account that is renamed or removed. Another account could get its name later.
extension AccountVerbTests {
  private static let forge = "# forge\n[git.example.org]\nscope = a\naccount = old\n"
  private static let other = "\n[b.org]\naccount = other\n"

  private func makeHome(_ hosts: String) throws -> ProviderHome {
    let home = try ProviderHome()
    try home.writeHosts(hosts)
    return home
  }

  /// The engine renames or removes the account.
  @Sendable
  private static func rename(_ stage: Stage) throws {
    _ = try stage.expect(RenameAccountCall.self)
    try stage.reply(AccountReply(account: account(.ready)))
  }

  @Sendable
  private static func remove(_ stage: Stage) throws {
    try stage.knowAccount(account(.signedOut))
    _ = try stage.expect(RemoveAccountCall.self)
    try stage.reply(
      LogoutReply(revoked: false, reason: "was not signed in", grant: GrantState.none)
    )
  }

  @Test
  func theHostsOfARenamedAccountGetItsNewName() throws {
    let home = try makeHome(Self.forge + Self.other)
    let play = try home.run("account rename old work", script: Self.rename)
    #expect(play.code == .done)
    #expect(play.talk == "renamed old to work\ngit.example.org gets tokens of work from now on\n")
    let hosts = Self.forge.replacing("= old", with: "= work") + Self.other
    #expect(home.settings("thumblatch/hosts.conf") == hosts)
    let json = try home.run("account rename other work --json", script: Self.rename)
    #expect(json.out.contains(#""hosts":["b.org"]"#) && json.talk == "")
  }

  @Test
  func theHostsOfARemovedAccountAreRemoved() throws {
    let home = try makeHome(Self.forge + Self.other + "\n[c.org]\naccount = old\n")
    let play = try home.run("account remove old", script: Self.remove)
    #expect(play.code == .done)
    let ended = ["git.example.org", "c.org"].map { "\($0) no longer gets a token" }
    #expect(play.talk.contains(ended.joined(separator: "\n")))
    #expect(home.settings("thumblatch/hosts.conf") == "# forge\n" + Self.other)
    let json = try home.run("account remove other --json", script: Self.remove)
    #expect(json.out.contains(#""hosts":["b.org"]"#) && json.talk == "")
  }

  @Test(arguments: ["account rename old work --json", "account remove old --json"])
  func whatCannotBeChangedIsAWarning(_ line: String) throws {
    let home = try makeHome("[a.org]\nx = y\n")
    let isRemoval = line.contains("remove")
    let play = try home.run(line, script: isRemoval ? Self.remove : Self.rename)
    #expect(play.code == .done && play.out.contains(#""hosts":[]"#))
    for part in ["hosts.conf:1: account: is missing", "host list", "host remove HOST"] {
      #expect(play.talk.contains(part), "\(play.talk)")
    }
    #expect(home.settings("thumblatch/hosts.conf") == "[a.org]\nx = y\n")
  }

  /// The engine may have made the change before it died.
  @Test
  func aLostAnswerIsAWarning() throws {
    for (line, hosts) in [
      ("account rename old work", Self.forge), ("account rename old work", Self.other),
      ("account remove old --yes", Self.forge),
    ] {
      let home = try makeHome(hosts)
      let play = try home.run(line) { stage in
        if line.contains("remove") {
          try stage.knowAccount(Self.account(.ready))
          _ = try stage.expect(RemoveAccountCall.self)
        } else {
          _ = try stage.expect(RenameAccountCall.self)
        }
        stage.hangUp()
      }
      #expect(play.code == .unavailable)
      let isWarned = play.talk.contains("hosts.conf may still name old")
      #expect(isWarned == (hosts == Self.forge), "\(play.talk)")
      #expect(home.settings("thumblatch/hosts.conf") == hosts)
    }
  }

  /// Tools get the tokens of the other vault.
  @Test
  func anAccountOfAnotherVaultThanTheToolsUseChangesNoHost() throws {
    let home = try makeHome(Self.forge)
    let environment = home.environment.merging(["THUMBLATCH_SOCKET": "/run/other"]) { $1 }
    for (verb, script) in [("rename", Self.rename), ("remove", Self.remove)] {
      let words = ["account", verb, "old"] + (verb == "rename" ? ["work"] : []) + ["--private"]
      let play = try Play.run(words, environment: environment, script: script)
      #expect(play.code == .done && home.settings("thumblatch/hosts.conf") == Self.forge)
    }
  }
}
