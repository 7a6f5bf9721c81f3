import PresenceTerms
import SecretMemory
import Storage
import Synchronization
import Testing

@testable import TokenVault

// Exports that are cut at a step.
extension ExportTests {
  /// Whether only the service has the accounts, and can refresh them.
  private func demandAsBefore(_ rig: ExportRig) async throws {
    #expect(try await rig.own.accounts().isEmpty)
    #expect(try await rig.vault.openHandOver() == nil)
    #expect(try await rig.vault.accountFacts(named: "me")[0].cause == nil)
    #expect(try await rig.vault.sentToken("me", rig.service).contains("rt-me"))
  }

  /// Whether only the private vault has the accounts, and can refresh them.
  private func demandMoved(_ rig: ExportRig) async throws {
    #expect(try await rig.vault.accounts().isEmpty)
    #expect(try await rig.vault.openHandOver() == nil)
    #expect(try await rig.own.sentToken("me", rig.person).contains("rt-me"))
  }

  @Test(arguments: [LinkedService.Cut.request, .answer])
  func aFetchThatIsCutLeavesAllAsItWas(_ cut: LinkedService.Cut) async throws {
    let rig = try await ExportRig()
    rig.link.cut(.fetch, cut)
    #expect(await failure { _ = try await rig.export() } == LinkedService.lost)
    if cut == .answer {
      #expect(Array(try await rig.vault.events().suffix(2)) == rig.moves("refused"))
    }
    try await demandAsBefore(rig)
    rig.link.cut(.fetch, nil)
    #expect(try await rig.export().count == 2)
    try await demandMoved(rig)
  }

  @Test(arguments: [true, false])
  func anOpenHandOverWithoutAccountsIsFreed(byCancel: Bool) async throws {
    let rig = try await ExportRig()
    rig.link.cut(.fetch, .answer)
    rig.link.cut(.end, .request)
    guard case .providerUnavailable(let why, _, _)? = await failure({ _ = try await rig.export() })
    else {
      Issue.record("not interrupted")
      return
    }
    #expect(why.contains("--cancel"))
    #expect(try await rig.isOpen())
    #expect(await failure { _ = try await rig.need(["me"]) } != nil)
    #expect(await failure { _ = try await rig.own.endExport(socket: nil, cancel: true) } != nil)
    rig.link.cut(.end, nil)
    let end = try await rig.own.endExport(socket: nil, cancel: byCancel)
    #expect(end.moved.isEmpty && end.freed)
    try await demandAsBefore(rig)
  }

  @Test
  func aKillOfThePrivateEngineBeforeItHasThemIsAsBefore() async throws {
    let states = Mutex<[Bench]>([])
    let rig = try await ExportRig { step, person in
      guard step == .fetch, let state = try? person.snapshot() else { return }
      states.withLock { $0.append(state) }
    }
    rig.link.cut(.end, .request)
    _ = await failure { _ = try await rig.export() }
    let killed = try #require(states.withLock { $0.first })
    rig.link.cut(.end, nil)
    let again = try await killed.open(service: rig.link)
    #expect(try await again.accounts().isEmpty)
    #expect(try await again.endExport(socket: nil, cancel: false).freed)
    #expect(try await rig.vault.sentToken("me", rig.service).contains("rt-me"))
  }

  @Test(arguments: [LinkedService.Cut.request, .answer])
  func accountsThatArrivedAreErasedByTheNextCall(_ cut: LinkedService.Cut) async throws {
    let rig = try await ExportRig()
    rig.link.cut(.end, cut)
    guard case .providerUnavailable? = await failure({ _ = try await rig.export() }) else {
      Issue.record("not interrupted")
      return
    }
    #expect(try await rig.own.accounts().count == 2)
    rig.link.cut(.end, nil)
    guard cut == .request else {
      // The service has erased them, and there is nothing to end.
      #expect(try await rig.own.endExport(socket: nil, cancel: false).moved.isEmpty)
      return try await demandMoved(rig)
    }
    #expect(try await rig.isOpen())
    #expect(await rig.isRefused { _ = try await rig.own.endExport(socket: nil, cancel: true) })
    #expect(try await rig.isOpen())
    let killed = try rig.person.snapshot()
    let again = try await killed.open(service: rig.link)
    let end = try await again.endExport(socket: nil, cancel: false)
    #expect(end.moved.map(\.name) == ["me", "work"] && !end.freed)
    #expect(Array(try await rig.vault.events().suffix(2)) == rig.moves("done"))
    #expect(try await again.verifyAuditLog().isWhole)
    try await demandMoved(rig)
  }

