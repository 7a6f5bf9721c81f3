import Configuration
import PresenceTerms
import SecretMemory
import Storage
import Synchronization
import Testing

@testable import TokenVault

/// Moves of accounts out of the service, into a private vault.
@Suite(.timeLimit(.minutes(10)))
struct ExportTests {
  @Test
  func exportableAccountsMoveWithTheirProtectionAndTheOthersStay() async throws {
    let rig = try await ExportRig()
    try await rig.service.signIn(rig.vault, "inside", refresh: "rt-inside")
    _ = try await rig.vault.setDefault(account: "work", caller: caller())
    try await rig.service.protect(rig.vault, "me")
    let listed = try await rig.vault.exportableAccounts()
    #expect(listed.map(\.name) == ["inside", "me", "work"])
    #expect(listed.map(\.reason) == ["it is not exportable", nil, nil])

    #expect(try await rig.export().map(\.name) == ["me", "work"])
    #expect(try await rig.vault.accounts().map(\.name) == ["inside"])
    #expect(try await rig.vault.events().suffix(4).sorted() == rig.moves("begun", "done"))
    let rows = try await rig.own.accounts()
    #expect(rows.map(\.name) == ["me", "work"] && rows.map(\.isProtected) == [true, false])
    #expect(rows.allSatisfy { $0.state == .signedIn && $0.exportable })
    #expect(try await rig.own.chosenName() == "work")
    #expect(Array(try await rig.own.events().suffix(2)) == rig.moves("done"))
    #expect(try await rig.own.sentToken("work", rig.person).contains("rt-work"))
    #expect(try await rig.own.sentToken("me", rig.person).contains("rt-me"))
    for vault in [rig.vault, rig.own] {
      #expect(try await vault.verifyAuditLog().isWhole)
      #expect(try await vault.facts().problem == nil)
    }
    let sent = rig.link.all[0]
    #expect(!holds(sent, Array("rt-me".utf8)) && !holds(sent, Array("id.example.com".utf8)))
    #expect(try SlotFile.accounts(in: await rig.vault.directory).count == 1)
    // Nothing of the move is left.
    #expect(try await rig.vault.openHandOver() == nil)
    #expect(try await rig.own.endExport(socket: nil, cancel: false).moved.isEmpty)
  }

  @Test
  func aSignedOutAccountMovesWithoutAToken() async throws {
    let rig = try await ExportRig()
    _ = try await rig.vault.signOut(account: "me", local: true, caller: caller())
    #expect(try await rig.export(["me"]).map(\.isSignedIn) == [false])
    #expect(try await rig.own.accounts().map(\.state) == [.signedOut])
    #expect(try await rig.vault.accounts().map(\.name) == ["work"])
  }

  // MARK: - The check

  @Test
  func onlyThePasswordCountsForAnExport() async throws {
    let rig = try await ExportRig()
    try await rig.service.protect(rig.vault, "me")
    try await rig.service.unlock(rig.vault)
    let need = try await rig.need(["me"])
    #expect(need.purpose == .moveToPrivateVault && need.methods == [.password])
    #expect(need.detail == "me")
    let test = try await TokenVaultTests.need {
      _ = try await rig.vault.testPresence(prompt: nil, caller: caller())
    }
    try await rig.service.pass(test, rig.vault, caller())
    let key = try await rig.own.prepareExport(["me"], caller: caller())
    let refused = await failure {
      try await rig.vault.allowExport(
        ["me"],
        commitment: key,
        prompt: test.prompt,
        caller: caller()
      )
    }
    guard case .presenceFailed? = refused else {
      Issue.record("allowed")
      return
    }
    #expect(await rig.isRefused { _ = try await rig.fetch() })
    #expect(try await rig.vault.accounts().count == 2)
  }

  @Test
  func theCheckIsForItsKeyItsAccountsAndItsConnection() async throws {
    let rig = try await ExportRig()
    let key = try await rig.own.prepareExport(["me"], caller: caller())
    let need = try await rig.need(["me"], key)
    try await rig.service.pass(need, rig.vault, caller())
    let other = [UInt8](repeating: 1, count: 32)
    for (names, digest, connection) in [
      (["me"], other, 1), (["work"], key, 1), (["me", "work"], key, 1), (["me"], key, 2),
    ] as [([String], [UInt8], UInt64)] {
      let refused = await failure {
        try await rig.vault.allowExport(
          names,
          commitment: digest,
          prompt: need.prompt,
          caller: caller(connection)
        )
      }
      guard case .presenceFailed? = refused else {
        Issue.record("allowed \(names)")
        return
      }
    }
    #expect(await rig.isRefused { _ = try await rig.fetch() })
  }

