internal import GTK
internal import VaultInterface

/// The button above the list of accounts, which unlocks a locked vault.
@MainActor
final class UnlockButton {
  private let button: Button
  private let next: Button
  private let model: VaultModel

  /// Shows `button` while the vault is locked and has a protected account.
  ///
  /// `next` gets the focus when `button` is hidden.
  init(_ button: Button, before next: Button, _ model: VaultModel) {
    (self.button, self.next, self.model) = (button, next, model)
    button.onClick { Task { await model.unlock() } }
    track { [weak self] in self?.update() }
  }

  private func update() {
    let isNeeded =
      model.isLoaded && !model.needsKey && !model.isUnlocked
      && model.items.contains { $0.account.presenceProtection }
    if !isNeeded, button.isFocused { next.focus() }
    button.isVisible = isNeeded
  }
}
