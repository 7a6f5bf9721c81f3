import Glibc
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// Files of a person that this program changes, beside other runs.
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
}
