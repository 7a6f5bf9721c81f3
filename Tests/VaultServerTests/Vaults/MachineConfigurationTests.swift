import Configuration
import Glibc
import MachineFiles
import Synchronization
import System
import TestSupport
import Testing
import VaultServer

private final class SetClock: Sendable {
  let seconds = Mutex<Int64>(1000)
}

/// A scratch directory in place of `/etc/thumblatch`, which this user may own.
private struct Machine {
  let scratch: ScratchDirectory
  let files: MachineConfiguration

  init(
    owners: Set<UInt32> = [ThisProcess.user],
    now: @escaping @Sendable () -> WallTime = { .now }
  ) throws {
    scratch = try ScratchDirectory()
    files = MachineConfiguration(MachineDirectory(path: scratch.path, owners: owners), now: now)
  }

  /// A directory, and the time that counts there, in seconds.
  static func atTime() throws -> (Machine, SetClock) {
    let clock = SetClock()
    return (try Machine(now: { WallTime(seconds: clock.seconds.withLock { $0 }) }), clock)
  }

  /// Sets when the files and the directories were last changed, in seconds.
  func set(change: Int) throws {
    var times = [timespec](repeating: timespec(tv_sec: change, tv_nsec: 0), count: 2)
    for name in ["", "/thumblatch.conf", "/conf.d", "/conf.d/a.conf", "/conf.d/c.conf"] {
      let result = unsafe utimensat(AT_FDCWD, scratch.path + name, &times, 0)
      try #require(result == 0 || errno == ENOENT)
    }
  }

  func write(_ name: String, _ text: String, mode: UInt32 = 0o644) throws {
    let directory = try scratch.open()
    try directory.unlink(name)
    try directory.create(name).write(text)
    try #require(unsafe chmod(scratch.path + "/" + name, mode) == 0)
  }

  func addProvider(_ name: String, _ text: String) throws {
    _ = try scratch.open().openDirectory("providers.d", create: true)
    let directory = try Directory(path: scratch.path + "/providers.d")
    try directory.unlink(name)
    try directory.create(name).write(text)
  }
}

private func provider(_ settings: [String: String], name: String = "dev") throws -> Provider {
  try Provider(
    name: ProviderName(name),
    settings: ["kind": "password-backend"].merging(settings) { $1 }
  )
}

