internal import Configuration
internal import VaultInterface

/// How long the access token of an account, or its static secret, is valid.
enum AccountValidity: Equatable {
  /// Nothing is to be done yet, or no end is known.
  case lasting
  /// A static secret, which no refresh renews, expires within this number of days.
  case endsSoon(days: Int)
  case expired

  private static let day = 24 * 3600

  init(of account: VaultAccount, at now: Int) {
    guard let end = account.accessTokenExpiresAt else {
      self = .lasting
      return
    }
    let left = end - now
    self = left <= 0 ? .expired : .lasting
    let stored = account.refreshedAt.map(Int64.init)
    guard left > 0, account.isStatic,
      Provider.remindsOfEnd(Int64(end), storedAt: stored, now: Int64(now))
    else { return }
    self = .endsSoon(days: (left + Self.day - 1) / Self.day)
  }

  /// The seconds until the validity changes by itself; `nil` if it does not.
  static func change(of account: VaultAccount, at now: Int) -> Int? {
    guard let end = account.accessTokenExpiresAt, end >= now else { return nil }
    let left = end - now
    guard case .endsSoon(let days) = Self(of: account, at: now) else {
      let reminder = left - Int(Provider.reminderOfEnd)
      let stored = account.refreshedAt.map(Int64.init)
      guard reminder > 0, account.isStatic,
        Provider.isReplacedByPerson(Int64(end), storedAt: stored)
      else { return left }
      return reminder
    }
    return left - (days - 1) * day
  }
}

extension VaultAccount {
  /// Whether it keeps a secret, and has no login.
  var isStatic: Bool { kind == Provider.Kind.static.rawValue }
}
