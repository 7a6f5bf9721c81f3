internal import GTK
internal import SecretMemory

/// The window of one presence check.
///
/// The prompt of another program comes while the person may be typing elsewhere, and so may one of
/// the app, such as at the end of a sign-in in the browser. So keys count in it only after a pause
/// of `quietTime`: until then no control has the focus.
@MainActor
final class PromptWindow {
  /// How long no key must come, in milliseconds.
  private static let quietTime = 500

  private let model: PromptModel
  /// Whether it answers what the person has just done in the app.
  private let isExpected: Bool
  private let window: Window
  private let picture: Widget
  private let finger: FingerSign
  private let what: Label
  private let who: Label
  private let notice: Label
  private let scroller: Scroller
  private let question: Label
  private let typing: Widget
  private let secret: SecretField
  private let deny: Button
  private let go: Button
  private let password: Button
  /// The pause after which keys count; `nil` while they do.
  private var pause: Delay?
  private var isBehind = false
  /// Whether the person has acted in this window, and has not switched to another one since.
  private var hasActed = false

  init(
    _ model: PromptModel,
    of application: Application,
    over parent: Window?,
    isExpected: Bool
  ) {
    self.model = model
    self.isExpected = isExpected
    let builder = Builder(ui: PackageResources.prompt_ui)
    window = builder.object("window")
    picture = builder.object("picture")
    finger = builder.object("finger")
    what = builder.object("what")
    who = builder.object("who")
    notice = builder.object("notice")
    scroller = builder.object("text-scroll")
    question = builder.object("question")
    typing = builder.object("typing")
    secret = builder.object("secret")
    deny = builder.object("deny")
    go = builder.object("go")
    password = builder.object("password")
    application.add(window)
    if let parent { window.belong(to: parent) }
    window.isModal = model.isOwn
    if !model.isOwn { window.standAlone() }
    who.text = model.who
    finger.draw()
    let place: TextPlace = builder.object("text-place")
    place.measureText()
    scroller.takeFocusIfLonger()
  }

  /// Shows the check until it is over.
  func run(takesFocus: Bool) async {
    deny.onClick { [model] in model.deny() }
    go.onClick { [weak self] in self?.proceed() }
    secret.onEnter { [weak self] in self?.proceed() }
    password.onClick { [weak self] in
      self?.hasActed = true
      self?.model.choosePassword()
    }
    window.connect("close-request") { [model] _ in
      model.deny()
      // The end of the check closes it.
      return true
    }
    track { [weak self] in self?.update() }
    if !isExpected { guardKeys() }
    isBehind = !takesFocus
    if takesFocus { window.present() } else { window.presentWithoutFocus() }
    if isExpected { deny.focus() }
    window.onPainted { [model] in model.hasBeenShown() }
    await model.follow()
    pause?.cancel()
    secret.clear()
    window.destroy()
  }

  var isOwn: Bool { model.isOwn }

  func cancel() { model.deny() }

  /// Brings it to the front if it was shown behind another prompt.
  func comeForward() {
    guard isBehind else { return }
    isBehind = false
    window.present()
  }

  private func update() {
    (picture.isVisible, finger.isVisible) = (!model.takesFinger, model.takesFinger)
    for sign in [picture, finger] {
      sign.set(style: "awaited", sign.isVisible && model.awaitsTouch)
    }
    what.text = model.what
    // A screen reader speaks it with the control that has the focus. (GTK 4.8 makes no description
    // of described-by relations.)
    for control: Widget in [window, deny, go, secret, password] {
      control.describe("\(model.who) \(model.what)")
    }
    // A new window begins with the question, so only a later notice is scrolled to.
    notice.show(orHide: model.notice, reveals: window.isVisible)
    if model.offersPassword { password.isVisible = true } else { hide(password) }
    switch model.phase {
    case .waiting:
      hideQuestion()
      hide(go)
    case .turn:
      hideQuestion()
      go.isVisible = true
    case .typing(let text, let isHidden):
      question.text = text
      secret.isHidden = isHidden
      let isNew = !typing.isVisible
      typing.isVisible = true
      go.isVisible = true
      // What the person types elsewhere must not become the answer.
      if isNew, isExpected || (hasActed && window.isActive) { secret.focus() }
    }
  }

  /// Hides a button.
  private func hide(_ button: Button) {
    // GTK moves the focus of what is hidden to another control: Enter must not press Deny.
    if button.isFocused { window.focusNothing() }
    button.isVisible = false
  }

  private func hideQuestion() {
    // As in `hide`: Enter must not press Deny.
    if typing.isVisible { window.focusNothing() }
    typing.isVisible = false
  }

  private func proceed() {
    hasActed = true
    guard case .typing = model.phase else { return model.proceed() }
    // An empty answer would cost a try.
    guard !secret.isEmpty else { return }
    do throws(SecretMemoryError) {
      model.answer(try secret.take())
    } catch {
      model.refuse(error)
    }
  }

  // MARK: Keys that were meant for another window

  private func guardKeys() {
    window.on("notify::is-active") { [weak self] in self?.beginPause() }
    window.onEarlyKey { [weak self] in
      guard let self, pause != nil, !secret.isFocused else { return false }
      awaitQuiet()
      return true
    }
  }

  private func beginPause() {
    if !window.isActive { hasActed = false }
    // A click on the field has made it active: the person means this window.
    guard window.isActive, !secret.isFocused else { return }
    window.focusNothing()
    awaitQuiet()
  }

  private func awaitQuiet() {
    pause?.cancel()
    pause = Delay(milliseconds: Self.quietTime) { [weak self] in
      guard let self else { return }
      pause = nil
      // A click may have moved it.
      if !window.hasFocus { deny.focus() }
    }
  }
}