  @Test
  func aKillOfTheServiceKeepsTheAccountsUnused() async throws {
    let rig = try await ExportRig()
    rig.link.cut(.end, .request)
    _ = await failure { _ = try await rig.export() }
    let killed = try rig.service.snapshot()
    let again = try await killed.open()
    #expect(try await ExportRig.isOpen(again, killed))
    let open = try #require(try await again.openHandOver())
    #expect(try await again.endHandOver(open.transfer, receipt: nil, caller: caller()))
    #expect(try await again.sentToken("me", killed).contains("rt-me"))
  }

  /// A record without its accounts would let the service use them too.
  @Test(arguments: [0, 16, 32, 33, 48 + 15])
  func aRecordThatIsCutOffOpensNoVault(length: Int) async throws {
    let rig = try await ExportRig()
    rig.link.cut(.end, .request)
    _ = await failure { _ = try await rig.export() }
    let killed = try rig.service.snapshot()
    try await killed.forge { store in
      let record = try #require(try store.meta("handover"))
      #expect(record.count == 64)
      try store.setMeta("handover", to: Array(record.prefix(length)))
    }
    let refused = await failure { _ = try await killed.open() }
    guard case .vaultUnsafe(let why, _)? = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(why.contains("the record of a move of accounts"))
  }

  @Test
  func onlyTheReceiptOfTheAccountsErasesThem() async throws {
    let rig = try await ExportRig()
    rig.link.cut(.end, .request)
    _ = await failure { _ = try await rig.export() }
    let open = try #require(try await rig.vault.openHandOver())
    for receipt in [open.transfer, [UInt8](repeating: 3, count: 32)] {
      let refused = await failure {
        _ = try await rig.vault.endHandOver(
          open.transfer,
          receipt: SharedSecret(try SecretBytes(copying: receipt)),
          caller: caller()
        )
      }
      guard case .invalidArgument? = refused else {
        Issue.record("erased")
        return
      }
    }
    #expect(try await rig.vault.accounts().count == 2)
    #expect(try await !rig.vault.endHandOver([1], receipt: nil, caller: caller()))
  }

  @Test
  func anotherPrivateVaultEndsNothing() async throws {
    let rig = try await ExportRig()
    rig.link.cut(.end, .request)
    _ = await failure { _ = try await rig.export() }
    rig.link.cut(.end, nil)
    let stranger = try Bench()
    let other = try await stranger.open(service: rig.link)
    for cancel in [true, false] {
      #expect(
        await rig.isRefused { _ = try await other.endExport(socket: nil, cancel: cancel) }
      )
    }
    #expect(try await rig.isOpen())
    // The last way out, if that private vault is lost.
    let left = try await rig.vault.remove(account: "me", local: false, caller: caller())
    #expect(left.grant == .valid)
    #expect(try await rig.vault.openHandOver()?.accounts.count == 1)
    _ = try await rig.vault.remove(account: "work", local: true, caller: caller())
    #expect(try await rig.vault.openHandOver() == nil)
    #expect(try await rig.vault.facts().problem == nil)
  }

  @Test
  func otherAccountsOfTheServiceStayInUse() async throws {
    let rig = try await ExportRig()
    rig.link.cut(.end, .request)
    _ = await failure { _ = try await rig.export(["me"]) }
    #expect(try await rig.vault.sentToken("work", rig.service).contains("rt-work"))
    let reasons = try await rig.vault.exportableAccounts().map(\.reason)
    #expect(reasons == ["an earlier export has not ended", nil])
  }
}
