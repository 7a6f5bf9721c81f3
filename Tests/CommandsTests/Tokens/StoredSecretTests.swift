import PresenceTerms
import SecretMemory
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// Secrets that other tools store and erase.
struct StoredSecretTests {
  static let hosts = "[git.example.org]\naccount = git\nusername = ann\n"
  static let approved =
    "protocol=https\nhost=git.example.org\nusername=ann\npassword=hunter2\n"

  /// An account without login.
  static func account(_ state: AccountState = .ready, isProtected: Bool = false) -> VaultAccount {
    var account = VerbTests.account
    (account.name, account.provider, account.kind) = ("git", "git.example.org", "static")
    account.issuer = "https://git.example.org"
    (account.subject, account.email, account.displayName) = ("ann", nil, "Forge")
    account.cause = nil
    (account.state, account.presenceProtection, account.scope) = (state, isProtected, nil)
    account.accessTokenExpiresAt = nil
    return account
  }

  static let provider = VaultProvider(
    name: "git.example.org",
    settings: ["kind": "static", "issuer": "https://git.example.org"]
  )

  func run(
    _ line: String,
    _ input: String,
    hosts: String = Self.hosts,
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> (play: Play, hosts: String) {
    let home = try ProviderHome()
    try home.writeHosts(hosts)
    let play = try home.run(line, input: Array(input.utf8), script: script)
    #expect(play.screen == "" && !(play.out + play.talk).contains("hunter2"))
    return (play, home.settings("thumblatch/hosts.conf") ?? "")
  }

  /// The engine stores `hunter2`.
  static func takeSecret(_ stage: Stage, _ name: String) throws -> StoreSecretCall {
    let call = try stage.expect(StoreSecretCall.self)
    #expect(call.account == name && call.provider == provider && call.presenceProtection == nil)
    #expect(SecretBytes.constantTimeEqual(call.secret.bytes, try Situation.secret("hunter2").bytes))
    try stage.reply(AccountReply(account: account()))
    return call
  }

  static func noAccount(_ stage: Stage) throws -> String {
    let call = try stage.expect(GetAccountCall.self)
    try stage.fail(.noSuchAccount(account: call.account ?? ""))
    return call.account ?? ""
  }

  @Test
  func aPasswordOfGitBecomesAnAccountOfItsHost() throws {
    let end = "password_expiry_utc=4102444800\noauth_refresh_token=hunter2-rt\n"
    let (play, hosts) = try run("git-credential store", Self.approved + end, hosts: "") { stage in
      #expect(try Self.noAccount(stage) == "git.example.org-ann")
      let call = try Self.takeSecret(stage, "git.example.org-ann")
      #expect(call.username == "ann" && call.expiresAt == 4_102_444_800)
    }
    #expect(play.code == .done && play.out == "")
    #expect(play.talk.contains("refresh token of another helper is not kept"))
    #expect(
      hosts == "[git.example.org]\naccount = git.example.org-ann\nusername = ann\nscheme = basic\n"
    )
  }

