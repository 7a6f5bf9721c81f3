internal import System
internal import VaultClient
internal import VaultInterface

extension EngineVault {
  /// The account and the window at once, and again after each change.
  ///
  /// A thread of its own waits for the engine. The sequence ends with the engine. If the caller may
  /// not watch, the sequence is empty, and ends when its reader stops.
  public func changes(of account: String, ahead: Duration?) -> AsyncStream<VaultSnapshot> {
    .onThread { interrupt, continuation in
      let call = WatchCall(account: account, refreshAhead: ahead.map(wholeSeconds) ?? 0)
      do throws(VaultClientError) {
        // There is no time limit, because the engine sends a message only after a change.
        try VaultLocation(privately: false).connect(interrupt: interrupt)
          .stream(call, within: .max) { reply in
            continuation.yield(VaultSnapshot(reply))
          }
      } catch {
        // A caller that may not watch gets no changes. Each further try would add a record to the
        // audit log.
        guard error.forbidsTheMethod else { return }
        let end = BootInstant(nanoseconds: .max)
        _ = try? Connection.wait(for: interrupt, interrupt: nil, until: end)
      }
    }
  }
}
