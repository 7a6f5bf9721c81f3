import Glibc
import HelperInterface
import MachineKey
import SecretMemory
import System
import TPM
import TestSupport
import Testing
import Varlink

/// The shipped program, with a software TPM as its `/dev/tpmrm0`.
struct SecretProgramTests {
  private static func output(_ device: String?, _ program: [String]) throws -> String {
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let child: ChildProcess
    do {
      let theirs = Descriptor(owning: far)
      child = try ChildProcess(
        path: "/usr/bin/unshare",
        arguments: DeviceDirectory.arguments(device, program),
        environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"],
        descriptors: [-1, theirs.number, theirs.number]
      )
    }
    let text = String(decoding: try ours.readAll(limit: 1 << 20), as: UTF8.self)
    #expect(try child.wait() == .exited(0), "\(text)")
    return text
  }

  @Test
  func theEngineSealsOpensAndCountsThroughIt() throws {
    let bench = try Bench()
    let text = try Self.output(bench.chip.device, [BuiltPrograms.path("TPMCaller")])
    let lines = text.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        "facts IBM 4", "seal 34", "open true", "other wrongAuthorization", "define done",
        "increment 1", "read 1", "opening 1 1 0", "opening whose process ends 1",
        "opening without a counter 0", "another key anotherTPM", "remove done",
        "remove again done", "gone noCounter",
      ]
    )
    #expect(try bench.chip.command("left") == "nothing")
  }

  @Test
  func withoutATPMItSaysSo() throws {
    let directory = try ScratchDirectory()
    try directory.open().create("file").write("no device")
    let file = directory.path + "/file"
    for device in [nil, "/dev/null", file] {
      let text = try Self.output(device, [BuiltPrograms.path("TPMCaller"), "facts"])
      #expect(text == "facts absent\n")
    }
    for path in [directory.path, directory.path + "/none", file + "/none", "/dev/null"] {
      #expect(throws: TPMFailure.absent) { try TPMDevice(path: path).facts() }
    }
  }

  @Test
  func aDeviceThatMayNotBeOpenedIsTold() throws {
    let bench = try Bench()
    try #require(unsafe chmod(bench.chip.device, 0) == 0)
    // Root without capabilities is its owner, as another user is.
    let isRoot = ThisProcess.user == 0
    let wrapper = isRoot ? ["/usr/bin/setpriv", "--bounding-set=-all", "--inh-caps=-all"] : []
    let text = try Self.output(
      bench.chip.device,
      wrapper + [BuiltPrograms.path("TPMCaller"), "facts"]
    )
    #expect(text == "facts notPermitted\n")
  }

  @Test
  func aNodeThatAnswersNonsenseIsNoAbsentTPM() throws {
    let bench = try Bench()
    try bench.chip.command("garbage")
    do throws(TPMFailure) {
      _ = try bench.tpm.facts()
      Issue.record("nonsense is taken for an answer")
    } catch {
      guard case .unexpected = error else {
        Issue.record("\(error)")
        return
      }
    }
  }

  @Test
  func aTPMThatTakesItsTimeForTheFirstAnswerIsBusy() throws {
    let bench = try Bench()
    try bench.chip.command("silence 2")
    #expect(try bench.tpm.facts().maker == "IBM")
    try bench.chip.command("silence ff")
    #expect(throws: TPMFailure.busy) { try bench.tpm.facts() }
  }

  @Test
  func oneThatGivesNoAnswerIsGivenUp() throws {
    let bench = try Bench()
    try bench.chip.command("hold \(Bench.Command.createPrimary.rawValue)")
    let program = try SecretProcess(device: bench.chip.device)
    try program.send(SealSecretCall(secret: bench.secret, authorization: bench.authorization))
    #expect(try bench.chip.line() == "held")
    let other = try Bench()
    // TPM2_GetCapability.
    try other.chip.command("hold 17a")
    let text = try Self.output(other.chip.device, [BuiltPrograms.path("TPMCaller"), "facts"])
    #expect(text == "facts unreachable(\"the TPM did not answer in time\")\n")
    // Nor does the program wait without limit.
    #expect(try program.reply() == nil)
    #expect(try program.end() == (.signalled(SIGALRM), ""))
  }

  @Test
  func itAnswersOneRequestAndPrintsNothing() throws {
    let bench = try Bench()
    let sealed = try bench.seal()
    let talkative = ["TSS2_LOG=all+trace", "TSS2_LOGFILE=stderr", "OPENSSL_CONF=/nonexistent"]
    let program = try SecretProcess(device: bench.chip.device, environment: talkative)
    let call = OpenSecretCall(sealed, authorization: bench.authorization)
    try program.send(call)
    guard case .done(let opened)? = try program.ask(call) else {
      Issue.record("not opened")
      return
    }
    let isSame = SecretBytes.constantTimeEqual(opened.bytes, bench.secret.bytes)
    #expect(isSame)
    #expect(try program.reply() == nil)
    #expect(try program.end() == (.exited(0), ""))
    // An error is one of the library as well, which would print it.
    let other = try SecretProcess(device: bench.chip.device, environment: talkative)
    let reply = try other.ask(OpenSecretCall(sealed, authorization: bench.secret))
    guard case .failed(.wrongAuthorization, nil)? = reply else {
      Issue.record("\(String(describing: reply))")
      return
    }
    other.leave()
    #expect(try other.end() == (.exited(0), ""))
  }

  @Test
  func whatItDoesNotKnowIsAnsweredByAnErrorAndItsEnd() throws {
    for text in [
      #"{"method":"io.thumblatch.Helper.GetReader"}"#,
      #"{"method":"io.thumblatch.Helper.Nothing"}"#,
      #"{"method":"io.thumblatch.Helper.SealSecret","parameters":{"secret":"AAAA"}}"#,
    ] {
      let program = try SecretProcess(device: nil)
      try program.send(text)
      #expect(try program.reply()?.error != nil)
      #expect(try program.end() == (.exited(0), ""))
    }
    let program = try SecretProcess(device: nil)
    try program.send("nothing that is a call")
    #expect(try program.reply() == nil)
    #expect(try program.end() == (.exited(1), ""))
    let misused = try SecretProcess(device: nil, arguments: ["--path", "/dev/tpm0"])
    #expect(try misused.end() == (.exited(2), ""))
  }

  @Test
  func itGainsNothingAndIsNotDumped() throws {
    let bench = try Bench()
    try bench.chip.command("hold \(Bench.Command.createPrimary.rawValue)")
    let program = try SecretProcess(device: bench.chip.device)
    try program.send(SealSecretCall(secret: bench.secret, authorization: bench.authorization))
    #expect(try bench.chip.line() == "held")
    let process = "/proc/\(program.child.identifier)"
    let directory = try Directory(path: process)
    let status = String(
      decoding: try directory.openForReading("status").readAll(limit: 1 << 16),
      as: UTF8.self
    )
    #expect(status.contains("\nNoNewPrivs:\t1\n"))
    let limits = String(
      decoding: try directory.openForReading("limits").readAll(limit: 1 << 16),
      as: UTF8.self
    )
    let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core") }
    #expect(core?.split(separator: " ").filter { $0 == "0" }.count == 2)
    try bench.chip.command("release")
    #expect(try program.reply() != nil)
  }

  @Test
  func aKilledOneLeavesNothingToTheNext() throws {
    let bench = try Bench()
    let sealed = try bench.seal()
    try bench.chip.command("hold \(Bench.Command.unseal.rawValue)")
    let program = try SecretProcess(device: bench.chip.device)
    try program.send(OpenSecretCall(sealed, authorization: bench.authorization))
    #expect(try bench.chip.line() == "held")
    program.child.kill()
    #expect(try program.end().0 == .signalled(SIGKILL))
    // The storage key, the object and the session, which the kernel flushes as the bridge does.
    #expect(try bench.chip.command("left").split(separator: " ").count == 3)
    #expect(try bench.opens(sealed))
    #expect(try bench.chip.command("left") == "nothing")
  }
}
