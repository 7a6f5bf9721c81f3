import Glibc
import JSON
import System
import TestSupport
import Testing

/// The counter of the TPM.
extension MachineKeyStoryTests {
  /// The result of the engine's comparison with the counter.
  func counter(_ person: Someone) throws -> String? {
    let text = try person.run("device-secret", "status", "--json").succeeded()
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else { return nil }
    return try object.string("counter")
  }

  @Test
  func anOldCopyOfTheWholeDirectoryIsRefusedUntilItIsAccepted() throws {
    let person = try person(try SoftwareTPM())
    try addTPM(person)
    #expect(try counter(person) == "current")
    try person.endEngine()
    try shell("cp -a \(person.state) \(person.base)/copy")
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    try person.endEngine()

    try shell("rm -r \(person.state) && cp -a \(person.base)/copy \(person.state)")
    try person.expireTokens()
    let refused = try person.run("token", "me")
    #expect(refused.end == .exited(6), "\(refused.text)")
    #expect(refused.text.contains("was restored from an old copy"))
    #expect(refused.text.contains("thumblatch recover"))
    let status = try person.run("status")
    #expect(status.text.contains("was restored from an old copy"), "\(status.text)")
    #expect(try counter(person) == "refused")
    // The next engine finds the same.
    try person.endEngine()
    #expect(try person.run("token", "me").end == .exited(6))

    let shown = try person.allowed("accept a vault that was restored from a copy", ["recover"])
    #expect(shown.contains("accounts to sign in again: me"))
    #expect(try counter(person) == "current")
    #expect(try person.run("token", "me", "--no-input").end == .exited(4))
    try person.endEngine()
    #expect(try person.run("status").succeeded().contains("none: the directory matches"))
    // The copy stays an old one.
    try person.endEngine()
    try shell("rm -r \(person.state) && cp -a \(person.base)/copy \(person.state)")
    #expect(try person.run("whoami", "me").end == .exited(6))
  }

  /// When a round kills the engine.
  private enum Step: CaseIterable {
    /// The token was returned; the counter is incremented on another thread.
    case reply
    /// The TPM opens the slot.
    case opening
    /// The TPM reads the counter.
    case comparison
    /// The TPM begins to read the counter again, before the next ledger is written.
    case changedBox
    /// The next ledger is written, and the TPM increments the counter.
    case increment
    /// The next ledger is written, and the TPM never gets the command.
    case lostIncrement

    /// The TPM's commands until then; the last one is held.
    var commands: [String] {
      switch self {
      case .reply: []
      case .opening: ["131"]
      case .comparison: ["14e"]
      case .changedBox: ["14e", "131"]
      case .increment, .lostIncrement: ["134"]
      }
    }
  }

  /// Has the token refreshed, and kills the engine at a step.
  private func refresh(_ person: Person, _ tpm: SoftwareTPM, killedAt step: Step) throws {
    try person.expireTokens()
    var token: Run?
    try hold(step.commands, of: tpm) { token = try person.start(["token", "me"]) }
    if step == .reply {
      #expect(try token?.text().hasPrefix("at_") == true)
    } else {
      // It would call the next engine.
      token?.child.kill()
    }
    _ = try token?.child.wait()
    try person.killEngine()
    switch step {
    case .reply: break
    case .lostIncrement: try killHelper(person)
    default: try tpm.command("release")
    }
    try endConversation(person, with: tpm)
  }

  /// Replaces the directory with the copy, which is refused, and removes it again.
  private func expectRefusalOfCopy(_ person: Person) throws {
    let present = person.base + "/present"
    try shell("mv \(person.state) \(present) && cp -a \(person.base)/copy \(person.state)")
    try person.expireTokens()
    let refused = try person.run("token", "me")
    #expect(refused.end == .exited(6), "\(refused.text)")
    #expect(refused.text.contains("was restored from an old copy"))
    try person.endEngine()
    try shell("rm -r \(person.state) && mv \(present) \(person.state)")
  }

