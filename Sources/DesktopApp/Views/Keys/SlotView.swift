internal import GTK
internal import SecretMemory

/// A slot of the machine key that is added: the recovery code, which is shown once and typed back.
@MainActor
final class SlotView {
  let widget: Widget
  private let model: SlotModel
  private let place: Bin
  private let working: Widget
  private let spinner: Spinner
  private let notice: Label
  private let showing: Widget
  private let code: SecretLabel
  private let written: Button
  private let typing: Widget
  private let secret: SecretField
  private let problem: Label
  private let asking: Widget
  private let question: Label
  private let pin: SecretField
  private let cancel: Button

  init(_ model: SlotModel) {
    self.model = model
    let builder = Builder(ui: PackageResources.slot_ui)
    widget = builder.object("slot")
    place = builder.object("place")
    working = builder.object("working")
    spinner = builder.object("spinner")
    notice = builder.object("notice")
    showing = builder.object("showing")
    code = builder.object("code")
    written = builder.object("written")
    typing = builder.object("typing")
    secret = builder.object("secret")
    problem = builder.object("problem")
    asking = builder.object("asking")
    question = builder.object("question")
    pin = builder.object("pin")
    cancel = builder.object("cancel")
    cancel.onClick { [model] in model.cancel() }
    written.onClick { [model] in model.proceed() }
    let again: Button = builder.object("again")
    again.onClick { [model] in model.goBack() }
    let confirm: Button = builder.object("confirm")
    confirm.onClick { [weak self] in self?.confirm() }
    secret.onEnter { [weak self] in self?.confirm() }
    let answer: Button = builder.object("answer")
    answer.onClick { [weak self] in self?.answer() }
    pin.onEnter { [weak self] in self?.answer() }
    track { [weak self] in self?.update() }
    track { [weak self] in
      guard let self else { return }
      problem.text = model.problem ?? ""
      problem.isVisible = model.problem != nil
      if model.problem != nil { secret.focus() }
    }
  }

  isolated deinit {
    code.clear()
    secret.clear()
    pin.clear()
  }

  func focus() { cancel.focus() }

  private func confirm() {
    // Without memory for it, the field is empty again, and the person types once more.
    guard !secret.isEmpty, let typed = try? secret.take() else { return }
    model.answer(SharedSecret(typed))
  }

  private func answer() {
    guard !pin.isEmpty, let typed = try? pin.take() else { return }
    model.answer(pin: SharedSecret(typed))
  }

  /// Shows what the addition waits for, and takes all other parts out of the tree.
  private func update() {
    let stage = model.stage
    spinner.isSpinning = stage == .working || stage == .touching
    notice.text =
      stage == .touching
      ? tr("Touch the security key.")
      : tr("The vault makes the change. It may ask for your system password.")
    question.text = model.question
    if stage != .typing { secret.clear() }
    if stage != .pin { pin.clear() }
    if stage == .showing, let shown = model.code {
      // Without memory for it, the person gives up: nothing has changed.
      try? code.show(shown.bytes)
    } else {
      code.clear()
    }
    let former = place.child
    let part: Widget? =
      switch stage {
      case .working, .touching: working
      case .pin: asking
      case .showing: showing
      case .typing: typing
      case nil: nil
      }
    place.child = part
    guard former != nil, part.map({ former?.isSame(as: $0) != true }) ?? false else { return }
    // The focus left the tree with the other part.
    switch stage {
    case .showing: written.focus()
    case .typing: secret.focus()
    case .pin: pin.focus()
    case .working, .touching, nil: cancel.focus()
    }
  }
}
