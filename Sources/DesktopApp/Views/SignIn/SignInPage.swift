internal import GTK

/// The page on which a person signs in.
@MainActor
final class SignInPage: ContentPage {
  let widget: Widget
  private let model: SignInModel
  private let window: Window
  private let trouble: Label
  private let place: Bin
  private let steps: [String: Widget]
  private let choices: ChoiceLists
  private let form: FormView
  private let code: CodeView
  private let protection: ProtectionView
  private let spinner: Spinner
  private let progress: Label
  private let notice: Label
  private let copy: Button
  private let cancel: Button
  private var shown: String?

  init(_ model: SignInModel, in window: Window) {
    (self.model, self.window) = (model, window)
    let builder = Builder(ui: PackageResources.sign_in_ui)
    widget = builder.object("sign-in")
    trouble = builder.object("trouble")
    place = builder.object("step")
    steps = Dictionary(
      uniqueKeysWithValues: ["choosing", "filling", "waiting", "typing", "protecting"].map { name in
        (name, builder.object(name, as: Widget.self))
      }
    )
    spinner = builder.object("spinner")
    progress = builder.object("progress")
    notice = builder.object("notice")
    copy = builder.object("copy")
    cancel = builder.object("cancel")
    choices = ChoiceLists(builder, model)
    form = FormView(builder, model)
    code = CodeView(builder, model)
    protection = ProtectionView(builder, model)
    cancel.onClick { model.cancel() }
    copy.onClick { [weak self] in self?.copyPage() }
    track { [weak self] in self?.updateStep() }
    track { [weak self] in self?.updateTrouble() }
    track { [weak self] in self?.updateProgress() }
    track { [weak self] in self?.openPage() }
    track { [weak self] in self?.askToReplace() }
  }

  private func updateStep() {
    let page =
      switch model.step {
      case .reading: "reading"
      case .choosing: "choosing"
      case .filling: "filling"
      case .waiting: "waiting"
      case .typing: "typing"
      case .protecting: "protecting"
      }
    guard page != shown else { return }
    shown = page
    // Only the shown step is in the tree.
    place.child = steps[page]
    spinner.isSpinning = page == "waiting"
    focus()
  }

  /// Moves the focus to where the person goes on, once the page is in the window.
  func focus() {
    switch model.step {
    case .reading: break
    case .choosing: choices.focus()
    case .filling: form.focus()
    case .waiting: cancel.focus()
    case .typing: code.focus()
    case .protecting: protection.focus()
    }
  }

  private func updateTrouble() {
    trouble.show(orHide: model.trouble?.text)
  }

  private func updateProgress() {
    progress.text = model.progress
    notice.text = model.notice ?? ""
    notice.isVisible = model.notice != nil
    if model.page == nil, copy.isFocused { cancel.focus() }
    copy.isVisible = model.page != nil
  }

  private func openPage() {
    guard let address = model.pageToOpen else { return }
    model.pageToOpen = nil
    WebPage.open(address) { [model] isOpen in
      if !isOpen { model.lacksBrowser() }
    }
  }

  private func askToReplace() {
    guard let asked = model.replacement else { return }
    model.replacement = nil
    let dialog = MessageDialog(over: window, act: tr("Replace"), isDangerous: true)
    (dialog.heading, dialog.body) = (asked.heading, asked.body)
    dialog.ask { [model] isMeant in Task { await model.replace(asked, isMeant) } }
  }

  private func copyPage() {
    guard let address = model.page else { return }
    copy.copy(address)
  }
}
