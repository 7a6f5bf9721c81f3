internal import GTK

/// What is shown while the vault is locked.
@MainActor
final class LockedView {
  let widget: Widget
  private let status: StatusPage
  private let unlock: Button
  private let trouble: Label
  private let recovery: RecoveryView

  init(_ model: VaultModel, _ recovery: RecoveryView) {
    self.recovery = recovery
    let builder = Builder(ui: PackageResources.locked_ui)
    widget = builder.object("locked")
    status = builder.object("status")
    unlock = builder.object("unlock")
    trouble = builder.object("trouble")
    let place: Bin = builder.object("recovery")
    place.child = recovery.widget
    unlock.onClick { Task { await model.unlock() } }
    track { [weak self] in
      guard let self else { return }
      trouble.show(orHide: model.lockTrouble?.text)
    }
    track { [weak self] in self?.show(needsKey: model.needsKey) }
    // One button is the main one.
    track { [weak self] in
      guard let self else { return }
      unlock.isVisible = !self.recovery.isInUse
    }
  }

  /// Names what the button begins with: without its machine key the vault cannot be unlocked.
  private func show(needsKey: Bool) {
    unlock.label = needsKey ? tr("Open with Security Key") : tr("Unlock")
    status.text =
      needsKey
      ? tr("Open it with your security key. Then unlock it with your finger or your password.")
      : tr("Unlock it with your finger or your password to see your accounts.")
  }

  func focus() { unlock.focus() }
}