  /// The hundreds of rounds: six of them are a hundred rounds for each step (`Scripts/counter`).
  private static let hundreds: ClosedRange<Int> = {
    let wanted = ThisProcess.environment("THUMBLATCH_TEST_HUNDREDS").flatMap { Int($0) }
    return 1...max(1, wanted ?? 1)
  }()

  /// A hundred rounds, shared among the steps; an alarm would stay until it is accepted.
  @Test(arguments: hundreds)
  func aKilledEngineIsNoAlarmAndAnOldCopyIsOne(_ hundred: Int) throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    try addTPM(person)
    try person.endEngine()
    try shell("cp -a \(person.state) \(person.base)/copy")
    for round in 1...100 {
      // Six hundreds in turn have each step equally often.
      let step = Step.allCases[((hundred - 1) * 100 + round) % Step.allCases.count]
      try refresh(person, tpm, killedAt: step)
      // Each step is the last one before a copy.
      guard round.isMultiple(of: 11) else { continue }
      try expectRefusalOfCopy(person)
      try shell("cd \(person.base) && rm -r copy && cp -a \(person.state) copy")
    }
    try person.endEngine()
    #expect(try counter(person) == "current")
    #expect(try person.run("status").succeeded().contains("none: the directory matches"))
  }

  /// A program that may open the device removes the counter, and defines another one at its index.
  @Test
  func aCounterThatIsDefinedAgainIsRefusedUntilTheVaultIsAccepted() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    try addTPM(person)
    try person.expireTokens()
    // CounterLedger.swift has the format.
    let index = try python(
      """
      import sys
      with open(sys.argv[1], "rb") as ledger:
          print(hex(int.from_bytes(ledger.read()[32:36], "little")), end="")
      """,
      person.state + "/machine-key/ledger"
    )
    let files = "cd \(person.state)/machine-key && find . -type f | sort | xargs sha256sum"
    let before = try shell(files)
    let defining = [
      "--size=8", "--attributes=authread|authwrite|no_da|nt=1", "--index-auth=other",
    ]
    for change in [
      ["tpm2_nvundefine", index],
      // Before its first increment, a counter cannot be read.
      ["tpm2_nvdefine", index] + defining,
      ["tpm2_nvincrement", index, "--auth=other"],
    ] {
      #expect(try tpm.end(of: change[0], Array(change.dropFirst())) == .exited(0), "\(change)")
      let refused = try person.run("token", "me")
      #expect(refused.end == .exited(6), "\(change): \(refused.text)")
      #expect(refused.text.contains("the TPM's counter was removed or replaced"))
      #expect(refused.text.contains("accept it: thumblatch recover"))
      #expect(try counter(person) == "refused")
      try person.endEngine()
      #expect(try shell(files) == before)
    }
    try person.allowed("accept a vault that was restored from a copy", ["recover"])
    #expect(try counter(person) == "current")
    try person.endEngine()
    #expect(try person.run("status").succeeded().contains("none: the directory matches"))
  }

  @Test
  func aTPMWithoutRoomIsAddedAndGetsItsCounterLater() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    // TPM_RC_NV_SPACE for the next TPM2_NV_DefineSpace.
    try tpm.command("fail 14b 1 12a")
    try addTPM(person)
    #expect(try counter(person) == "none")
    let status = try person.run("device-secret", "status").succeeded()
    #expect(status.contains("cannot be detected: the directory has no TPM counter"))
    #expect(status.contains("the TPM has no room for a counter"))
    try person.endEngine()
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))

    let shown = try person.allowed(
      "change the slots of the machine key (add tpm)",
      ["device-secret", "add", "tpm"]
    )
    #expect(shown.contains("added the TPM of this machine"))
    #expect(try counter(person) == "current")
    try person.endEngine()
    #expect(try counter(person) == "current")
  }
}
