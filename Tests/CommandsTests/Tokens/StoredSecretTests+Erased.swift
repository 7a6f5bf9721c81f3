import PresenceTerms
import TestSupport
import Testing
import VaultInterface

@testable import Commands

// Secrets that a server refuses, and secrets that a person tells a tool to forget.
extension StoredSecretTests {
  /// A host may refuse a good secret, so the account stays.
  @Test(arguments: [true, false])
  func exactlyTheRefusedSecretIsErased(_ isProtected: Bool) throws {
    let (play, hosts) = try run("git-credential erase", Self.approved) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "git", message: CommandError.refusedSecret))
      try stage.knowAccount(Self.account(.ready, isProtected: isProtected))
      #expect(try stage.expect(LogoutCall.self).local)
      try stage.reply(LogoutReply(revoked: false, grant: .valid))
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("is erased") && hosts == Self.hosts)
    let (other, kept) = try run("git-credential erase", Self.approved) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "another")
      try stage.expectEnd()
    }
    #expect(other.talk == "" && kept == Self.hosts)
  }

  @Test
  func anItemOfTheSecretServiceIsNotRemoved() throws {
    let (play, hosts) = try run(
      "terraform-credential forget localhost",
      "",
      hosts: "[localhost]\naccount = secret-01\n"
    ) { stage in
      try stage.knowAccount(StoreVerbTests.item)
      try stage.knowTerms(issuer: "https://localhost")
      try stage.expectEnd()
    }
    #expect(play.code == .done && hosts == "")
  }

  @Test
  func anotherHostErasesNoSecret() throws {
    let entry = "[api.example.org]\naccount = git\n"
    let request = Self.approved.replacing("git.example.org", with: "api.example.org")
    let (play, hosts) = try run("git-credential erase", request, hosts: entry) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "git", message: CommandError.refusedSecret))
      try stage.knowAccount(Self.account())
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("which stays") && hosts == entry)
  }

  @Test(arguments: [
    ("docker-credential erase", "git.example.org"),
    ("terraform-credential forget git.example.org", ""),
    (
      "cargo-credential",
      #"{"v":1,"kind":"logout","registry":{"index-url":"sparse+https://git.example.org/"}}"#
    ),
  ])
  func eachToolErases(_ line: String, _ input: String) throws {
    let (play, hosts) = try run(line, input) { stage in
      try stage.knowAccount(Self.account())
      try stage.knowTerms()
      _ = try stage.expect(RemoveAccountCall.self)
      try stage.reply(LogoutReply(revoked: false, grant: .valid))
    }
    #expect(play.code == .done && hosts == "")
    if line.hasPrefix("cargo") { #expect(play.out.contains(#"{"Ok":{"kind":"logout"}}"#)) }
  }

  @Test(arguments: ["", "\n[b.org]\naccount = git\n"])
  func anAccountOfMoreHostsIsNotRemoved(_ other: String) throws {
    let (play, hosts) = try run(
      "docker-credential erase",
      "git.example.org",
      hosts: Self.hosts + other
    ) { stage in
      try stage.knowAccount(Self.account())
      try stage.knowTerms(hosts: other.isEmpty ? ["api.example.org"] : [])
      #expect(try stage.expect(LogoutCall.self).local)
      try stage.reply(LogoutReply(revoked: false, grant: .valid))
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("is erased") && hosts == Self.hosts + other)
  }

  /// Each host of the account had docker's secret.
  @Test
  func anErasedSecretIsNotListed() throws {
    let mark = "stored-by = docker\n"
    let (play, hosts) = try run(
      "docker-credential erase",
      "git.example.org",
      hosts: Self.hosts + mark + "\n[b.org]\naccount = git\nscope = read\n" + mark
    ) { stage in
      try stage.knowAccount(Self.account())
      try stage.knowTerms(hosts: [])
      #expect(try stage.expect(LogoutCall.self).local)
      try stage.reply(LogoutReply(revoked: false, grant: .valid))
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("is erased"))
    #expect(hosts.contains(Self.hosts) && hosts.contains("[b.org]\naccount = git\nscope = read\n"))
    #expect(!hosts.contains(mark), "\(hosts)")
  }

  /// It may have been locked all the time, or since the secret was compared.
  @Test(arguments: [false, true])
  func theSecretOfALockedAccountStays(_ isLockedLater: Bool) throws {
    let (play, hosts) = try run("git-credential erase", Self.approved) { stage in
      _ = try stage.expect(AccessTokenCall.self)
      if isLockedLater {
        try stage.fail(.loginRequired(account: "git", message: CommandError.refusedSecret))
      } else {
        try stage.needPresence(prompt: "")
      }
      try stage.knowAccount(Self.account(.locked, isProtected: true))
      if isLockedLater {
        _ = try stage.expect(LogoutCall.self)
        try stage.needPresence(.signOut, prompt: "")
      }
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("is not erased") && hosts == Self.hosts)
  }
}
