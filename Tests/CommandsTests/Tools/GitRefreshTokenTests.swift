import Glibc
import PresenceTerms
import SecretMemory
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// Refresh tokens that git gives to all helpers, and that another helper got.
struct GitRefreshTokenTests {
  private static let provider =
    "[Provider]\nkind = oauth2\nissuer = https://git.example.org\nclient_id = c1\n"
  private static let request =
    "protocol=https\nhost=git.example.org\nusername=oauth2\npassword=at-1\noauth_refresh_token=rt-1\n"
  private static let config = "[credential \"https://git.example.org\"]\n\toauthClientId = c1\n"

  private func home(
    provider: String? = provider,
    config: String = config,
    hosts: String = ""
  ) throws -> ProviderHome {
    let home = try ProviderHome()
    if let provider { try home.write(provider, "forge") }
    try home.writeHosts(hosts)
    try home.writeSettings(config, "git/config")
    return home
  }

  private func store(
    _ home: ProviderHome,
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    let play = try Play.run(
      ["git-credential", "store"],
      terminal: false,
      input: Array(Self.request.utf8),
      environment: home.environment.merging(["PATH": "/usr/bin:/bin", "HOME": home.path]) { $1 },
      script: script
    )
    for text in [play.out, play.talk, play.screen] { #expect(!text.contains("rt-1")) }
    return play
  }

  private static func unknown(_ stage: Stage) throws {
    let call = try stage.expect(GetAccountCall.self)
    try stage.fail(.noSuchAccount(account: call.account ?? ""))
  }

  @Test
  func aTokenOfTheSameClientIsSealed() throws {
    let home = try home()
    let play = try store(home) { stage in
      try Self.unknown(stage)
      let call = try stage.expect(ImportLoginCall.self)
      #expect(call.account == "forge" && call.provider.settings["client_id"] == "c1")
      let token = unsafe call.refreshToken.bytes.withUnsafeBytes {
        unsafe String(decoding: $0, as: UTF8.self)
      }
      #expect(token == "rt-1")
      var account = VerbTests.account
      account.name = "forge"
      try stage.reply(ImportLoginReply(account: account, rotated: true))
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("no longer work"), "\(play.talk)")
    #expect(home.settings("thumblatch/hosts.conf")?.contains("account = forge") == true)
  }

  /// The token would be sent for a client that it was not given to, or in the place of another
  /// login.
  @Test(arguments: ["client", "no client", "no provider", "host"])
  func anotherTokenIsNotKept(_ what: String) throws {
    let home =
      switch what {
      case "client": try home(config: Self.config.replacing("c1", with: "c2"))
      case "no client": try home(config: "")
      case "no provider": try home(provider: nil)
      default: try home(hosts: "[git.example.org]\naccount = work\n")
      }
    let play = try store(home) { stage in
      if what == "host" { return try stage.knowAccount(VerbTests.account) }
      try Self.unknown(stage)
      _ = try stage.expect(StoreSecretCall.self)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done && play.talk.contains("is not kept"), "\(play.talk)")
  }

  /// The other helpers' copies could end the login, or the provider files cannot be read.
  @Test(arguments: ["revokes", "no directory"])
  func aTokenThatCouldEndTheLoginIsNotKept(_ what: String) throws {
    let reuse = what == "revokes" ? "refresh_reuse = revokes\n" : ""
    let home = try home(provider: Self.provider + reuse)
    if what == "no directory" {
      try #require(unsafe rename(home.files, home.files + ".old") == 0)
      try home.writeSettings("", "thumblatch/providers.d")
    }
    let play = try store(home) { stage in
      try Self.unknown(stage)
      _ = try stage.expect(StoreSecretCall.self)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done && play.talk.contains("is not kept"), "\(play.talk)")
  }

  /// A password in the place of the login would keep the host from it.
  @Test
  func aLostAnswerLeavesTheHostFree() throws {
    let home = try home()
    let play = try store(home) { stage in
      try Self.unknown(stage)
      _ = try stage.expect(ImportLoginCall.self)
      try stage.fail(.providerUnavailable(message: "no answer came back", reason: .uncertain))
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("thumblatch login forge"), "\(play.talk)")
    #expect(home.settings("thumblatch/hosts.conf") == "")
  }

  /// Another command gives the host to an account while the provider is asked.
  @Test
  func aHostThatGotAnotherAccountSinceIsTold() throws {
    let home = try home()
    let folder = home.path + "/thumblatch"
    let other = "[git.example.org]\naccount = work\n"
    let play = try store(home) { stage in
      try Self.unknown(stage)
      _ = try stage.expect(ImportLoginCall.self)
      try StoredSecretTests.write(other, in: folder)
      var account = VerbTests.account
      account.name = "forge"
      try stage.reply(ImportLoginReply(account: account, rotated: true))
      try stage.expectEnd()
    }
    #expect(play.code == .done && home.settings("thumblatch/hosts.conf") == other)
    #expect(!play.talk.contains("from now on"), "\(play.talk)")
    #expect(
      play.talk.contains(
        "still get tokens of work for git.example.org; to change that: thumblatch host remove"
          + " git.example.org, then thumblatch host add git.example.org forge"
      ),
      "\(play.talk)"
    )
  }

  @Test
  func aLoginWithoutItsAccessTokenServesTheHost() throws {
    let home = try home()
    let play = try store(home) { stage in
      try Self.unknown(stage)
      _ = try stage.expect(ImportLoginCall.self)
      try stage.fail(.misconfigured(message: "the answer is odd"))
      var account = VerbTests.account
      account.state = .ready
      try stage.knowAccount(account)
      try stage.expectEnd()
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(home.settings("thumblatch/hosts.conf")?.contains("account = forge") == true)
  }

  @Test
  func aRefusedTokenIsNotKept() throws {
    let play = try store(try home()) { stage in
      try Self.unknown(stage)
      _ = try stage.expect(ImportLoginCall.self)
      try stage.fail(.providerRefused(status: 400, message: "no"))
      try Self.unknown(stage)
      _ = try stage.expect(StoreSecretCall.self)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done && play.talk.contains("forge does not take the refresh token"))
    #expect(play.talk.contains("is not kept"))
  }

  @Test
  func anAccountOfTheNameIsLeftAsItIs() throws {
    let play = try store(try home()) { stage in
      try stage.knowAccount(VerbTests.account)
      try Self.unknown(stage)
      _ = try stage.expect(StoreSecretCall.self)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(play.code == .done && play.talk.contains("is not kept"))
  }
}
