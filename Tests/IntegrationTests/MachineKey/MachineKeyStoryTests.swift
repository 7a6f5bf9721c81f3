import Glibc
import JSON
import System
import TestSupport
import Testing

/// The machine key as a person meets it: the built programs, with a software TPM as `/dev/tpmrm0`.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct MachineKeyStoryTests {
  /// A person with an account, whose machine has this TPM.
  func person(_ tpm: SoftwareTPM? = nil) throws -> Person {
    let person = try Person()
    person.machine = try MachineWithTPM()
    try person.register()
    if let tpm { try plug(tpm, person) }
    return person
  }

  /// Ends the engine, and puts a TPM into the machine; `nil` for none.
  func plug(_ tpm: SoftwareTPM?, _ person: Person) throws {
    try person.endEngine()
    try person.machine?.plug(tpm, for: person.user.user)
  }

  /// Adds the TPM at a terminal; returns the recovery code.
  @discardableResult
  func addTPM(_ person: Person) throws -> String {
    let terminal = try person.terminal("device-secret", "add", "tpm")
    try terminal.expect(
      "Type the system password to change the slots of the machine key (add tpm)"
    )
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    try terminal.expect("shown only now:")
    let shown = try terminal.expect("Write it down")
    let code = shown.filter { !$0.isWhitespace }
    #expect(code.count == 42 && code.split(separator: "-").count == 9)
    try terminal.expect("The recovery code again: ")
    try terminal.enter(String(code.dropLast()))
    try terminal.expect("a recovery code has 34 letters and digits, and this has 33")
    try terminal.expect("The recovery code again: ")
    try terminal.enter(code.lowercased().replacing("-", with: " "))
    let end = try terminal.end()
    #expect(!end.contains(Person.systemPassword))
    #expect(terminal.screen.contains("re-encrypted 1 vault"))
    return code
  }

  func tier(_ person: Someone) throws -> String? {
    let text = try person.run("device-secret", "status", "--json").succeeded()
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else { return nil }
    return try object.string("tier")
  }

  @Test
  func theTPMOrTheCodeOpensTheVaultAndNothingElseDoes() throws {
    let person = try person()
    #expect(try tier(person) == "file")
    let refused = try person.run("device-secret", "add", "tpm", "--no-input")
    #expect(refused.end == .exited(2) && refused.text.contains("no TPM"))
    #expect(try person.run("device-secret", "add", "recovery").end == .exited(2))

    let file = "the device secret is in a private file: a copy of the directory opens the vault"
    #expect(try person.run("doctor").text.contains(file))
    try plug(try SoftwareTPM(), person)
    #expect(try person.run("device-secret", "add", "tpm", "--no-input").end == .exited(7))
    let code = try addTPM(person)
    #expect(try tier(person) == "tpm")
    let needed = "the vault needs the TPM of this machine or the recovery code"
    #expect(try person.run("doctor").text.contains(needed))
    #expect(try person.run("device-secret", "test").succeeded().contains("opens"))
    #expect(try person.run("status").succeeded().contains("TPM (or the recovery code)"))
    #expect(try shell("grep -rlF -e \(code) \(person.state) || true") == "")
    try person.endEngine()
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))

    // Without the TPM.
    try plug(nil, person)
    try person.expireTokens()
    for words in [["token", "me"], ["status"], ["rekey", "--no-input"]] {
      let outcome = try person.run(words)
      #expect(outcome.end == .exited(6), "\(words): \(outcome.text)")
      #expect(outcome.text.contains("thumblatch recover --code"))
    }
    let doctor = try person.run("doctor").text
    #expect(doctor.ranges(of: "problem  engine").count == 1)
    #expect(doctor.contains("thumblatch recover --code"))
    #expect(try tier(person) == "tpm")
    let other = (code.first == "0" ? "1" : "0") + code.dropFirst() + "\n"
    #expect(try person.run("recover", "--code-stdin", input: other).end == .exited(2))
    let opened = try person.run("recover", "--code-stdin", input: code + "\n").succeeded()
    #expect(opened.contains("the machine key is open") && opened.contains("need the code again"))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))

    // With another TPM.
    try plug(try SoftwareTPM(), person)
    try person.expireTokens()
    #expect(try person.run("token", "me").end == .exited(6))
    let sealed = try person.run("recover", "--code-stdin", input: code + "\n").succeeded()
    #expect(sealed.contains("opens it from now on"))
    try person.endEngine()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(try person.run("audit", "verify").succeeded().contains("intact"))
  }

  /// Root adds the TPM for all users of the service, with the code for an escrow.
  @Test
  func rootAddsTheTPMForEveryUserOfTheService() throws {
    let backend = try DevBackend()
    let (machine, tpm) = (try MachineWithTPM(), try SoftwareTPM())
    try machine.plug(tpm, for: ServiceBench.helperUser)
    let bench = try ServiceBench(in: machine)
    let programs = bench.programs
    func root(_ words: String) throws -> (text: String, end: ProcessEnd) {
      try output(
        of: "/bin/sh",
        ["-c", "\(programs)/thumblatch device-secret \(words)"],
        environment: ["THUMBLATCH_SOCKET=\(bench.socket)", "PATH=/usr/bin:/bin", "HOME=/root"]
      )
    }
    let person = try Customer(bench, backend: backend)
    let other = try Customer(bench, isSecond: true, backend: backend)
    try person.register()
    try other.register()
    #expect(try person.run("device-secret", "add", "tpm").end == .exited(11))
    let added = try root("add tpm --json --recovery-to 3 3>\(bench.base)/escrow")
    #expect(added.end == .exited(0) && added.text.contains(#""vaults":2"#), "\(added.text)")
    let code = try shell("cat \(bench.base)/escrow").filter { !$0.isWhitespace }
    #expect(code.count == 42 && !added.text.contains(code))
    #expect(try tier(person) == "tpm")
    #expect(bench.log.contains("machine key: added a slot: tpm (user 0"))
    #expect(!bench.log.contains(code))
    #expect(try person.run("audit").succeeded().contains("under the machine key now"))
    #expect(try root("test --code-stdin <\(bench.base)/escrow").text.contains("opens"))

    try machine.plug(nil, for: ServiceBench.helperUser)
    for member in [person, other] {
      try member.endEngine()
      #expect(try member.run("status").end == .exited(6))
      #expect(try member.run("recover", "--code-stdin", input: code + "\n").end == .exited(11))
    }
    try machine.plug(tpm, for: ServiceBench.helperUser)
    try bench.endEngine()
    // TPM2_Unseal.
    let opened = try tpm.count(of: 0x15e)
    // An engine opens it ahead, also if `status` asks the TPM at the same time.
    #expect(eventually { (try? root("status --json").text.contains(#""open":true"#)) == true })
    #expect(!bench.log.contains("was not opened at the start: unexpected"))
    for member in [person, other] {
      #expect(try member.run("status").succeeded().contains("TPM (or the recovery code)"))
    }
    #expect(try tpm.count(of: 0x15e) == opened + 1)
  }
}
