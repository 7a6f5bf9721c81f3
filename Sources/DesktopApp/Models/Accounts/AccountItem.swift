internal import Observation
internal import System
internal import VaultInterface

/// One account on the screen.
@Observable
@MainActor
final class AccountItem {
  /// The account, as the vault told of it last.
  private(set) var account: VaultAccount
  /// Whether its access token, or its static secret, has expired: the vault may answer the same then.
  private(set) var isExpired = false
  /// Its newest records in the audit log, newest first.
  var uses: [VaultAuditRecord] = []
  /// Why the last call of the person did not work.
  var trouble: Trouble?

  /// The calls of the person about it.
  @ObservationIgnored
  let calls = CallQueue()
  /// The name that a call gives it; `nil` if none runs.
  @ObservationIgnored
  var nextName: String?

  var name: String { account.name }

  init(_ account: VaultAccount) {
    self.account = account
  }

  /// Takes over what the vault tells now, and says whether that is something else.
  func update(_ now: VaultAccount) -> Bool {
    let isPast = now.accessTokenExpiresAt.map { $0 <= Int(WallTime.now.seconds) } ?? false
    // An equal value would wake each view.
    guard now != account || isPast != isExpired else { return false }
    (account, isExpired) = (now, isPast)
    return true
  }
}
