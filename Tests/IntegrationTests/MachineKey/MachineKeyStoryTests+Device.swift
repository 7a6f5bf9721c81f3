import System
import TestSupport
import Testing

extension SoftwareTPM {
  /// How often it was given a command, by the command's number.
  func count(of command: UInt32) throws -> Int {
    try messages().count { message in
      message.count >= 10 && message[6..<10].reduce(0) { $0 << 8 | UInt32($1) } == command
    }
  }
}

/// An engine's requests to the TPM's device, with devices that it may not open or that give false
/// answers.
///
/// The commands' codes are in TPM 2.0 Library, part 2, section 6.5.2.
extension MachineKeyStoryTests {
  /// TPM2_NV_DefineSpace.
  private static let define: UInt32 = 0x12a
  /// TPM2_NV_Increment.
  private static let increment: UInt32 = 0x134
  /// TPM2_Unseal.
  private static let unseal: UInt32 = 0x15e

  @Test
  func aRunOfTheEngineOpensTheKeyOnceAndCountsTwice() throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    try addTPM(person)
    try person.expireTokens()
    let (opened, counted) = (try tpm.count(of: Self.unseal), try tpm.count(of: Self.increment))
    let token = try person.run("token", "me").succeeded()
    // The counter is incremented on another thread than the calls.
    #expect(try eventually { try tpm.count(of: Self.increment) == counted + 1 })
    #expect(try person.run("token", "me", "--rejected", input: token).succeeded() != token)
    #expect(try person.run("device-secret", "status").succeeded().contains("the directory matches"))
    #expect(try tpm.count(of: Self.increment) == counted + 1)
    try person.endEngine()
    #expect(try tpm.count(of: Self.increment) == counted + 2)
    #expect(try tpm.count(of: Self.unseal) == opened + 1)
    #expect(try tpm.count(of: Self.define) == 1)
  }

  @Test
  func aPersonWhoMayNotOpenTheTPMStaysInTheFileTier() throws {
    let person = try person()
    try person.endEngine()
    // Only root may open it.
    try person.machine?.plug(try SoftwareTPM(), for: 0)
    let problem = "the engine may not open the TPM (/dev/tpmrm0): let group tss open it"
    let status = try person.run("device-secret", "status").succeeded()
    #expect(status.contains("file: a copy of the directory opens the vault"), "\(status)")
    #expect(status.contains(problem), "\(status)")
    let refused = try person.run("device-secret", "add", "tpm", "--no-input")
    #expect(refused.end == .exited(2) && refused.text.contains(problem), "\(refused.text)")
    // The engine has the groups of the session that started it. One of a later session may have
    // more.
    #expect(eventually { processes(in: person.programs, named: "thumblatchd").isEmpty })
    #expect(try isAsBefore(person))
  }

  /// A program between the helper and the TPM shows a key of its own, with its name or the TPM's.
  @Test(arguments: ["key", "name"])
  func aKeyOfAProgramInBetweenIsRefusedBeforeASession(_ lie: String) throws {
    let tpm = try SoftwareTPM()
    let person = try person(tpm)
    try addTPM(person)
    try person.expireTokens()
    // TPM2_CreatePrimary, then TPM2_StartAuthSession, TPM2_Load, TPM2_Unseal and TPM2_NV_Read.
    let (made, later): (UInt32, [UInt32]) = (0x131, [0x176, 0x157, Self.unseal, 0x14e])
    let before = try (tpm.count(of: made), later.map { try tpm.count(of: $0) })
    try tpm.command("answer 131 \(lie)")
    let refused = try person.run("token", "me")
    #expect(refused.end == .exited(6), "\(refused.text)")
    #expect(refused.text.contains("not the TPM that it was sealed with"))
    #expect(try tpm.count(of: made) == before.0 + 1)
    #expect(try later.map { try tpm.count(of: $0) } == before.1)
    try person.endEngine()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }
}