  @Test
  func onlyTheKeyOfTheCheckFetchesTheAccountsAndOnlyOnce() async throws {
    let rig = try await ExportRig()
    let key = SharedSecret(try SecretBytes.random(count: 32))
    try await rig.allow(["me"], try await rig.vault.digest(of: key))
    let vault = [UInt8](repeating: 7, count: 16)
    let stolen = SharedSecret(try SecretBytes.random(count: 32))
    #expect(await rig.isRefused { _ = try await rig.vault.handOver(stolen, to: vault) })
    #expect(try await rig.vault.openHandOver() == nil)
    #expect(try await !rig.vault.handOver(key, to: vault).isEmpty)
    #expect(await rig.isRefused { _ = try await rig.vault.handOver(key, to: vault) })
  }

  @Test
  func aCheckThatIsTooOldFetchesNothing() async throws {
    let rig = try await ExportRig()
    try await rig.allow(["me"], try await rig.own.prepareExport(["me"], caller: caller()))
    rig.service.clock.advance(61)
    #expect(await failure { _ = try await rig.fetch() } != nil)
    #expect(try await rig.vault.openHandOver() == nil)
    #expect(try await rig.own.accounts().isEmpty)
    #expect(try await rig.vault.accounts().count == 2)
  }

  @Test
  func anAccountThatHasChangedSinceTheCheckStays() async throws {
    let rig = try await ExportRig()
    try await rig.allow(["me"], try await rig.own.prepareExport(["me"], caller: caller()))
    _ = try await rig.vault.rename(account: "me", to: "you", caller: caller())
    #expect(await failure { _ = try await rig.fetch() } != nil)
    #expect(try await rig.own.accounts().isEmpty)
    #expect(try await rig.vault.openHandOver() == nil)
  }

  // MARK: - What may move

  @Test
  func anAccountThatMustStayIsRefusedBeforeAPersonIsAsked() async throws {
    let rig = try await ExportRig()
    try await rig.service.signIn(rig.vault, "inside", refresh: "rt-inside")
    let digest = [UInt8](repeating: 1, count: 32)
    for names in [["inside"], ["me", "inside"], [], ["me", "me"]] {
      let refused = await failure {
        try await rig.vault.allowExport(names, commitment: digest, prompt: nil, caller: caller())
      }
      switch refused {
      case .refused, .invalidArgument: break
      default: Issue.record("asked for \(names)")
      }
    }
  }

  @Test
  func aNameThatThePrivateVaultHasIsRefusedBeforeAnythingHappens() async throws {
    let rig = try await ExportRig()
    try await rig.person.signIn(rig.own, "work", refresh: "rt-other")
    #expect(
      await rig.isRefused {
        _ = try await rig.own.prepareExport(["me", "work"], caller: caller())
      }
    )
    #expect(rig.link.all.isEmpty)
  }

  @Test
  func thePolicyOfTheAdministratorHolds() async throws {
    let rig = try await ExportRig()
    let digest = try await rig.own.prepareExport(["me"], caller: caller())
    for (rule, words) in [
      ("exportable = never", "no refresh token may leave the vault"),
      ("private = never", "private vaults are not allowed"),
    ] {
      rig.administrator.write("[Policy]\n\(rule)\n")
      let refused = await failure { _ = try await rig.vault.exportableAccounts() }
      guard case .refused(let why)? = refused else {
        Issue.record("\(rule)")
        continue
      }
      #expect(why.contains(words))
    }
    rig.administrator.write("[Policy]\nproviders = corp\n")
    let reasons = try await rig.vault.exportableAccounts().map(\.reason)
    #expect(!reasons.isEmpty)
    #expect(reasons.allSatisfy { $0?.contains("provider is not allowed") == true })
    // The rule came after the check.
    rig.administrator.write("[Policy]\n")
    try await rig.allow(["me"], digest)
    rig.administrator.write("[Policy]\nproviders = corp\n")
    #expect(await rig.isRefused { _ = try await rig.fetch() })
    #expect(try await rig.own.accounts().isEmpty)
    #expect(try await rig.vault.openHandOver() == nil)
  }

  @Test
  func eachSideTakesOnlyTheCallsOfItsForm() async throws {
    let rig = try await ExportRig()
    #expect(await rig.isRefused { _ = try await rig.own.exportableAccounts() })
    #expect(await rig.isRefused { _ = try await rig.own.openHandOver() })
    #expect(
      await rig.isRefused { _ = try await rig.vault.prepareExport(["new"], caller: caller()) }
    )
    #expect(
      await rig.isRefused { _ = try await rig.vault.endExport(socket: nil, cancel: true) }
    )
  }
}
