internal import GTK
internal import Observation
internal import System
internal import VaultClient
internal import VaultInterface

/// One account on the screen.
@Observable
@MainActor
final class AccountItem {
  /// The account, as the vault told of it last.
  private(set) var account: VaultAccount
  /// How long its access token, or its static secret, is valid.
  ///
  /// It changes with time, even if the vault's answer stays the same.
  private(set) var validity = AccountValidity.lasting
  /// Its newest records in the audit log, newest first.
  var uses: [VaultAuditRecord] = []
  /// Why the last call of the person did not work.
  var trouble: Trouble?
  /// The text for a call that waits for the provider; `nil` if no call waits.
  var progress: String? { isAsking ? nil : wait }
  /// The same, also while the prompt of the call is open.
  private var wait: String?
  /// Whether the prompt of a call is open: then the call waits for the person.
  private var isAsking = false

  /// The milliseconds after which the page shows that a call waits: nearly always it ends sooner.
  private static let quietTime = 500
  /// Ends the call that waits for the provider.
  @ObservationIgnored
  private var stop: SharedWake?
  @ObservationIgnored
  private var pause: Delay?
  /// The calls of the person about it.
  @ObservationIgnored
  let calls = CallQueue()
  /// The name that a call gives it; `nil` if none runs.
  @ObservationIgnored
  var nextName: String?
  /// Whether a call of the person removes it.
  @ObservationIgnored
  var isEnding = false

  var name: String { account.name }

  init(_ account: VaultAccount) {
    self.account = account
  }

  /// Notes that a call begins to wait for the provider, and makes the event that ends it.
  func beginWait(_ words: String) throws(VaultClientError) -> SharedWake {
    let stop = try SharedWake.made()
    self.stop = stop
    pause = Delay(milliseconds: Self.quietTime) { [weak self] in self?.wait = words }
    return stop
  }

  /// Notes that no call waits for the provider any more.
  func endWait() {
    pause?.cancel()
    (stop, pause) = (nil, nil)
    // An equal value would wake the view.
    if wait != nil { wait = nil }
    if isAsking { isAsking = false }
  }

  /// Notes that the prompt of a call opens or ends.
  func noteAsking(_ isAsking: Bool) { self.isAsking = stop != nil && isAsking }

  /// Gives up the call that waits for the provider.
  func cancel() { stop?.event.signal() }

  /// Takes over what the vault tells now, and says whether that is something else.
  func update(_ now: VaultAccount) -> Bool {
    let left = AccountValidity(of: now, at: Int(WallTime.now.seconds))
    // An equal value would wake each view.
    guard now != account || left != validity else { return false }
    (account, validity) = (now, left)
    return true
  }
}
