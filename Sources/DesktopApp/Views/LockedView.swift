internal import GTK

/// What is shown while the vault is locked.
@MainActor
final class LockedView {
  let widget: Widget
  private let unlock: Button
  private let trouble: Label

  init(_ model: VaultModel) {
    let builder = Builder(ui: PackageResources.locked_ui)
    widget = builder.object("locked")
    unlock = builder.object("unlock")
    trouble = builder.object("trouble")
    unlock.onClick { Task { await model.unlock() } }
    track { [weak self] in
      guard let self else { return }
      trouble.text = model.lockTrouble?.text ?? ""
      trouble.isVisible = model.lockTrouble != nil
    }
  }

  func focus() { unlock.focus() }
}
