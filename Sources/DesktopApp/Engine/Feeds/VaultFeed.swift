internal import System
internal import Varlink
internal import VaultClient
internal import VaultInterface

/// What the app learns of the vault while it runs.
enum VaultNews: Sendable {
  /// Something was recorded, or the connection is there again: the vault may differ.
  case changed
  /// The vault cannot be reached, for this reason.
  case unreached(VaultClientError)
}

/// Follows the vault's audit log, which has a record of each change.
///
/// The engine sends each record when it is written, so nothing is polled. The connection keeps a
/// private engine running.
enum VaultFeed {
  /// The news from now on.
  ///
  /// Only the newest counts, because each makes the app read the vault again.
  @MainActor
  static func news(from location: VaultLocation) -> AsyncStream<VaultNews> {
    .ofThread(
      keeping: .bufferingNewest(1),
      orElse: { .unreached(.system($0)) },
      running: { interrupt, news in follow(location, until: interrupt, news) }
    )
  }

  private static func follow(
    _ location: VaultLocation,
    until interrupt: Int32,
    _ news: AsyncStream<VaultNews>.Continuation
  ) {
    var pause = RetryPause()
    while true {
      var connected: BootInstant?
      do throws(VaultClientError) {
        let connection = try location.connect(interrupt: interrupt)
        connected = .now
        let call = AuditCall(since: Int(WallTime.now.seconds), follow: true)
        let number = try connection.send(call, more: true)
        // The records between the app's last look and this call are not sent.
        news.yield(.changed)
        while true {
          guard case .reply(let reply, let of) = try connection.next(), of == number else {
            continue
          }
          _ = try Connection.result(of: reply, to: AuditCall.self)
          news.yield(.changed)
          pause.reset()
          guard reply.continues else { break }
        }
      } catch .interrupted {
        return
      } catch {
        news.yield(.unreached(error))
      }
      // An engine that ran for a while was no try that failed.
      if let connected, BootInstant.now.seconds(since: connected) > 60 { pause.reset() }
      guard pause.wait(interrupt: interrupt) else { return }
    }
  }
}
