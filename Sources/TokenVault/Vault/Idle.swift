internal import Storage

extension Vault {
  /// Whether the vault may be closed without a loss, and opened again by the next call.
  package var isIdle: Bool {
    !isAtWork && !isHeld && !isOpeningWindow && !isHoldingAllAccounts && !mustKeepPrompts
      && !isTakingBackup && !isAnyEnrolling && !isGivingNotices
      && !isAnyRateOwed
  }

  /// Whether the process must not end, because a window is open or only memory has an answer.
  package var isHeld: Bool { isHoldingWindow || hasUnwrittenAnswers }

  /// Ends all checks and records what was only counted: the last call before the vault is closed.
  package func retire() async {
    await endChecks()
    try? flushCounts(isLast: true)
    restGuard()
    sendToJournalNow()
    // From here on only the file is the store. A file that replaces it is not mixed with the
    // present log, even if this process ends before its last task has released the vault.
    guard freshness == .current && !hasLostItsStore else { return }
    keepJournalProgress()
    try? store.checkpoint()
  }
}
