internal import GTK

/// The switch by which the app starts with the session.
@MainActor
final class AutostartRow {
  private let model: AutostartModel
  private let row: Row
  private let starts: Switch
  /// Whether the view sets the switch, and not the person.
  private var isSetting = false

  init(_ builder: Builder, _ model: AutostartModel) {
    self.model = model
    row = builder.object("starting")
    starts = builder.object("starts")
    Task { await model.look() }
    starts.onTurn { [weak self] in self?.turned() }
    track { [weak self] in self?.update() }
  }

  private func turned() {
    guard !isSetting else { return }
    Task {
      await model.set(starts.isOn)
      // The switch shows what holds, also if the change failed.
      update()
    }
  }

  private func update() {
    isSetting = true
    starts.isOn = model.isOn
    isSetting = false
    row.subtitle =
      model.trouble?.text
      ?? tr("Without a window, the app shows notices and the presence checks of programs.")
  }
}
