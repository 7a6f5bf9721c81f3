internal import MachineKey
internal import System

/// What this run of the engine knows about the TPM's counter, and must write into its ledger.
struct CounterUse: Sendable {
  /// The result of the last comparison of the ledger with the counter.
  enum Finding: Sendable, Equatable {
    /// The machine key has no counter, or is not open.
    case none
    /// No comparison was possible, because a recovery code opened the machine key.
    case unchecked
    /// The ledger is the latest version.
    case current(CounterLedger)
    case distrusted(MachineCounter.Distrust)

    init(_ found: MachineCounter.Finding) {
      self =
        switch found {
        case .none: .none
        case .current(let ledger): .current(ledger)
        case .distrusted(let reason): .distrusted(reason)
        }
    }
  }

  /// The minimum time between two increments in a run, in seconds.
  ///
  /// The one at the end of the run does not wait.
  private static let interval: Int64 = 3600
  /// The wait after a failed increment until the next try, in seconds.
  private static let failureInterval: Int64 = 300

  var finding = Finding.none
  /// Why there is no counter, or no comparison; `nil` if it is not known.
  var problem: String?
  /// The counts of vaults that changed since the ledger was written.
  private(set) var counts: [[UInt8]: UInt64] = [:]
  private var next: BootInstant?
  private var isAdvancing = false

  /// The highest count of a vault that is known here; `nil` if there is none.
  func known(_ vault: [UInt8]) -> UInt64? {
    var listed: UInt64?
    if case .current(let ledger) = finding { listed = ledger.vaults[vault] }
    return [listed, counts[vault]].compactMap(\.self).max()
  }

  mutating func note(_ count: UInt64, of vault: [UInt8]) {
    guard finding != .none else { return }
    counts[vault] = max(count, counts[vault] ?? 0)
  }

  /// Claims the next increment for the caller; false if none is due.
  mutating func takeAdvance(at now: BootInstant) -> Bool {
    guard case .current = finding, !counts.isEmpty, !isAdvancing, next.map({ now >= $0 }) ?? true
    else { return false }
    isAdvancing = true
    return true
  }

  /// The counts that are now in the ledger need not be written again.
  mutating func finish(_ found: Finding, _ brought: [[UInt8]: UInt64], at now: BootInstant) {
    finding = found
    counts = counts.filter { brought[$0.key] != $0.value }
    isAdvancing = false
    next = now.advanced(bySeconds: Self.interval)
  }

  /// There was nothing to write.
  mutating func stop() { isAdvancing = false }

  mutating func fail(at now: BootInstant) {
    isAdvancing = false
    next = now.advanced(bySeconds: Self.failureInterval)
  }
}
