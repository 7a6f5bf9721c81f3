import BackupFormat
import Configuration
import MachineKey
import PresenceTerms
import ScriptedTPM
import SecretMemory
import Storage
import System
import Testing

@testable import TokenVault

/// Restoring a backup into a vault with other accounts, and sending the backup for that.
extension BackupTests {
  @Test
  func accountsThatAreThereAreNeverReplaced() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    try await makeSteady("work", vault, bench)
    let file = try await backup(vault, bench).flatMap(\.bytes)
    let other = try Bench()
    let target = try await other.open()
    try await other.signIn(target, "me", refresh: "rt-here")
    guard
      case .refused(let why)? = await failure({ _ = try await restore(file, target, other) })
    else {
      Issue.record("restored")
      return
    }
    #expect(why.contains("me;") && why.contains("--skip-existing"))
    #expect(try await target.accounts().map(\.name) == ["me"])
    let all = try await restore(file, target, other, skipExisting: true)
    #expect(all.map(\.exists) == [true, false])
    #expect(try await target.sentToken("me", other).contains("rt-here"))
    #expect(try await target.sentToken("work", other).contains("rt-work"))
  }

  @Test
  func theAdministratorsRulesHoldForWhatIsRestored() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    let file = try await backup(vault, bench).flatMap(\.bytes)

    let administrator = Administrator()
    let other = try Bench()
    let target = try await other.open(rules: administrator)
    administrator.write("[Policy]\nproviders = company\n")
    func problem() async -> String? {
      await failure { _ = try await restore(file, target, other) }?.problem
    }
    let first = await problem()
    #expect(first?.hasPrefix("sign-in at dev (") == true)
    #expect(first?.contains("is not allowed; allowed: company") == true)
    #expect(try await target.accounts().isEmpty)
    // A provider of another machine with an allowed name is not the administrator's.
    administrator.write("[Policy]\nproviders = dev\n")
    #expect(await problem()?.contains("with the settings of the machine's own file") == true)
    #expect(try await target.accounts().isEmpty)

    administrator.write("[Policy]\npresence = required\nexportable = never\n")
    #expect(try await restore(file, target, other).map(\.isSignedIn) == [true])
    #expect(try await target.row().isProtected)
    let kept = try await backup(target, other).compactMap(\.account)
    #expect(kept.map { $0.reason?.hasPrefix("no refresh token may leave the vault") } == [true])
  }

  @Test
  func aRestoreIsOnlyForTheConnectionThatSentTheBackup() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    let file = try await backup(vault, bench).flatMap(\.bytes)
    let target = try await Bench().open()
    try await target.addToBackup(Array(file.prefix(100)), at: 0, caller: caller())
    for (offset, asker) in [(100, caller(2)), (99, caller()), (101, caller())] {
      guard
        case .invalidArgument? = await failure({
          try await target.addToBackup([1], at: offset, caller: asker)
        })
      else {
        Issue.record("taken")
        return
      }
    }
    try await target.addToBackup(Array(file.dropFirst(100)), at: 100, caller: caller())
    #expect(try await target.examineBackup(try key(), caller: caller()).count == 1)
    #expect(try await target.accounts().isEmpty)
    let isEmpty = await target.moving.upload.isEmpty
    #expect(!isEmpty)
    await target.disconnect(1)
    #expect(await target.moving.upload.isEmpty)
    guard
      case .invalidArgument? = await failure({
        _ = try await target.restore(
          try key(),
          skipExisting: false,
          prompt: nil,
          caller: caller()
        )
      })
    else {
      Issue.record("restored")
      return
    }
  }

  @Test
  func aBackupThatIsTooLargeIsRefusedBeforeItIsKept() async throws {
    let vault = try await Bench().open()
    let part = [UInt8](repeating: 0, count: 1 << 20)
    for index in 0..<4 {
      try await vault.addToBackup(part, at: index << 20, caller: caller())
    }
    guard
      case .invalidArgument? = await failure({
        try await vault.addToBackup([0], at: 4 << 20, caller: caller())
      })
    else {
      Issue.record("kept")
      return
    }
    #expect(await vault.moving.upload.isEmpty)
  }

  /// The code of another machine seals nothing here, and the right one opens the backup anywhere.
  @Test
  func onlyTheRecoveryCodeOfThisMachineSealsABackup() async throws {
    let header = BackupHeader(.recoveryCode, salt: [UInt8](0..<16)).encoded
    let code = shared("000G-40R4-0M30-E209-185G-R38E-1W81-24GK-B9")
    let other = BackupSecret.code(try RecoveryCode.random().text())
    let bench = try Bench()
    try await bench.makeVault()
    let tpm = ScriptedTPM()
    try await bench.addTPM(tpm)
    let vault = try await bench.open(with: tpm)
    try await makeSteady("steady", vault, bench)
    for secret in [other, .code(shared("000G-40R4"))] {
      guard
        case .invalidArgument? = await failure({
          _ = try await vault.backup(header: header, secret, prompt: nil, caller: caller())
        })
      else {
        Issue.record("sealed")
        return
      }
    }
    let file = try await backup(vault, bench, header: header, .code(code)).flatMap(\.bytes)

    let second = try Bench()
    let target = try await second.open()
    // Without a machine key there is no recovery code to check a backup against.
    guard
      case .invalidArgument? = await failure({
        _ = try await target.backup(header: header, .code(code), prompt: nil, caller: caller())
      }),
      case .invalidArgument(let why)? = await failure({
        _ = try await restore(file, target, second, other)
      })
    else {
      Issue.record("opened")
      return
    }
    #expect(why.contains("this recovery code does not open the backup"))
    #expect(try await restore(file, target, second, .code(code)).count == 3)
    #expect(try await target.sentToken("steady", second).contains("rt-steady"))
  }

  /// The person agrees to the accounts of one backup, and no other one may take their place.
  @Test
  func aPassedCheckIsForOneBackup() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await makeSteady("me", vault, bench)
    let first = try await backup(vault, bench).flatMap(\.bytes)
    // The same names, so that the prompt shows the same.
    let second = try await backup(vault, bench).flatMap(\.bytes)
    let other = try Bench()
    let target = try await other.open()
    try await other.signIn(target, "here", refresh: "rt-here")
    try await target.addToBackup(first, at: 0, caller: caller())
    func restore(_ prompt: String?) async throws {
      _ = try await target.restore(
        try key(),
        skipExisting: false,
        prompt: prompt,
        caller: caller()
      )
    }
    let need = try await need { try await restore(nil) }
    #expect(need.detail == "me")
    try await other.pass(need, target, caller())
    try await target.addToBackup(second, at: 0, caller: caller())
    guard case .presenceFailed? = await failure({ try await restore(need.prompt) }) else {
      Issue.record("restored")
      return
    }
    #expect(try await target.accounts().map(\.name) == ["here"])
  }
}