  /// A server may offer Bearer too, and would not take a password as one.
  @Test(arguments: ["", "scheme = basic\n"])
  func aPasswordIsNoBearerToken(_ scheme: String) throws {
    let request = "capability[]=authtype\n" + Self.approved
    let (play, _) = try run("git-credential get", request, hosts: Self.hosts + scheme) { stage in
      try stage.knowTerms()
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "at")
    }
    #expect(play.out.contains("password=at") != scheme.isEmpty)
    let (bazel, _) = try run(
      "bazel-credential get",
      #"{"uri":"https://git.example.org/x"}"#,
      hosts: Self.hosts + scheme
    ) { stage in
      try stage.knowTerms()
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "at")
    }
    #expect(bazel.out.contains(scheme.isEmpty ? "Bearer at" : "Basic YW5uOmF0"))
  }

  @Test
  func anotherAccountKeepsItsName() throws {
    let (play, hosts) = try run("git-credential store", Self.approved, hosts: "") { stage in
      try stage.knowAccount(VerbTests.account)
      #expect(try Self.noAccount(stage) == "git.example.org-ann-2")
      _ = try Self.takeSecret(stage, "git.example.org-ann-2")
    }
    #expect(play.code == .done && hosts.contains("account = git.example.org-ann-2\n"))
  }

  /// After each use, git stores the secret that it got.
  @Test(arguments: [true, false])
  func whatGitWritesBackIsNotStoredAgain(_ isLocked: Bool) throws {
    let (play, hosts) = try run("git-credential store", Self.approved) { stage in
      try stage.knowAccount(Self.account(isLocked ? .locked : .ready, isProtected: isLocked))
      let call = try stage.expect(AccessTokenCall.self)
      #expect(call.account == "git" && call.rejected == "hunter2" && stage.saysItAsks == false)
      try stage.fail(.loginRequired(account: "git", message: CommandError.refusedSecret))
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk == "" && hosts == Self.hosts)
  }

  @Test
  func aLockedAccountIsLeftAsItIs() throws {
    let (play, _) = try run("git-credential store", Self.approved) { stage in
      try stage.knowAccount(Self.account(.locked, isProtected: true))
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(prompt: "")
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk == "")
  }

  @Test(arguments: [AccountState.loginRequired, .signedOut])
  func anotherPasswordTakesItsPlace(_ state: AccountState) throws {
    let (play, hosts) = try run("git-credential store", Self.approved) { stage in
      try stage.knowAccount(Self.account(state))
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: Self.provider))
      let call = try Self.takeSecret(stage, "git")
      #expect(call.username == "ann" && call.label == "Forge")
    }
    #expect(play.code == .done && hosts == Self.hosts + "scheme = basic\n")
  }

  /// A project's URL with a password of its own makes git store that one.
  @Test(arguments: [Self.hosts, ""])
  func aPasswordThatCanBeUsedIsNotReplacedByGit(_ hosts: String) throws {
    let (play, left) = try run("git-credential store", Self.approved, hosts: hosts) { stage in
      try stage.knowAccount(Self.account())
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "another")
      try stage.expectEnd()
    }
    #expect(play.code == .done && left == hosts)
    #expect(play.talk.contains("to replace it: thumblatch store git"), "\(play.talk)")
  }

  @Test
  func aLoginOfDockerAsAnotherUserReplacesBoth() throws {
    let input = #"{"ServerURL":"git.example.org","Username":"eve","Secret":"hunter2"}"#
    let entry = "[git.example.org]\naccount = git\nscope = read\nusername = ann\nmin-ttl = 1m\n"
    let (play, hosts) = try run("docker-credential store", input, hosts: entry) { stage in
      try stage.knowAccount(Self.account())
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: Self.provider))
      #expect(try Self.takeSecret(stage, "git").username == "eve")
    }
    #expect(play.code == .done, "\(play.out)")
    #expect(
      hosts == "[git.example.org]\naccount = git\nscope = read\nmin-ttl = 60s\nusername = eve\n"
        + "scheme = basic\nstored-by = docker\n"
    )
  }

  /// Otherwise docker's list, and so podman logout --all, would not have it.
  @Test
  func aLoginOfDockerWithTheSameSecretIsListed() throws {
    let input = #"{"ServerURL":"git.example.org","Username":"ann","Secret":"hunter2"}"#
    let (play, hosts) = try run("docker-credential store", input) { stage in
      try stage.knowAccount(Self.account())
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "git", message: CommandError.refusedSecret))
      try stage.expectEnd()
    }
    #expect(play.code == .done && hosts == Self.hosts + "scheme = basic\nstored-by = docker\n")
  }

  /// Other hosts may still name an account that is gone.
  @Test
  func theNameOfALostAccountIsNotUsedAgain() throws {
    let other = "\n[b.org]\naccount = git.example.org-ann\n"
    let (play, hosts) = try run(
      "git-credential store",
      Self.approved,
      hosts: Self.hosts + other
    ) { stage in
      #expect(try Self.noAccount(stage) == "git")
      #expect(try Self.noAccount(stage) == "git.example.org-ann")
      #expect(try Self.noAccount(stage) == "git.example.org-ann-2")
      _ = try Self.takeSecret(stage, "git.example.org-ann-2")
    }
    #expect(play.code == .done && hosts.contains("[b.org]\naccount = git.example.org-ann\n"))
    #expect(hosts.contains("[git.example.org]\naccount = git.example.org-ann-2\n"), "\(hosts)")
  }

  @Test
  func theSecretOfAnotherHostIsNotReplaced() throws {
    let entry = "[a.org]\naccount = git\n"
    let input = #"{"token":"hunter2"}"#
    let (play, _) = try run("terraform-credential store a.org", input, hosts: entry) { stage in
      try stage.knowAccount(Self.account())
      try stage.knowTerms()
      try stage.knowAccount(Self.account())
      try stage.expectEnd()
    }
    #expect(play.code == .refused)
  }

  @Test
  func anItemOfTheSecretServiceIsNotReplaced() throws {
    let entry = "[localhost]\naccount = secret-01\n"
    let input = #"{"token":"hunter2"}"#
    let (play, _) = try run("terraform-credential store localhost", input, hosts: entry) { stage in
      try stage.knowAccount(StoreVerbTests.item)
      try stage.expectEnd()
    }
    #expect(play.code == .refused)
  }

  @Test
  func anotherUserOfTheHostIsNotStored() throws {
    let request = Self.approved.replacing("username=ann", with: "username=eve")
    let (play, _) = try run("git-credential store", request) { stage in
      try stage.knowAccount(Self.account())
      try stage.expectEnd()
    }
    #expect(play.code == .done && play.talk.contains("another user"))
  }

  @Test(arguments: [
    "protocol=https\nhost=git.example.org\npassword=hunter2\n",
    "protocol=http\nhost=git.example.org\nusername=u\npassword=hunter2\n",
    "protocol=https\nhost=evil.net#@x\nusername=u\npassword=hunter2\n",
    "protocol=https\nhost=a.org\nusername=u\npassword=hunter2\npassword_expiry_utc=1\n",
    "protocol=https\nhost=a.org\nusername=u\ncredential=hunter2\nauthtype=Bearer\n",
  ])
  func whatCouldNotBeUsedIsNotStored(_ request: String) throws {
    let (play, hosts) = try run("git-credential store", request, hosts: "") { try $0.expectEnd() }
    #expect(play.code == .done && play.talk == "" && hosts == "")
  }

  /// The name would be a line of its own in the file.
  @Test(arguments: ["a b", "a:b", "ä", "a\tb"])
  func aUserNameThatNoFileCouldHoldIsRefusedBefore(_ name: String) throws {
    let request = Self.approved.replacing("username=ann", with: "username=\(name)")
    let (play, hosts) = try run("git-credential store", request, hosts: "") { stage in
      _ = try Self.noAccount(stage)
      try stage.expectEnd()
    }
    #expect(play.code == .usage && hosts == "")
  }

  // MARK: - The others

  @Test(arguments: [
    (
      "docker-credential store",
      #"{"ServerURL":"git.example.org","Username":"ann","Secret":"hunter2"}"#
    ),
    ("terraform-credential store git.example.org", #"{"token":"hunter2"}"#),
    (
      "cargo-credential",
      #"{"v":1,"kind":"login","token":"hunter2","registry":{"index-url":"sparse+https://git.example.org/"}}"#
    ),
  ])
  func eachToolStores(_ line: String, _ input: String) throws {
    let (play, hosts) = try run(line, input, hosts: "") { stage in
      let name = try Self.noAccount(stage)
      _ = try Self.takeSecret(stage, name)
    }
    #expect(play.code == .done && hosts.hasPrefix("[git.example.org]\naccount = git.example.org"))
    #expect(hosts.contains("stored-by = docker\n") == line.hasPrefix("docker"))
    if line.hasPrefix("cargo") { #expect(play.out.contains(#"{"Ok":{"kind":"login"}}"#)) }
  }

  /// Git's protocol and HTTP have no escape for a line end.
  @Test
  func aSecretOfSeveralLinesReachesNoTool() throws {
    for (line, input) in [
      ("git-credential get", Self.approved), ("headers git", ""),
      ("docker-credential get", "git.example.org"),
    ] {
      let (play, _) = try run(line, input) { stage in
        if !line.hasPrefix("headers") { try stage.knowTerms() }
        _ = try stage.expect(AccessTokenCall.self)
        try stage.reply(token: "a\nquit=0\nusername=eve")
        try stage.knowAccount(Self.account())
      }
      #expect(play.code != .done && !play.out.contains("eve"))
    }
  }
}
