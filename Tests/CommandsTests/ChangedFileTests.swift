import Glibc
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// Files of a person that this program changes, beside other runs and behind links.
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

  /// Git stores two passwords at once. The vault has both, and each host must get its own.
  @Test
  func aChangeWaitsForThatOfAnotherRun() throws {
    let path = folder
    let (near, far) = try UnixSocket.pair()
    let ready = Descriptor(owning: near)
    let taken = HeldDescriptor(Descriptor(owning: far))
    let run = BackgroundThread {
      let directory = try Directory(path: path)
      #expect(try directory.descriptor.lockExclusively())
      try taken.descriptor.write("1")
      usleep(300_000)
      directory.descriptor.unlock()
    }
    #expect(try ready.waitReadable(milliseconds: 60_000))
    let play = try addHost()
    #expect(play.code == .done, "\(play.talk)")
    #expect(run.join() == nil)
    // A run that holds it for long is not waited for.
    let directory = try Directory(path: path)
    #expect(try directory.descriptor.lockExclusively())
    #expect(throws: CommandError.self) { try UserDirectory(path).lock(for: [], within: 100) }
  }

  @Test
  func theFilesOfKilledRunsAreRemoved() throws {
    let left = [".hosts.conf.4711", ".hosts.conf.12"]
    let others = [".hosts.conf.", ".hosts.conf.1a", ".hosts.conf.old", ".a.conf.12", "hosts.conf.12"]
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

  /// Without a file behind it, the link is replaced.
  @Test
  func aLinkThatLeadsNowhereIsReplaced() throws {
    try Directory(path: folder).unlink("hosts.conf")
    #expect(unsafe symlink("nowhere", folder + "/hosts.conf") == 0)
    #expect(try addHost().code == .done)
    #expect(try kind(Self.hosts) == S_IFREG)
  }
}
