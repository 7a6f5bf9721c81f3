extension VaultModel {
  /// Whether the vault still has an account.
  func holds(_ item: AccountItem) -> Bool { items.contains { $0 === item } }

  /// The account if it may be on the page; else `nil`, and the person learns that it is gone.
  func present(_ item: AccountItem) -> AccountItem? {
    guard !holds(item) else { return item }
    // The call that removes it tells how it ended.
    if !item.isEnding { news = Trouble.missingAccount.text }
    return nil
  }
}
