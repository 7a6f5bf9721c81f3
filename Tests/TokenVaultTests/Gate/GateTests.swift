import PresenceTerms
import Storage
import Testing

@testable import Presence
@testable import TokenVault

/// The gate refuses these by itself, although the calls before it refuse the same.
@Suite(.timeLimit(.minutes(10)))
struct GateTests {
  /// A finger is no proof for what only the system password allows.
  @Test(arguments: [
    PresencePurpose.applyProvider, .rekey, .backup, .moveToPrivateVault,
  ])
  func theGateItselfDemandsThePassword(_ purpose: PresencePurpose) async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(await failure { try await vault.tryTheGate(purpose, by: .password) } == nil)
    #expect(
      await failure { try await vault.tryTheGate(purpose, by: .fingerprint) }
        == .needsPassword(methods: [])
    )
  }

  @Test
  func theGateItselfReleasesOnlyExportableTokens() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(
      await failure { try await vault.tryTheGate(.release, by: .password) }
        == .refused("me is not exportable")
    )
  }
}

extension Vault {
  /// Opens the token of `me` with a proof for a purpose.
  fileprivate func tryTheGate(_ purpose: PresencePurpose, by method: PresenceMethod) throws {
    let row = try row()
    let isOfAccount = purpose == .applyProvider || purpose == .release
    let authority = Authority(
      PresenceProof(
        origin: .check(method),
        purpose: purpose,
        account: isOfAccount ? row.id : nil,
        connection: caller().connection,
        deadline: clock.boot
      )
    )
    switch purpose {
    case .rekey:
      _ = try resealedAccounts(
        under: storeState.keys.secret,
        .byPassword(authority),
        caller: caller()
      )
    case .backup:
      try openForBackup([], authority, caller()) { _, _ throws(VaultFailure) in }
    case .moveToPrivateVault:
      try openForPrivateVault([], authority, caller()) { _, _ throws(VaultFailure) in }
    default:
      _ = try openRefreshToken(
        of: row,
        authority: authority,
        use: Use(purpose: purpose, caller: caller())
      )
    }
  }
}
