import Configuration
import Glibc
import MachineFiles
import System
import TestSupport
import Testing

@Suite
struct DropInTests {
  @Test
  func dropInsAreReadAfterTheFileInByteOrderOfTheirNames() throws {
    let machine = try MachineScratch()
    try machine.write("conf.d/9.conf", "[Policy]\nwindow = 9\n")
    try machine.write("conf.d/10.conf", "[Policy]\nwindow = 10\naccounts = 10\n")
    try machine.write("conf.d/a.conf", "[Policy]\nwindow = 11\n")
    try machine.write("conf.d/Z.conf", "[Policy]\nwindow = 12\nstore = 12\n")
    try machine.write("thumblatch.conf", "[Policy]\nwindow = 1\nremote = deny\naccounts = 1\n")
    let policy = try machine.files.policy()
    // 1 < 9 < Z < a.
    #expect(policy.window == 11)
    #expect(policy.store == 12)
    #expect(policy.accounts == 10)
    #expect(policy.remote == .deny)
  }

  @Test
  func dropInsHoldWithoutTheFile() throws {
    let machine = try MachineScratch()
    try machine.write("conf.d/fleet.conf", "[Policy]\nremote = deny\n")
    #expect(try machine.files.policy().remote == .deny)
  }

  @Test
  func aDropInThatOthersCanChangeIsAnError() throws {
    for mode: UInt32 in [0o666, 0o664, 0o646] {
      let machine = try MachineScratch()
      try machine.write("conf.d/x.conf", "[Policy]\n", mode: mode)
      let error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
      #expect("\(error)" == "\(machine.path)/conf.d/x.conf: cannot be read: others may write to it")
    }
    let machine = try MachineScratch()
    try machine.write("conf.d/x.conf", "[Policy]\n")
    try #require(unsafe chmod(machine.path + "/conf.d", 0o777) == 0)
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
  }

  @Test
  func aDropInOfAnotherOwnerIsAnError() throws {
    let machine = try MachineScratch()
    try machine.write("conf.d/x.conf", "[Policy]\n")
    try #require(unsafe chown(machine.path + "/conf.d/x.conf", 4_000_000, 0) == 0)
    let error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
    #expect("\(error)".contains("it belongs to user 4000000"))
  }

  @Test
  func aLinkIsAnErrorWhereverItLeads() throws {
    for (name, end) in [("conf.d/x.conf", "../ok.conf"), ("conf.d/x.conf", "nowhere")] {
      let machine = try MachineScratch()
      try machine.folder("conf.d")
      try machine.write("ok.conf", "[Policy]\nwindow = 5\n")
      try #require(unsafe symlink(end, machine.path + "/" + name) == 0)
      let error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
      #expect("\(error)".hasSuffix("conf.d/x.conf: cannot be read: it is a symbolic link"))
    }
    let machine = try MachineScratch()
    try machine.write("elsewhere/x.conf", "[Policy]\nwindow = 5\n")
    try #require(unsafe symlink("elsewhere", machine.path + "/conf.d") == 0)
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
  }

  @Test
  func thatWhichIsNoRegularFileIsAnErrorAndNotWaitedFor() throws {
    var machine = try MachineScratch()
    try machine.folder("conf.d")
    try #require(unsafe mkfifo(machine.path + "/conf.d/x.conf", 0o600) == 0)
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
    machine = try MachineScratch()
    try machine.folder("conf.d")
    _ = try Directory(path: machine.path + "/conf.d").openDirectory("x.conf", create: true)
    let error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
    #expect("\(error)".contains("it is not a regular file"))
    machine = try MachineScratch()
    try machine.write("conf.d", "[Policy]\n")
    #expect(throws: ConfigurationError.self) { try machine.files.policy() }
  }

  @Test
  func largeAndBinaryFilesAreErrors() throws {
    var machine = try MachineScratch()
    try machine.write("conf.d/x.conf", [UInt8](repeating: 0x23, count: 1 << 20))
    var error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
    #expect("\(error)".contains("x.conf: cannot be read: it is larger than 65536 bytes"))
    machine = try MachineScratch()
    try machine.write("conf.d/x.conf", [0x5B, 0xFF, 0x5D])
    error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
    #expect("\(error)".hasSuffix("x.conf: holds a control character or is not UTF-8"))
  }

  @Test
  func aNameThatIsNotTextIsAnErrorAndNotPassedOver() throws {
    let machine = try MachineScratch()
    try machine.folder("conf.d")
    let path = Array((machine.path + "/conf.d/").utf8) + [0xFF] + Array(".conf\0".utf8)
    let file = unsafe path.withUnsafeBytes {
      unsafe open($0.assumingMemoryBound(to: CChar.self).baseAddress!, O_CREAT | O_WRONLY, 0o644)
    }
    try #require(file >= 0)
    _ = Descriptor(owning: file)
    let error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
    #expect("\(error)".contains("its name is not UTF-8"))
  }

  @Test
  func tooManyFilesAreAnErrorAndNoneIsRead() throws {
    let machine = try MachineScratch()
    try machine.folder("conf.d")
    let folder = try Directory(path: machine.path + "/conf.d")
    for number in 0..<10_000 { _ = try folder.create("\(number).conf") }
    let begun = BootInstant.now
    let error = try #require(throws: ConfigurationError.self) { try machine.files.policy() }
    #expect(
      "\(error)" == "\(machine.path)/conf.d: must be a directory of at most 64 files"
    )
    #expect(BootInstant.now.nanoseconds - begun.nanoseconds < 2_000_000_000)
  }

  @Test
  func otherNamesAreIgnored() throws {
    let machine = try MachineScratch()
    try machine.write("conf.d/README", "nothing")
    try machine.write("conf.d/x.conf.dpkg-old", "[Policy]\nwindow = 5\n")
    try machine.write("conf.d/.x.conf", "[Policy]\nwindow = 5\n")
    #expect(try machine.files.policy() == Policy())
  }
}
