import Configuration
import Glibc
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// Files of a person that this program changes, at the same time as other runs and through links.
struct ChangedFileTests {
  private static let hosts = "thumblatch/hosts.conf"
  private static let other = "[b.org]\naccount = other\n"

  private let home: ProviderHome
  private var folder: String { home.path + "/thumblatch" }

  init() throws {
    home = try ProviderHome()
    try home.writeHosts(Self.other)
  }

  private func addHost() throws -> Play {
    try home.run("host add a.org work") { stage in
      let call = try stage.expect(RequestTermsCall.self)
      try stage.fail(.noSuchAccount(account: call.account ?? ""))
    }
  }

  private func kind(_ name: String) throws -> mode_t {
    var status = stat()
    try #require(unsafe lstat("\(home.path)/\(name)", &status) == 0)
    return status.st_mode & S_IFMT
  }

  /// Git stores several passwords at once.
  ///
  /// The vault has all of them, and each host must get its own.
  @Test
  func aChangeWaitsForThatOfAnotherRun() throws {
    let environment = home.environment
    let runs = (0..<4).map { run in
      BackgroundThread {
        let hosts = try HostAccounts { environment[$0] }
        for number in 0..<3 {
          let host = try TokenHost("h\(run)\(number).org")
          try hosts.add(host, settings: [(key: "account", value: "work")])
        }
      }
    }
    for run in runs { #expect(run.join() == nil) }
    #expect(try HostAccounts { environment[$0] }.read().entries.count == 13)
    // A change does not wait without limit for a run that holds the lock.
    let directory = try Directory(path: folder)
    #expect(try directory.descriptor.lockExclusively())
    #expect(throws: CommandError.self) { try UserDirectory(folder).lock(for: [], within: 100) }
  }

  @Test
  func theFilesOfKilledRunsAreRemoved() throws {
    let left = [".hosts.conf.4711", ".hosts.conf.12"]
    let others = [
      ".hosts.conf.", ".hosts.conf.1a", ".hosts.conf.old", ".a.conf.12", "hosts.conf.12",
    ]
    let directory = try Directory(path: folder)
    for name in left + others { _ = try directory.create(name) }
    #expect(try addHost().code == .done)
    #expect(try directory.names().sorted() == (others + ["hosts.conf"]).sorted())
  }

  @Test
  func aFileThatIsKeptElsewhereIsChangedThere() throws {
    try home.writeSettings(Self.other, "dotfiles/hosts")
    try Directory(path: folder).unlink("hosts.conf")
    #expect(unsafe symlink("../dotfiles/hosts", folder + "/hosts.conf") == 0)
    #expect(try addHost().code == .done)
    #expect(try kind(Self.hosts) == S_IFLNK)
    #expect(home.settings("dotfiles/hosts")?.contains("[a.org]\naccount = work\n") == true)
    // An account is renamed.
    _ = try HostAccounts { home.environment[$0] }.changeAll(of: "work", to: "new")
    #expect(try kind(Self.hosts) == S_IFLNK)
    #expect(home.settings("dotfiles/hosts")?.contains("[a.org]\naccount = new\n") == true)
  }

  @Test
  func aDirectoryMayBeALink() throws {
    #expect(unsafe rename(folder, home.path + "/dotfiles") == 0)
    #expect(unsafe symlink("dotfiles", folder) == 0)
    #expect(try addHost().code == .done)
    #expect(home.settings("dotfiles/hosts.conf")?.contains("[a.org]") == true)
    _ = try Directory.make(path: home.path + "/settings")
    for (tool, name) in [("codex", "config.toml"), ("claude-code", "settings.json")] {
      let link = "\(home.path)/\(tool.split(separator: "-")[0])"
      #expect(unsafe symlink("settings", link) == 0)
      let line = "setup \(tool) work --url https://a.example --yes"
      let play = try home.run(line) { stage in
        _ = try stage.expect(RequestTermsCall.self)
        try stage.fail(.noSuchAccount(account: "work"))
      }
      #expect(play.code == .done, "\(play.talk)")
      #expect(home.settings("settings/thumblatch-work.\(name)") != nil)
    }
    #expect(try home.run("setup --undo").code == .done)
    #expect(try Directory(path: home.path + "/settings").names() == [])
  }

  /// Root may run with the home directory of a person.
  ///
  /// A link of that person could lead it to a file of its own. Only root can make another owner.
  @Test
  func aLinkOfAnotherUserIsNotFollowed() throws {
    try home.writeSettings(Self.other, "dotfiles/hosts")
    try Directory(path: folder).unlink("hosts.conf")
    #expect(unsafe symlink("../dotfiles/hosts", folder + "/hosts.conf") == 0)
    try #require(unsafe chown(folder, 12345, 12345) == 0)
    #expect(try addHost().code == .unsafeVault)
    #expect(home.settings("dotfiles/hosts") == Self.other)
    let link = home.path + "/codex"
    #expect(unsafe symlink("dotfiles", link) == 0)
    let environment = home.environment
    #expect(try Tool.codex.directory { environment[$0] } != link)
    // A link in place of the directory.
    try #require(unsafe chown(folder, 0, 0) == 0)
    #expect(unsafe rename(folder, home.path + "/real") == 0)
    #expect(unsafe symlink("real", folder) == 0)
    try #require(unsafe chown(home.path, 12345, 12345) == 0)
    #expect(try addHost().code == .usage)
    #expect(home.settings("dotfiles/hosts") == Self.other)
    for (owner, mode) in [(12345, 0o700), (0, 0o1777)] as [(uid_t, mode_t)] {
      try #require(unsafe chown(home.path, owner, owner) == 0)
      try #require(unsafe chmod(home.path, mode) == 0)
      #expect(try Tool.codex.directory { environment[$0] } == link)
    }
  }

  /// A link that leads to no file is replaced.
  @Test
  func aLinkThatLeadsNowhereIsReplaced() throws {
    try Directory(path: folder).unlink("hosts.conf")
    #expect(unsafe symlink("nowhere", folder + "/hosts.conf") == 0)
    #expect(try addHost().code == .done)
    #expect(try kind(Self.hosts) == S_IFREG)
  }
}
