import Glibc
import PresenceTerms
import SecretMemory
import System
import Testing
import VaultInterface

@testable import Commands

// A refresh token is sent only to its own provider, and is never lost.
extension ImportVerbTests {
  private static let withoutIssuer = file.replacing(#","issuer":"\#(issuer)""#, with: "")

  private func path(_ home: ProviderHome) -> String { home.path + "/claude/.credentials.json" }

  static func discover(_ stage: Stage) throws {
    _ = try stage.expect(TestProviderCall.self)
    try stage.reply(metadata)
  }

  static func takeOver(_ stage: Stage, as name: String = "git") throws {
    _ = try stage.expect(ImportLoginCall.self)
    var account = VerbTests.account
    account.name = name
    try stage.reply(ImportLoginReply(account: account, rotated: true))
  }

  private static func unknown(_ stage: Stage) throws {
    let call = try stage.expect(GetAccountCall.self)
    try stage.fail(.noSuchAccount(account: call.account ?? ""))
  }

  // MARK: - Where the token goes

  @Test
  func aTokenThatOnlyTheServerDirectsNeedsAPerson() throws {
    let home = try credentials(Self.withoutIssuer)
    let play = try run(home, "--from claude --entry git --yes") { try $0.expectEnd() }
    #expect(play.code == .promptNeeded)
    #expect(home.settings("claude/.credentials.json") == Self.withoutIssuer)
    let seen = try run(home, "--from claude --entry git") { stage in
      try Self.discover(stage)
      try stage.answer("[y/N] ", "y")
      try Self.takeOver(stage)
    }
    #expect(seen.code == .done, "\(seen.talk)")
    #expect(seen.screen.contains("token endpoint: https://id.example.com/token"))
  }

  @Test(arguments: ["https://id.example.com/token", "https://old.example.com/token"])
  func theTokenEndpointOfTheFileIsCompared(_ url: String) throws {
    let home = try ProviderHome()
    let text = #"""
      [{"serverName":"git","token":{"refreshToken":"old-rt"},"clientId":"c1",
       "tokenUrl":"\#(url)","mcpServerUrl":"\#(Self.server)"}]
      """#
    try home.writeSettings(text, "g/tokens.json")
    let isSame = url.contains("//id.")
    let play = try run(home, "--from gemini --file \(home.path)/g/tokens.json --yes") { stage in
      try Self.discover(stage)
      if isSame { try Self.takeOver(stage) } else { try stage.expectEnd() }
    }
    #expect(play.code == (isSame ? .done : .serverError), "\(play.talk)")
    #expect((home.settings("g/tokens.json") == text) != isSame)
  }

  /// A file that has a client secret does not say how the client sends it.
  @Test(arguments: [
    ("", "basic"), ("client_secret_post", "post"), ("none", "basic"),
    ("client_secret_post client_secret_basic", "basic"),
  ])
  func aClientSecretIsSentAsTheServerLists(_ listed: String, _ way: String) throws {
    let home = try ProviderHome()
    let text = #"""
      {"git":{"tokens":{"refreshToken":"old-rt","expiresAt":1800000000.5},
       "clientInfo":{"clientId":"c1","clientSecret":"hunter2"},"serverUrl":"\#(Self.server)"}}
      """#
    try home.writeSettings(text, "o/mcp.json")
    let play = try run(home, "git --from opencode --file \(home.path)/o/mcp.json") { stage in
      _ = try stage.expect(TestProviderCall.self)
      var metadata = Self.metadata
      metadata.clientAuthentication = listed.split(separator: " ").map(String.init)
      try stage.reply(metadata)
      try stage.answer("[y/N] ", "y")
      let call = try stage.expect(ImportLoginCall.self)
      #expect(call.provider.settings["client_authentication"] == way)
      #expect(call.provider.clientSecret != nil)
      var account = VerbTests.account
      account.name = "git"
      try stage.reply(ImportLoginReply(account: account, rotated: true))
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(home.settings("o/mcp.json") == "{}")
  }

  /// The provider of `--provider` has the login's client, issuer and server.
  @Test(arguments: ["", "client_id = c2", "issuer = https://a.org", "resource = https://a.org/mcp"])
  func theProviderIsComparedWithTheLogin(_ change: String) throws {
    let home = try credentials()
    let key = change.prefix { $0 != " " }
    let lines = [
      "kind = oauth2", "issuer = \(Self.issuer)", "client_id = c1", "resource = \(Self.server)",
      "resource_only = true",
    ].map { !key.isEmpty && $0.hasPrefix(key + " ") ? change : $0 }
    try home.write((["[Provider]"] + lines).joined(separator: "\n") + "\n", "mine")
    let play = try run(home, "--from claude --entry git --provider mine --yes") { stage in
      guard change.isEmpty || change.hasPrefix("resource") else { return try stage.expectEnd() }
      try Self.discover(stage)
      if change.isEmpty { try Self.takeOver(stage) } else { try stage.expectEnd() }
    }
    #expect(play.code == (change.isEmpty ? .done : .usage), "\(play.talk)")
    #expect((home.settings("claude/.credentials.json") == Self.file) != change.isEmpty)
  }

  @Test(arguments: ["client_id = c2", "issuer = https://a.org"])
  func theProviderIsComparedWithAProgramsOwnClient(_ change: String) throws {
    let home = try ProviderHome()
    try home.writeSettings(#"{"tokens":{"refresh_token":"old-rt"}}"#, "codex/auth.json")
    let key = change.prefix { $0 != " " }
    let lines = try KnownClient.codex.settings().filter { $0.key != "redirect_uri" }
      .map { $0.key == key ? change : "\($0.key) = \($0.value)" }
    try home.write((["[Provider]"] + lines).joined(separator: "\n") + "\n", "mine")
    let play = try run(home, "--from codex --provider mine --yes") { try $0.expectEnd() }
    #expect(play.code == .usage, "\(play.talk)")
    #expect(play.talk.contains("another client, issuer or server"), "\(play.talk)")
  }

  // MARK: - Secrets

  /// The account of the host keeps one secret: that of the other user is not lost.
  @Test
  func theSecondUserOfAHostReplacesNothing() throws {
    let home = try ProviderHome()
    let ann = "https://ann:hunter2@git.example.org\n"
    let bob = "https://bob:hunter2@git.example.org\n"
    try home.writeSettings(ann + bob, "git/credentials")
    let words = "--from git-credential-store --file \(home.path)/git/credentials --yes"
    let first = try run(home, words + " --entry ann@git.example.org") { stage in
      try Self.unknown(stage)
      try Self.unknown(stage)
      _ = try stage.expect(StoreSecretCall.self)
      try stage.reply(AccountReply(account: StoredSecretTests.account()))
    }
    #expect(first.code == .done, "\(first.talk)")
    #expect(home.settings("git/credentials") == bob)
    let second = try run(home, words + " --entry bob@git.example.org") { stage in
      var account = StoredSecretTests.account()
      account.name = "git.example.org-ann"
      try stage.knowAccount(account)
      try stage.expectEnd()
    }
    #expect(second.code == .refused && second.talk.contains("keeps another secret"))
    #expect(home.settings("git/credentials") == bob)
  }

  /// A repeated command finishes the removal of a login that the account already has.
  @Test(arguments: [true, false])
  func theSecretOfTheAccountIsCompared(_ isSame: Bool) throws {
    let home = try ProviderHome()
    let line = "https://ann:hunter2@git.example.org\n"
    try home.writeSettings(line, "git/credentials")
    try home.writeHosts(StoredSecretTests.hosts)
    let words = "--from git-credential-store --file \(home.path)/git/credentials --yes"
    let play = try run(home, words) { stage in
      for _ in 1...(isSame ? 2 : 1) {
        try stage.knowAccount(StoredSecretTests.account())
        _ = try stage.expect(AccessTokenCall.self)
        if isSame {
          try stage.fail(.loginRequired(account: "git", message: CommandError.refusedSecret))
        } else {
          try stage.reply(token: "another")
        }
      }
      try stage.expectEnd()
    }
    #expect(play.code == (isSame ? .done : .refused), "\(play.talk)")
    #expect(home.settings("git/credentials") == (isSame ? "" : line))
  }

  // MARK: - The file

  @Test
  func eachCopyOfATokenIsRemoved() throws {
    let home = try ProviderHome()
    let entry =
      #"{"serverName":"git","token":{"refreshToken":"old-rt"},"clientId":"c1","tokenUrl":"https://id.example.com/token","mcpServerUrl":"\#(Self.server)"}"#
    try home.writeSettings("[\(entry),7,\(entry),\(entry)]", "g/tokens.json")
    let words = "git --from gemini --file \(home.path)/g/tokens.json --entry 1 --yes"
    let play = try run(home, words) { stage in
      try Self.discover(stage)
      try Self.takeOver(stage)
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(home.settings("g/tokens.json") == "[7]")
  }

  /// A problem that would prevent the removal is found before the token is used.
  @Test
  func aFileThatCannotBeWrittenIsRefusedAtOnce() throws {
    let home = try credentials()
    let temporary = "\(home.path)/claude/..credentials.json.\(ThisProcess.identifier)"
    try #require(unsafe mkdir(temporary, 0o700) == 0)
    let play = try run(home, "--from claude --entry git --yes") { try $0.expectEnd() }
    #expect(play.code == .usage && play.talk.contains("could not be written"), "\(play.talk)")
    #expect(home.settings("claude/.credentials.json") == Self.file)
  }

  // MARK: - Half done

  @Test
  func aRemovalThatFailsLeavesTheLoginAndSaysSo() throws {
    let home = try credentials()
    let folder = home.path + "/claude"
    let play = try run(home, "--from claude --entry git --yes") { stage in
      try Self.discover(stage)
      _ = try stage.expect(ImportLoginCall.self)
      let directory = try Directory(path: folder)
      try directory.unlink(".credentials.json")
      try directory.create(".credentials.json").write("{")
      var account = VerbTests.account
      account.name = "git"
      try stage.reply(ImportLoginReply(account: account, rotated: true))
    }
    #expect(play.code == .usage && play.talk.contains("git has the login: "), "\(play.talk)")
  }

  /// The provider's answer had a refresh token, but not all that its settings promise.
  @Test(arguments: [true, false])
  func anAccountWithoutAnAccessTokenHasTheLogin(_ isMade: Bool) throws {
    let home = try credentials()
    let play = try run(home, "--from claude --entry git --yes") { stage in
      try Self.discover(stage)
      _ = try stage.expect(ImportLoginCall.self)
      try stage.fail(.misconfigured(message: "the answer is odd"))
      var account = VerbTests.account
      account.state = .ready
      if isMade { try stage.knowAccount(account) } else { try Self.unknown(stage) }
    }
    #expect(play.talk.contains("git has the login, and the copy in") == isMade, "\(play.talk)")
    #expect(home.settings("claude/.credentials.json") == Self.file)
  }
}

/// A file of another program is not replaced by an older state of it.
struct UserDirectoryTests {
  @Test
  func aChangeOfAnotherProgramIsNotLost() throws {
    let home = try ProviderHome()
    try home.writeSettings("first", "tool/file")
    let folder = try UserDirectory(home.path + "/tool")
    let stamp = try #require(try folder.stamp("file"))
    try home.writeSettings("second", "tool/file")
    let text = try SecretBytes(copying: Array("third".utf8))
    #expect(try !folder.write(text, "file", over: stamp))
    #expect(try !folder.remove("file", over: stamp))
    #expect(home.settings("tool/file") == "second")
    #expect(try Directory(path: home.path + "/tool").names() == ["file"])
    let now = try #require(try folder.stamp("file"))
    #expect(try folder.write(text, "file", over: now))
    #expect(home.settings("tool/file") == "third")
    let last = try #require(try folder.stamp("file"))
    #expect(try folder.remove("file", over: last))
    #expect(home.settings("tool/file") == nil)
  }

  /// A process that another thread forks has a duplicate of every descriptor, until its exec.
  @Test
  func theLockEndsWithTheValue() throws {
    let home = try ProviderHome()
    try home.writeSettings("", "tool/file")
    let path = home.path + "/tool"
    let duplicates: [Int32]
    do {
      let folder = try UserDirectory(path)
      try folder.lock(for: [])
      #expect(throws: CommandError.self) { try UserDirectory(path).lock(for: [], within: 0) }
      let inode = try Directory(path: path).descriptor.status().inode
      duplicates = (3..<1024).filter { number in
        var status = stat()
        return unsafe fstat(number, &status) == 0 && status.st_ino == inode
      }.map { dup($0) }
      #expect(!duplicates.isEmpty)
    }
    defer { for number in duplicates { close(number) } }
    try UserDirectory(path).lock(for: [], within: 0)
  }
}
