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
    guard left > 0, left <= Int(Provider.reminderOfEnd), Self.isReplaced(account) else { return }
    self = .endsSoon(days: (left + Self.day - 1) / Self.day)
  }

  /// Whether a person replaces its secret.
  ///
  /// A program such as git stores a new one each hour.
  private static func isReplaced(_ account: VaultAccount) -> Bool {
    guard account.isStatic, let end = account.accessTokenExpiresAt else { return false }
    return account.refreshedAt.map { end - $0 >= day } ?? true
  }

  /// The seconds until the validity changes by itself; `nil` if it does not.
  static func change(of account: VaultAccount, at now: Int) -> Int? {
    guard let end = account.accessTokenExpiresAt, end >= now else { return nil }
    let left = end - now
    guard case .endsSoon(let days) = Self(of: account, at: now) else {
      let reminder = left - Int(Provider.reminderOfEnd)
      return isReplaced(account) && reminder > 0 ? reminder : left
    }
    return left - (days - 1) * day
  }
}

extension VaultAccount {
  /// Whether it keeps a secret, and has no login.
  var isStatic: Bool { kind == Provider.Kind.static.rawValue }
}
