internal import GTK
internal import PlainText
internal import SecretMemory

/// A restore: the form for the secret of the chosen backup, the wait, and what was restored.
@MainActor
final class RestoreView {
  let widget: Widget
  private let model: RestoreModel
  private let close: @MainActor () -> Void
  private let place: Bin
  private let form: Widget
  private let running: Widget
  private let done: Widget
  private let spinner: Spinner
  private let title: Label
  private let summary: Label
  private let problem: Label
  private let again: Group
  private let cancel: Button
  private let finish: Button
  private var field: FieldView?

  /// Makes the view of a backup; `close` takes it away.
  init(_ model: RestoreModel, close: @escaping @MainActor () -> Void) {
    (self.model, self.close) = (model, close)
    let builder = Builder(ui: PackageResources.restore_ui)
    widget = builder.object("restore")
    place = builder.object("place")
    form = builder.object("form")
    running = builder.object("running")
    done = builder.object("done")
    spinner = builder.object("spinner")
    title = builder.object("title")
    summary = builder.object("summary")
    problem = builder.object("problem")
    again = builder.object("again")
    cancel = builder.object("cancel")
    finish = builder.object("close")
    let file: Label = builder.object("file")
    file.text = model.file
    let box: Box = builder.object("fields")
    let field = FieldView(SignInField(key: "secret", title: model.secretTitle, isSecret: true)) {
      [weak self] in self?.start()
    }
    box.append(field.widget)
    self.field = field
    let start: Button = builder.object("start")
    start.onClick { [weak self] in self?.start() }
    finish.onClick(close)
    cancel.onClick { [weak self] in self?.giveUp() }
    let (trouble, progress): (Label, Label) = (
      builder.object("trouble"), builder.object("progress")
    )
    track { [weak self] in
      guard let model = self?.model else { return }
      trouble.show(orHide: model.trouble?.text)
      progress.text = model.progress
    }
    track { [weak self] in self?.update() }
  }

  isolated deinit {
    field?.clearSecret()
    model.leave()
  }

  func focus() { field?.focus() }

  private func start() {
    guard model.step == nil, let field else { return }
    let secret: SharedSecret?
    do throws(SecretMemoryError) { secret = try field.takeSecret() } catch {
      field.show(Trouble(error).text)
      return field.focus()
    }
    field.show(secret == nil ? tr("This is missing.") : nil)
    guard let secret else { return field.focus() }
    Task { [model] in await model.restore(by: secret) }
  }

  private func giveUp() {
    if model.step == nil { close() } else { model.cancel() }
  }

  private func update() {
    let part = model.outcome != nil ? done : model.step == nil ? form : running
    spinner.isSpinning = model.step != nil
    guard place.child?.isSame(as: part) != true else { return }
    if let outcome = model.outcome { show(outcome) }
    let isFirst = place.child == nil
    place.child = part
    cancel.isVisible = model.outcome == nil
    guard !isFirst else { return }
    // The focus left the tree with the other part.
    if model.outcome != nil {
      finish.focus()
    } else if model.step == nil {
      focus()
    } else {
      cancel.focus()
    }
  }

  /// Shows what was restored, and the accounts that have no secret.
  private func show(_ outcome: RestoreRun.Outcome) {
    title.text = outcome.title
    summary.text = outcome.words
    problem.text = outcome.problem ?? ""
    problem.isVisible = outcome.problem != nil
    for account in outcome.restored where !account.isSignedIn {
      let row = Row()
      row.title = PlainText.line(account.name, limit: 64)
      row.subtitle = account.remedy
      row.limitLines(title: 0, subtitle: 0)
      again.add(row)
      again.isVisible = true
    }
  }
}
