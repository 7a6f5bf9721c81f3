internal import Observation
internal import VaultClient

/// What the vault answers to a call of a page, as it was the last time that the page looked.
@Observable
@MainActor
final class VaultLook<Reply: Sendable & Equatable> {
  /// The last answer; `nil` before the first one.
  private(set) var reply: Reply?
  /// Why the last look did not work.
  private(set) var trouble: Trouble?

  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private let read: @Sendable (Connection) throws(VaultClientError) -> Reply
  @ObservationIgnored
  private let queue = CallQueue()

  init(
    _ link: VaultLink?,
    _ read: @escaping @Sendable (Connection) throws(VaultClientError) -> Reply
  ) {
    (self.link, self.read) = (link, read)
  }

  /// Looks again.
  func again() async {
    // What an earlier look has found must not come after a later one.
    await queue.run { await now() }
  }

  private func now() async {
    guard let link else { return }
    do throws(VaultClientError) {
      let found = try await link.call { [read] connection, _ throws(VaultClientError) in
        try read(connection)
      }
      if found != reply { reply = found }
      trouble = nil
    } catch {
      trouble = Trouble(error)
    }
  }
}
