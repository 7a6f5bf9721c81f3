internal import System
internal import VaultClient
internal import VaultInterface

extension EngineVault {
  /// The account and the window at once, and again whenever they change.
  ///
  /// It has a thread of its own, which waits for the engine; it ends with the engine.
  public func changes(of account: String, ahead: Duration?) -> AsyncStream<VaultSnapshot> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: VaultSnapshot.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    guard let wake = try? WakeEventBox.make() else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { _ in wake.event.signal() }
    do {
      try startThread {
        defer { continuation.finish() }
        let interrupt = wake.event.descriptor.number
        let call = WatchCall(account: account, refreshAhead: ahead.map(wholeSeconds) ?? 0)
        // Without a limit: the engine speaks when there is something to say.
        try? VaultLocation(privately: false).connect(interrupt: interrupt)
          .stream(call, within: .max) { reply in
            continuation.yield(VaultSnapshot(reply))
          }
      }
    } catch {
      continuation.finish()
    }
    return stream
  }
}
