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
    whileAnotherWrites other: String,
    before: @escaping @Sendable (Stage) throws -> String
  ) throws -> (play: Play, hosts: String) {
    let home = try ProviderHome()
    try home.writeHosts(hosts)
    let folder = home.path + "/thumblatch"
    let input = Array(Self.approved.utf8)
    let play = try home.run("git-credential store", input: input) { stage in
      let name = try before(stage)
      let directory = try Directory(path: folder)
      try directory.unlink("hosts.conf")
      try directory.create("hosts.conf").write(other)
      _ = try Self.takeSecret(stage, name)
    }
    return (play, home.settings("thumblatch/hosts.conf") ?? "")
  }

  @Test
  func anAccountThatTheHostGotSinceStays() throws {
    let other = "[git.example.org]\naccount = work\n"
    let (play, hosts) = try store("", whileAnotherWrites: other) { stage in
      try Self.noAccount(stage)
    }
    #expect(play.code == .done && hosts == other)
    #expect(!play.talk.contains("from now on"), "\(play.talk)")
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
