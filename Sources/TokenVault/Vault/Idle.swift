internal import Presence
internal import Storage

extension Vault {
  /// Whether something is under way that must not be cut off: an exchange with a provider, or what
  /// an earlier one left behind.
  package var isAtWork: Bool { !refreshes.isEmpty }

  /// Whether closing this vault, to be opened again by the next call, would lose nothing.
  package var isAtRest: Bool {
    !isAtWork && !isHoldingWindow && !windowState.isBeginning && !refreshes.isHoldingAll
      && prompts.isEmpty && checks.isEmpty && enrollments.isEmpty
      && !promptLimit.isPausing(at: clock.boot)
  }

  /// Ends what asks a person, and writes down what was only counted: the last that is asked of it.
  package func retire() async {
    await endChecks()
    try? flushRefusals()
    windowGuard?.rest()
    // The file alone is the store from here on: one that is put in its place is not mixed with a log of
    // today, even where this process ends before the last of its tasks has let go of the vault.
    if freshness == .current && !hasLostItsStore { try? store.checkpoint() }
  }
}
