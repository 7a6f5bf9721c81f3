internal import GTK

/// What is shown in place of the accounts while the vault cannot be used.
@MainActor
final class FailureView {
  let widget: StatusPage
  private let open: Button
  private let recovery: RecoveryView

  init(_ model: VaultModel, _ recovery: RecoveryView) {
    self.recovery = recovery
    let builder = Builder(ui: PackageResources.states_ui, only: "failure")
    widget = builder.object("failure")
    open = builder.object("open")
    let place: Bin = builder.object("recovery")
    place.child = recovery.widget
    open.onClick { Task { await model.open() } }
    track { [weak self] in self?.show(model) }
  }

  private func show(_ model: VaultModel) {
    widget.title = model.needsKey ? tr("The Vault Is Closed") : tr("The Vault Is Not Usable")
    widget.text = (model.openTrouble ?? model.trouble)?.text ?? ""
    open.isVisible = model.needsKey && !recovery.isInUse
    open.isSensitive = !model.isOpening
  }
}
