import Configuration
import PresenceTerms
import Storage
import Testing

@testable import TokenVault

extension MoveToServiceTests {
  func move(
    _ vault: Vault,
    _ bench: Bench,
    socket: String? = nil
  ) async throws -> [MovedAccount] {
    let need = try await need {
      _ = try await vault.moveToService(socket: socket, prompt: nil, caller: caller())
    }
    #expect(need.purpose == .moveToService)
    try await bench.pass(need, vault, caller())
    return try await vault.moveToService(socket: socket, prompt: need.prompt, caller: caller())
  }

  func takeOver(_ sent: ScriptedTransfer.Sent, _ target: Vault) async throws {
    try await target.addToBackup(sent.accounts, at: 0, caller: caller())
    try await target.takeOver(sent.transfer, sent.key, caller: caller())
  }

  /// Records of moves of two accounts.
  func moves(_ outcomes: String...) -> [String] {
    outcomes.flatMap { ["account-moved \($0)", "account-moved \($0)"] }
  }

  func isRefused(_ body: () async throws -> Void) async -> Bool {
    guard case .refused? = await failure(body) else { return false }
    return true
  }

  /// Whether a transfer keeps the account from being used.
  func isOpen(_ vault: Vault) async -> Bool {
    let calls: [VaultFailure?] = [
      await failure { _ = try await vault.token("me") },
      await failure { try await vault.demandUsable(forTransfer: false) },
    ]
    let problem = try? await vault.facts().problem
    let finding = await vault.examine().first { $0.name == "transfer" }
    return problem?.remedy?.contains("--cancel") == true && finding?.level == .problem
      && calls.allSatisfy {
        guard case .vaultUnsafe? = $0 else { return false }
        return true
      }
  }

  /// A vault whose transfer was interrupted.
  private func interrupted(
    _ bench: Bench,
    _ service: ScriptedTransfer,
    socket: String? = nil
  ) async throws -> Vault {
    let vault = try await bench.open(service: service)
    try await bench.signIn(vault, "me", refresh: "rt-me")
    _ = await failure { _ = try await move(vault, bench, socket: socket) }
    bench.clock.advance(7200)
    #expect(await isOpen(vault))
    return vault
  }

  @Test
  func aCancelledTransferFreesTheAccountsAndIsNeverTaken() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer { _ in ScriptedTransfer.lost }
    let vault = try await interrupted(bench, service)
    // The service must answer first.
    #expect(
      await failure { _ = try await vault.cancelTransfer(caller: caller()) }
        == ScriptedTransfer.lost
    )
    #expect(await isOpen(vault))

    let other = try Bench()
    let target = try await other.open()
    #expect(try await !target.dropTransfer(service.all[0].transfer))
    #expect(await isRefused { try await takeOver(service.all[0], target) })
    #expect(try await target.accounts().isEmpty)
    service.say(isTaken: false)
    #expect(try await vault.cancelTransfer(caller: caller()))
    #expect(try await vault.sentToken("me", bench).contains("rt-me"))
    #expect(try await !vault.cancelTransfer(caller: caller()))
    #expect(try await vault.facts().problem == nil)
  }

  @Test
  func aTransferThatTheServiceHasTakenCannotBeCancelled() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer { _ in ScriptedTransfer.lost }
    let vault = try await interrupted(bench, service)
    let other = try Bench()
    let target = try await other.open()
    try await takeOver(service.all[0], target)
    let isTaken = try await target.dropTransfer(service.all[0].transfer)
    #expect(isTaken)
    service.say(isTaken: isTaken)
    #expect(await isRefused { _ = try await vault.cancelTransfer(caller: caller()) })
    #expect(await isOpen(vault))
  }

  @Test
  func anOpenTransferIsFinishedOnlyAtItsService() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer { _ in ScriptedTransfer.lost }
    let vault = try await interrupted(bench, service, socket: "/run/a/io.thumblatch.Vault")
    for socket in [nil, "/run/b/io.thumblatch.Vault"] {
      #expect(
        await isRefused {
          _ = try await vault.moveToService(socket: socket, prompt: nil, caller: caller())
        }
      )
    }
    #expect(service.all.count == 1)
  }

  @Test
  func theServiceTakesNoNameThatItHas() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer()
    let vault = try await bench.open(service: service)
    try await bench.signIn(vault, "me", refresh: "rt-me")
    try await bench.signIn(vault, "work", refresh: "rt-work")
    _ = try await move(vault, bench)
    let other = try Bench()
    let target = try await other.open()
    try await other.signIn(target, "work", refresh: "rt-other")
    #expect(await isRefused { try await takeOver(service.all[0], target) })
    #expect(try await target.accounts().map(\.name) == ["work"])
  }

  @Test
  func thePolicyHoldsForTheAccountsThatComeIn() async throws {
    let bench = try Bench()
    let service = ScriptedTransfer()
    let vault = try await bench.open(service: service)
    try await bench.signIn(vault, "me", refresh: "rt-me")
    _ = try await move(vault, bench)
    let other = try Bench()
    let administrator = Administrator()
    let target = try await other.open(rules: administrator)
    administrator.write("[Policy]\nproviders = corp\n")
    #expect(await isRefused { try await takeOver(service.all[0], target) })
    #expect(try await target.accounts().isEmpty)
    administrator.write("[Policy]\npresence = required\n")
    try await takeOver(service.all[0], target)
    #expect(try await target.accounts().map(\.isProtected) == [true])
  }

  @Test
  func theServiceItselfMovesNothing() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(
      await isRefused {
        _ = try await vault.moveToService(socket: nil, prompt: nil, caller: caller())
      }
    )
    #expect(try await !vault.cancelTransfer(caller: caller()))
  }

  @Test
  func onlyTheLastRefusedTransfersAreRemembered() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for number in 0..<100 as Range<UInt8> {
      #expect(try await !vault.dropTransfer([UInt8](repeating: number, count: 16)))
    }
    let kept = try await vault.droppedTransfers()
    #expect(kept.count == 64 && kept.last == [UInt8](repeating: 99, count: 16))
    #expect(
      await failure { _ = try await vault.dropTransfer([1]) }
        == .invalidArgument("a transfer is named by 16 bytes")
    )
  }
}
