internal import GTK
internal import VaultInterface

/// The enrolled fingers, and the enrollment of another one.
@MainActor
final class FingersPage: ContentPage {
  let widget: Widget
  private let model: FingersModel
  private let window: Window
  private let trouble: Label
  private let place: Bin
  private let overview: Widget
  private let list: ListBox
  private let empty: Widget
  private let reason: Label
  private let reader: Row
  private let adding: ListBox
  private let choice = Choice(title: tr("Finger"))
  private let enroll: Button
  private let running: EnrollmentView
  private var rows: [Row] = []
  /// The fingers that the choice offers.
  private var free: [String] = []

  init(_ model: FingersModel, of vault: VaultModel, in window: Window) {
    (self.model, self.window) = (model, window)
    let builder = Builder(ui: PackageResources.fingers_ui)
    widget = builder.object("fingers")
    trouble = builder.object("trouble")
    place = builder.object("place")
    overview = builder.object("overview")
    list = builder.object("list")
    empty = builder.object("empty")
    reason = builder.object("reason")
    reader = builder.object("reader")
    adding = builder.object("adding")
    enroll = builder.object("enroll")
    running = EnrollmentView(builder, model)
    choice.set(style: "fact", true)
    adding.insert(choice, at: 0)
    enroll.onClick { [weak self] in self?.start() }
    track { [weak self] in self?.update() }
    track { [weak self] in self?.updatePlace() }
    track { [weak self] in
      guard let self else { return }
      trouble.show(orHide: model.trouble?.text)
    }
    track { [weak self] in
      // The vault locks: what the person no longer sees must not take touches.
      if self != nil, vault.isHidden { model.cancel() }
    }
    track { [weak self] in
      guard self != nil, vault.changes >= 0 else { return }
      Task { await model.look() }
    }
  }

  isolated deinit {
    model.cancel()
  }

  private func start() {
    guard let chosen = choice.chosen, free.indices.contains(chosen) else { return }
    let finger = free[chosen]
    Task { [model] in await model.enroll(finger) }
  }

  /// Shows the fingers or the enrollment, and takes the other one out of the tree.
  private func updatePlace() {
    let runs = model.enrollment != nil
    let shown = runs ? running.widget : overview
    let former = place.child
    guard former?.isSame(as: shown) != true else { return }
    place.child = shown
    // The focus left the tree with the other one.
    guard former != nil else { return }
    if runs { running.focus() } else { (free.isEmpty ? choice : enroll).focus() }
  }

  private func update() {
    for row in rows { list.remove(row) }
    guard let facts = model.facts else { return }
    let isLocal = facts.fingerSource != .namesOnly
    rows =
      facts.fingers.map(row)
      + (facts.desktopFingers ?? []).map { name in
        let row = Row()
        row.title = FingerWords.title(name)
        row.subtitle =
          isLocal
          ? tr("Enrolled in the desktop's settings, and deleted there.")
          : tr("Enrolled in the desktop's settings, which tell its name only.")
        return row
      }
    for row in rows {
      row.limitLines(title: 0, subtitle: 0)
      list.insert(row, at: -1)
    }
    list.isVisible = !rows.isEmpty
    empty.isVisible = rows.isEmpty
    reason.text = facts.fingerReason.map { Trouble(FindingWords.translated($0)).text } ?? ""
    reason.isVisible = facts.fingerReason != nil
    reader.subtitle = facts.reader.words
    enroll.isSensitive = !facts.reader.isMissing
    offer(FingerWords.names.filter { !facts.fingers.contains($0) })
  }

  private func offer(_ names: [String]) {
    guard names != free else { return }
    free = names
    choice.offer(names.map(FingerWords.title), chosen: names.isEmpty ? nil : 0)
    adding.isVisible = !names.isEmpty
    enroll.isVisible = !names.isEmpty
  }

  private func row(_ finger: String) -> Row {
    let row = Row()
    row.title = FingerWords.title(finger)
    let delete = row.addButton(
      icon: "user-trash-symbolic",
      name: tr("Delete %s", FingerWords.words(finger))
    )
    delete.onClick { [weak self] in self?.confirmDeletion(of: finger) }
    return row
  }

  private func confirmDeletion(of finger: String) {
    let dialog = MessageDialog(over: window, act: tr("Delete"), isDangerous: true)
    dialog.heading = tr("Delete “%s”?", FingerWords.title(finger))
    dialog.body = tr(
      "It passes no presence check afterwards. This needs your system password."
    )
    dialog.ask { [model] isMeant in
      if isMeant { Task { await model.delete(finger) } }
    }
  }
}

/// The enrollment that runs: a ring that fills, and what to do.
@MainActor
final class EnrollmentView {
  let widget: Widget
  private let title: Label
  private let count: Label
  private let notice: Label
  private let ring: Ring
  private let cancel: Button

  init(_ builder: Builder, _ model: FingersModel) {
    widget = builder.object("running")
    title = builder.object("title")
    count = builder.object("count")
    notice = builder.object("notice")
    ring = builder.object("ring")
    cancel = builder.object("cancel")
    cancel.onClick { [model] in model.cancel() }
    track { [weak self] in
      guard let self, let enrollment = model.enrollment else { return }
      title.text = FingerWords.title(enrollment.finger)
      count.text = enrollment.count
      count.isVisible = !enrollment.count.isEmpty
      notice.text = enrollment.notice
      ring.fill(enrollment.share)
      ring.set(style: "bad", enrollment.isBad)
    }
  }

  func focus() { cancel.focus() }
}
