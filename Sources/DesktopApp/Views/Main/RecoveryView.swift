internal import GTK
internal import SecretMemory

/// The button for a recovery code, and then the field for it, while the vault is closed.
@MainActor
final class RecoveryView {
  let widget: Widget
  private let model: RecoveryModel
  private let place: Bin
  private let begin: Button
  private let form: Widget
  private let opening: Spinner
  private let cancel: Button
  private let done: @MainActor () -> Void
  private var field: FieldView?

  /// Makes the view; `done` shows the page of the keys in a narrow window.
  init(_ model: RecoveryModel, done: @escaping @MainActor () -> Void) {
    (self.model, self.done) = (model, done)
    let builder = Builder(ui: PackageResources.recovery_ui)
    widget = builder.object("recovery")
    place = builder.object("place")
    begin = builder.object("begin")
    form = builder.object("form")
    opening = builder.object("opening")
    cancel = builder.object("cancel")
    let open: Button = builder.object("open")
    let line: Bin = builder.object("field")
    let field = FieldView(SignInField(key: "code", title: tr("Recovery code"), isSecret: true)) {
      [weak self] in self?.start()
    }
    line.child = field.widget
    self.field = field
    begin.onClick { [model] in model.begin() }
    open.onClick { [weak self] in self?.start() }
    cancel.onClick { [model] in model.cancel() }
    track { [weak self] in self?.update() }
    track { [weak self] in
      guard let self else { return }
      self.field?.show(model.trouble?.text)
    }
  }

  /// Whether the person types the code here.
  var isInUse: Bool { model.isOffered && model.isTyping }

  isolated deinit { field?.clearSecret() }

  private func start() {
    guard !model.isOpening, let field else { return }
    let code: SharedSecret?
    do throws(SecretMemoryError) { code = try field.takeSecret() } catch {
      field.show(Trouble(error).text)
      return field.focus()
    }
    guard let code else {
      field.show(tr("This is missing."))
      return field.focus()
    }
    Task { [model, done] in
      if await model.open(by: code) { done() }
    }
  }

  private func update() {
    let isOffered = model.isOffered
    widget.isVisible = isOffered
    let part = model.isOpening ? opening : !isOffered || !model.isTyping ? begin : form
    opening.isSpinning = part.isSame(as: opening)
    if !part.isSame(as: form), !part.isSame(as: opening) { field?.clearSecret() }
    guard place.child?.isSame(as: part) != true else { return }
    let isFirst = place.child == nil
    place.child = part
    cancel.isVisible = part.isSame(as: form)
    guard !isFirst, isOffered else { return }
    // The focus left the tree with the other part.
    if part.isSame(as: form) {
      field?.focus()
    } else if part.isSame(as: begin) {
      begin.focus()
    }
  }
}
