internal import Storage

extension Vault {
  /// Reports the records of the audit log, oldest first, and each new one after its commit.
  ///
  /// It counts as a watcher: each committed change wakes it. The next page is read from the store,
  /// so a slow reader gets every record. It ends when the task is cancelled.
  ///
  /// - Parameters:
  ///   - name: only records about this account, also after it is renamed or removed, and records of
  ///     removed accounts that had this name.
  ///   - since: only old records of this time or later, in seconds since 1970.
  ///   - tell: gets each page, and returns when it can take more; `false` if the client is gone.
  /// - Throws: `noSuchAccount`, `busy` if there are too many watchers, and failures of the store.
  package func followAuditLog(
    account name: String?,
    since: Int64?,
    tell: @Sendable ([AuditFacts]) async -> Bool
  ) async throws(VaultFailure) {
    let account = try name.map { name throws(VaultFailure) in try recordedAccount(named: name) }
    guard let watcher = watchers.add(name, nil) else {
      throw .busy("too many programs watch the vault")
    }
    defer { watchers.remove(watcher) }
    var since = since
    var last: Int64 = 0
    while !Task.isCancelled {
      let page = try auditPage(after: last, since: since, of: account)
      if let end = page.last {
        last = end.number
        guard await tell(page) else { return }
        continue
      }
      // A clock that is set back hides no new record, and records of other accounts are not read
      // again.
      since = nil
      last = max(last, try stored(try store.auditTail())?.number ?? 0)
      await waitForChange(watcher, before: nil)
    }
  }
}
