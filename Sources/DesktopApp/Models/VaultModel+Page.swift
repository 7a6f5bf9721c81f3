extension VaultModel {
  /// Whether the vault still has an account.
  func holds(_ item: AccountItem) -> Bool { items.contains { $0 === item } }

  /// The account if the vault still has it.
  ///
  /// Otherwise `nil`, and a message says that the account is gone.
  func present(_ item: AccountItem) -> AccountItem? {
    guard !holds(item) else { return item }
    // The call that removes it reports its own result.
    if !item.isEnding { news = Trouble.missingAccount.text }
    return nil
  }
}