@Suite
struct MachineConfigurationTests {
  @Test
  func withoutAFileTheDefaultsHold() throws {
    let machine = try Machine()
    #expect(try machine.files.policy() == Policy())
    #expect(
      try MachineConfiguration(MachineDirectory(path: machine.scratch.path + "/none")).policy()
        == Policy()
    )
    let nothing = try provider(["issuer": "http://127.0.0.1:1"])
    #expect(!machine.files.mayReachThisMachine(nothing))
  }

  @Test
  func aChangeHoldsFromTheNextQuestionOn() throws {
    let machine = try Machine()
    try machine.write("thumblatch.conf", "[Policy]\nwindow = 5\n")
    #expect(try machine.files.policy().window == 5)
    try machine.write("thumblatch.conf", "[Policy]\nwindow = 7\n")
    #expect(try machine.files.policy().window == 7)
  }

  /// An editor that writes the file in place empties it first.
  ///
  /// Another one renames the old file first.
  @Test(arguments: [true, false])
  func aFileThatIsBeingWrittenKeepsItsRulesForAMoment(isEmptied: Bool) throws {
    let (machine, clock) = try Machine.atTime()
    let files = machine.files
    func clear() throws {
      if isEmptied {
        try machine.write("thumblatch.conf", "")
      } else {
        try machine.scratch.open().unlink("thumblatch.conf")
      }
      try machine.set(change: 1000)
    }
    clock.seconds.withLock { $0 = 1000 }
    try machine.write("thumblatch.conf", "")
    #expect(try files.policy().window == 10)
    for _ in 0..<2 {
      clock.seconds.withLock { $0 = 1000 }
      try machine.write("thumblatch.conf", "[Policy]\nwindow = 5\n")
      #expect(try files.policy().window == 5)
      try clear()
      #expect(try files.policy().window == 5)
      clock.seconds.withLock { $0 = 1001 }
      #expect(try files.policy().window == 5)
      // What is written then holds at once.
      try machine.write("thumblatch.conf", "[Policy]\nwindow = 6\n")
      #expect(try files.policy().window == 6)
    }
    // The time begins with the change, and not with the first request after it.
    try clear()
    clock.seconds.withLock { $0 = 1002 }
    #expect(try files.policy().window == 10)
    // A change in the future is not one of just now.
    try machine.write("thumblatch.conf", "[Policy]\nwindow = 5\n")
    #expect(try files.policy().window == 5)
    try clear()
    clock.seconds.withLock { $0 = 999 }
    #expect(try files.policy().window == 10)
  }

  /// A file that has text takes effect at once, also while another one is being written.
  @Test
  func aNewRuleDoesNotWaitForAnotherFile() throws {
    let (machine, clock) = try Machine.atTime()
    let folder = try machine.scratch.open().openDirectory("conf.d", create: true)
    for name in ["a", "b", "c"] {
      try folder.create("\(name).conf").write("[Policy]\nwindow = 5\nnotify = all\n")
    }
    try machine.write("thumblatch.conf", "[Policy]\nwindow = 9\nremote = deny\n")
    #expect(try machine.files.policy().window == 5)
    try folder.unlink("b.conf")
    try folder.unlink("c.conf")
    try folder.create("c.conf").write("[Policy]\nwindow = 6\n")
    try machine.write("thumblatch.conf", "")
    try machine.set(change: 1000)
    for _ in 0..<2 {
      // The text of b.conf comes before that of c.conf, and the text of thumblatch.conf before all.
      #expect(try machine.files.policy().window == 6)
      #expect(try machine.files.policy().remote == .deny)
      #expect(try machine.files.policy().notify == .all)
    }
    try folder.unlink("a.conf")
    try machine.set(change: 1000)
    clock.seconds.withLock { $0 = 1002 }
    #expect(try machine.files.policy().window == 6)
    #expect(try machine.files.policy().remote == .password)
    #expect(try machine.files.policy().notify == .release)
  }

  @Test
  func aBrokenFileThatIsBeingCorrectedIsAnError() throws {
    let (machine, clock) = try Machine.atTime()
    clock.seconds.withLock { $0 = 1000 }
    for text in ["[Policy]\nwindows = 5\n", ""] {
      try machine.write("thumblatch.conf", text)
      try machine.set(change: 1000)
      #expect(throws: ConfigurationError.self) { try machine.files.policy() }
    }
    clock.seconds.withLock { $0 = 1002 }
    #expect(try machine.files.policy().window == 10)
  }

  @Test
  func aBrokenFileIsAnErrorWithItsPlaceAndNeverTheDefaults() throws {
    let machine = try Machine()
    try machine.write("thumblatch.conf", "[Policy]\nremote = deny\nwindows = 5\n")
    let error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
    #expect("\(error)" == "\(machine.scratch.path)/thumblatch.conf:3: windows: unknown key")
  }

  @Test
  func aFileThatOthersCanChangeIsRefused() throws {
    let machine = try Machine()
    for mode: UInt32 in [0o666, 0o664, 0o646] {
      try machine.write("thumblatch.conf", "[Policy]\nwindow = 5\n", mode: mode)
      let error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
      #expect("\(error)".contains("others may write to it"))
    }
    try machine.write("thumblatch.conf", "[Policy]\nwindow = 5\n")
    // The same for a file in a directory where other users could replace it.
    try #require(unsafe chmod(machine.scratch.path, 0o777) == 0)
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
    try #require(unsafe chmod(machine.scratch.path, 0o700) == 0)
    #expect(try machine.files.policy().window == 5)
  }

  @Test
  func aFileOfAnotherUserIsRefused() throws {
    let machine = try Machine(owners: [ThisProcess.user &+ 1])
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
  }

  @Test
  func whatIsNoRegularFileIsRefusedAndNotWaitedFor() throws {
    let machine = try Machine()
    let path = machine.scratch.path + "/thumblatch.conf"
    try #require(unsafe mkfifo(path, 0o600) == 0)
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
    try machine.scratch.open().unlink("thumblatch.conf")
    try machine.write("other", "[Policy]\nwindow = 60\n")
    try #require(unsafe symlink("other", path) == 0)
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
    try machine.scratch.open().unlink("thumblatch.conf")
    try machine.write("thumblatch.conf", String(repeating: "#", count: 65_537))
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
  }

  @Test
  func aProviderIsTheMachinesLetterByLetterWhateverItsName() throws {
    let machine = try Machine()
    try machine.addProvider(
      "intern.conf",
      "[Provider]\nkind = password-backend\nissuer = http://127.0.0.1:8000\n"
    )
    let files = machine.files
    #expect(files.mayReachThisMachine(try provider(["issuer": "http://127.0.0.1:8000/"])))
    #expect(
      files.mayReachThisMachine(try provider(["issuer": "http://127.0.0.1:8000"], name: "intern"))
    )
    for other in [
      ["issuer": "http://127.0.0.1:8001"],
      ["issuer": "http://127.0.0.1:8000", "proxy": "http://127.0.0.1:3128"],
      ["issuer": "http://127.0.0.1:8000", "api_hosts": "localhost"],
    ] {
      #expect(!files.mayReachThisMachine(try provider(other, name: "intern")))
    }
    // Removing the file removes the permission.
    try Directory(path: machine.scratch.path + "/providers.d").unlink("intern.conf")
    #expect(!files.mayReachThisMachine(try provider(["issuer": "http://127.0.0.1:8000"])))
  }

  @Test
  func aBrokenProviderFileStandsForNothingAndHidesNoOther() throws {
    let machine = try Machine()
    try machine.addProvider("a.conf", "[Provider]\nkind = ldap\n")
    try machine.addProvider(
      "b.conf",
      "[Provider]\nkind = password-backend\nissuer = http://127.0.0.1:8000\nca = gone.pem\n"
    )
    try machine.addProvider(
      "c.conf",
      "[Provider]\nkind = password-backend\nissuer = http://127.0.0.1:8001\n"
    )
    #expect(!machine.files.mayReachThisMachine(try provider(["issuer": "http://127.0.0.1:8000"])))
    #expect(machine.files.mayReachThisMachine(try provider(["issuer": "http://127.0.0.1:8001"])))
  }

  @Test
  func certificatesCountByTheirContents() throws {
    let machine = try Machine()
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    try machine.addProvider("own.pem", certificate)
    try machine.addProvider(
      "own.conf",
      "[Provider]\nkind = password-backend\nissuer = https://localhost\nca = own.pem\n"
    )
    let settings = ["issuer": "https://localhost", "ca": certificate]
    #expect(machine.files.mayReachThisMachine(try provider(settings)))
    #expect(!machine.files.mayReachThisMachine(try provider(["issuer": "https://localhost"])))
    // Only users who may change the provider file may change the certificates.
    try #require(unsafe chmod(machine.scratch.path + "/providers.d/own.pem", 0o666) == 0)
    #expect(!machine.files.mayReachThisMachine(try provider(settings)))
  }

  @Test
  func certificatesInADirectoryThatOthersMayWriteToCountForNothing() throws {
    let machine = try Machine()
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
    let elsewhere = try machine.scratch.open().openDirectory("elsewhere", create: true)
    try elsewhere.create("own.pem").write(certificate)
    let path = machine.scratch.path + "/elsewhere"
    try machine.addProvider(
      "own.conf",
      "[Provider]\nkind = password-backend\nissuer = https://localhost\nca = \(path)/own.pem\n"
    )
    let settings = ["issuer": "https://localhost", "ca": certificate]
    #expect(machine.files.mayReachThisMachine(try provider(settings)))
    for mode: UInt32 in [0o777, 0o770, 0o707] {
      try #require(unsafe chmod(path, mode) == 0)
      #expect(!machine.files.mayReachThisMachine(try provider(settings)))
    }
  }
}
