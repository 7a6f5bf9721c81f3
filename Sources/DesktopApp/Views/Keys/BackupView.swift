internal import GTK
internal import PlainText
internal import SecretMemory
internal import VaultInterface

/// A backup: the form for its passphrase, its progress, and what it holds.
@MainActor
final class BackupView {
  let widget: Widget
  private let model: BackupModel
  private let window: Window
  private let close: @MainActor () -> Void
  private let place: Bin
  private let form: Widget
  private let running: Widget
  private let done: Widget
  private let bar: Progress
  private let summary: Label
  private let without: Group
  private let cancel: Button
  private let finish: Button
  private var fields: [FieldView] = []
  private var dialog: FileDialog?
  private var isDone = false

  /// Makes the view; `close` takes it away.
  init(_ model: BackupModel, in window: Window, close: @escaping @MainActor () -> Void) {
    (self.model, self.window, self.close) = (model, window, close)
    let builder = Builder(ui: PackageResources.backup_ui)
    widget = builder.object("backup")
    place = builder.object("place")
    form = builder.object("form")
    running = builder.object("running")
    done = builder.object("done")
    bar = builder.object("bar")
    summary = builder.object("summary")
    without = builder.object("without")
    cancel = builder.object("cancel")
    finish = builder.object("close")
    model.begin()
    addFields(to: builder.object("fields"))
    let choose: Button = builder.object("choose")
    choose.onClick { [weak self] in self?.check() }
    finish.onClick(close)
    cancel.onClick { [weak self] in self?.giveUp() }
    let (trouble, progress): (Label, Label) = (
      builder.object("trouble"), builder.object("progress")
    )
    track { [weak self] in
      guard let self else { return }
      trouble.show(orHide: model.trouble?.text)
      progress.text = model.progress
      bar.fill(model.share)
    }
    track { [weak self] in self?.update() }
    track { [weak self] in self?.showProblem() }
  }

  isolated deinit {
    for field in fields { field.clearSecret() }
    dialog?.close()
    model.cancel()
  }

  func focus() { fields.first?.focus() }

  private func addFields(to box: Box) {
    for (key, title) in [
      ("passphrase", tr("Passphrase of the backup")), ("repeated", tr("Passphrase again")),
    ] {
      let field = FieldView(SignInField(key: key, title: title, isSecret: true)) {
        [weak self] in self?.check()
      }
      box.append(field.widget)
      fields.append(field)
    }
  }

  /// Shows what the file holds, and the accounts without their refresh token.
  private func show(_ made: BackupModel.Made) {
    summary.text = PlainText.line(made.path, limit: 300) + "\n" + made.words
    for account in made.accounts {
      guard let reason = account.reason else { continue }
      let row = Row()
      row.title = PlainText.line(account.name, limit: 64)
      row.subtitle = Trouble(FindingWords.translated(reason)).text
      row.limitLines(title: 0, subtitle: 0)
      without.add(row)
      without.isVisible = true
    }
  }

  private func update() {
    let part = isDone ? done : model.step == nil ? form : running
    guard place.child?.isSame(as: part) != true else { return }
    let isFirst = place.child == nil
    place.child = part
    cancel.isVisible = !isDone
    guard !isFirst else { return }
    // The focus left the tree with the other part.
    if isDone { finish.focus() } else if model.step == nil { focus() } else { cancel.focus() }
  }

  private func showProblem() {
    for (position, field) in fields.enumerated() {
      let isHere = model.problem?.isOfSecond == (position == 1)
      field.show(isHere ? model.problem?.text : nil)
      if isHere { field.focus() }
    }
  }

  private func takeSecrets() throws(SecretMemoryError) -> [SharedSecret] {
    var typed: [SharedSecret] = []
    for field in fields {
      if let secret = try field.takeSecret() { typed.append(secret) }
    }
    return typed
  }

  // MARK: The person

  /// Checks the passphrase, and asks where the file is to be.
  private func check() {
    guard dialog == nil, model.step == nil else { return }
    let typed: [SharedSecret]
    do throws(SecretMemoryError) { typed = try takeSecrets() } catch {
      for field in fields { field.clearSecret() }
      fields.first?.show(Trouble(error).text)
      return focus()
    }
    guard typed.count == 2 else {
      for field in fields { field.clearSecret() }
      fields.first?.show(tr("Type the passphrase into both fields."))
      return focus()
    }
    guard model.accepts(typed[0], typed[1]) else { return }
    let dialog = FileDialog(
      over: window,
      title: tr("Back Up to"),
      saving: tr("Save"),
      name: tr("thumblatch-backup")
    )
    self.dialog = dialog
    dialog.ask { [weak self] answer in
      guard let self else { return }
      self.dialog = nil
      switch answer {
      case .path(let path): start(path, typed[0])
      case .unusable: model.refuseFile()
      case .none: break
      }
    }
  }

  private func start(_ path: String, _ passphrase: SharedSecret) {
    Task { [weak self, model] in
      let isMade = await model.make(path, passphrase)
      guard let self, isMade, let made = model.made else { return }
      show(made)
      isDone = true
      update()
    }
  }

  private func giveUp() {
    if model.step == nil { close() } else { model.cancel() }
  }
}
