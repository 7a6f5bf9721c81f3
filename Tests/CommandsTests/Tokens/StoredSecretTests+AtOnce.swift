import Configuration
import Glibc
import PresenceTerms
import System
import Testing
import VaultInterface

@testable import Commands

// Another command writes into `hosts.conf` while a secret is stored.
extension StoredSecretTests {
  private func store(
    _ hosts: String,
    _ line: String = "git-credential store",
    input: String = approved,
    whileAnotherWrites other: String,
    before: @escaping @Sendable (Stage) throws -> String
  ) throws -> (play: Play, hosts: String) {
    let home = try ProviderHome()
    try home.writeHosts(hosts)
    let folder = home.path + "/thumblatch"
    let play = try home.run(line, input: Array(input.utf8)) { stage in
      let name = try before(stage)
      try Self.write(other, in: folder)
      _ = try Self.takeSecret(stage, name)
    }
    return (play, home.settings("thumblatch/hosts.conf") ?? "")
  }

  /// Writes `hosts.conf` as another command.
  static func write(_ hosts: String, in folder: String) throws {
    let directory = try Directory(path: folder)
    try directory.unlink("hosts.conf")
    try directory.create("hosts.conf").write(hosts)
  }

  @Test
  func anAccountThatTheHostGotSinceStays() throws {
    let other = "[git.example.org]\naccount = work\n"
    let (play, hosts) = try store("", whileAnotherWrites: other) { stage in
      try Self.noAccount(stage)
    }
    #expect(play.code == .done && hosts == other)
    #expect(!play.talk.contains("from now on"), "\(play.talk)")
    #expect(
      play.talk.contains(
        "still get tokens of work for git.example.org; to change that: thumblatch host remove"
          + " git.example.org, then thumblatch host add git.example.org git.example.org-ann"
      ),
      "\(play.talk)"
    )
  }

  @Test
  func aHostThatHasLostItsAccountSinceIsTold() throws {
    let (play, hosts) = try store(Self.hosts, whileAnotherWrites: "") { stage in
      try stage.knowAccount(Self.account(.loginRequired))
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: Self.provider))
      return "git"
    }
    #expect(play.code == .done && hosts == "")
    let command = "thumblatch host add git.example.org git"
    #expect(play.talk.contains("gets no token; to change that: \(command)"), "\(play.talk)")
  }

  /// A person stores a secret: the command does in the changed file what it was told to do.
  @Test(arguments: [
    ("", "[git.example.org]\naccount = git\n"), ("[git.example.org]\naccount = git\n", ""),
  ])
  func aStoredSecretIsServedByTheFileOfThen(_ former: String, _ other: String) throws {
    let line = "store git --host git.example.org --username bob --secret-stdin"
    let (play, hosts) = try store(former, line, input: "hunter2\n", whileAnotherWrites: other) {
      stage in
      try stage.knowAccount(Self.account())
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: Self.provider))
      return "git"
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(hosts == "[git.example.org]\naccount = git\nusername = bob\nscheme = basic\n")
  }

  /// A new user name is for each host of the account.
  @Test
  func aHostThatTheAccountGotSinceHasItsUserName() throws {
    let added = "\n[b.org]\naccount = git\n"
    let line = "store git --username bob --secret-stdin"
    let hosts = "[git.example.org]\naccount = git\n"
    let home = try ProviderHome()
    try home.writeHosts(hosts)
    let folder = home.path + "/thumblatch"
    let play = try home.run(line, input: Array("hunter2\n".utf8)) { stage in
      try stage.knowAccount(Self.account())
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: Self.provider))
      try Self.write(hosts + added, in: folder)
      _ = try Self.takeSecret(stage, "git")
      _ = try stage.knowTerms(hosts: ["b.org"])
    }
    #expect(play.code == .done, "\(play.talk)")
    let entries = try HostAccounts { home.environment[$0] }.read().entries
    #expect(entries.map(\.username) == ["bob", "bob"])
  }

  @Test
  func aSettingThatTheHostGotSinceStays() throws {
    let other = Self.hosts + "scope = read\n"
    let (play, hosts) = try store(Self.hosts, whileAnotherWrites: other) { stage in
      try stage.knowAccount(Self.account(.loginRequired))
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: Self.provider))
      return "git"
    }
    #expect(play.code == .done)
    #expect(
      hosts == "[git.example.org]\naccount = git\nscope = read\nusername = ann\nscheme = basic\n"
    )
  }

  /// A command that is killed between two writes would have done half.
  @Test
  func allHostsOfAnAccountLeaveDockersListInOneStep() throws {
    let home = try ProviderHome()
    let mark = "stored-by = docker\n"
    try home.writeHosts(Self.hosts + mark + "\n[b.org]\naccount = git\n" + mark)
    // Each write ends with the rename of a new file.
    let renames = Descriptor(owning: inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)))
    let folder = home.path + "/thumblatch"
    try #require(unsafe inotify_add_watch(renames.number, folder, UInt32(IN_MOVED_TO)) >= 0)
    try HostAccounts { home.environment[$0] }.unlist("git")
    let text = String(decoding: try renames.read(atMost: 4096), as: UTF8.self)
    #expect(text.ranges(of: "hosts.conf").count == 1)
    let hosts = try #require(home.settings("thumblatch/hosts.conf"))
    #expect(hosts.contains(Self.hosts) && hosts.contains("[b.org]") && !hosts.contains(mark))
  }
}
