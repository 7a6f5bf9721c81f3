internal import Configuration
internal import Storage
internal import System

/// The reminders of static secrets that an agent has taken.
struct SecretReminders {
  /// The most that are remembered.
  ///
  /// A flood of renamed accounts must not fill the memory.
  private static let most = 1024

  /// When the secret of an account expires, by the account's name.
  private var taken: [String: Int64] = [:]

  /// Whether an agent has taken the reminder of this account and time.
  func contains(_ account: String, _ end: Int64) -> Bool { taken[account] == end }

  /// Remembers that an agent has taken a notice, if that is a reminder.
  mutating func note(_ notice: Notice) {
    guard case .secretExpires(let account, let end) = notice else { return }
    if taken.count >= Self.most { taken = [:] }
    taken[account] = end
  }
}

// No refresh renews a static secret, so the person is reminded before it expires. A reminder is due
// when the secret is used, and when the person passes any presence check. So it needs no timer, and
// a secret that only a job at night uses is not forgotten. The agent shows each reminder once.
extension Vault {
  /// When a secret expires about which the person is reminded now.
  private var endsToRemindOf: ClosedRange<Int64> {
    let now = clock.wall.seconds
    return now...now + Provider.reminderOfEnd
  }

  /// Reminds of a static secret that is used now, if it expires soon.
  func remind(of account: AccountRow, _ token: AccessTokenRow) {
    guard let end = token.expiresAt,
      Provider.remindsOfEnd(end, storedAt: account.refreshedAt, now: clock.wall.seconds),
      !desktopState.reminders.contains(account.name, end)
    else { return }
    let notice = Notice.secretExpires(account: account.name, at: end)
    guard !desktopState.notices.contains(notice) else { return }
    give(notice, under: .release)
  }

  /// Reminds of all static secrets that expire soon: the person is at the desk.
  func remindOfSecrets() {
    guard hasAgents,
      let tokens = try? store.accessTokens(equalTo: AccessTokenRow.sealed, expiring: endsToRemindOf)
    else { return }
    for token in tokens {
      guard let account = try? store.account(id: token.account), account.state == .signedIn,
        (try? provider(of: account))?.kind == .static
      else { continue }
      remind(of: account, token)
    }
  }
}
