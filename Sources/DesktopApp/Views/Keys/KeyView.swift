internal import GTK
internal import PlainText
internal import SecretMemory

/// The form for another security key, and its enrollment.
@MainActor
final class KeyView {
  let widget: Widget
  private let model: KeysModel
  private let place: Bin
  private let form: Widget
  private let running: Widget
  private let spinner: Spinner
  private let notice: Label
  private let cancel: Button
  private var name: FieldView?
  private var pin: FieldView?

  init(_ model: KeysModel) {
    self.model = model
    let builder = Builder(ui: PackageResources.key_ui)
    widget = builder.object("key")
    place = builder.object("place")
    form = builder.object("form")
    running = builder.object("running")
    spinner = builder.object("spinner")
    notice = builder.object("notice")
    cancel = builder.object("cancel")
    addFields(to: builder.object("fields"))
    let enroll: Button = builder.object("enroll")
    enroll.onClick { [weak self] in self?.start() }
    cancel.onClick { [model] in model.cancel() }
    track { [weak self] in self?.update() }
  }

  isolated deinit { pin?.clearSecret() }

  private func addFields(to box: Box) {
    let title = tr("Name of the key here")
    let name = FieldView(SignInField(key: "name", title: title, text: model.freeName)) {
      [weak self] in self?.start()
    }
    let pinTitle = tr("PIN of the key, if it wants one")
    let pin = FieldView(SignInField(key: "pin", title: pinTitle, isSecret: true)) {
      [weak self] in self?.start()
    }
    box.append(name.widget)
    box.append(pin.widget)
    (self.name, self.pin) = (name, pin)
  }

  func focus() { if model.enrollment == nil { name?.focus() } else { cancel.focus() } }

  private func start() {
    guard let name, let pin else { return }
    let text = name.text
    guard !text.isEmpty else {
      name.show(tr("This is missing."))
      return name.focus()
    }
    name.show(nil)
    let secret: SharedSecret?
    do throws(SecretMemoryError) { secret = try pin.takeSecret() } catch {
      pin.show(Trouble(error).text)
      return pin.focus()
    }
    Task { [model] in await model.enroll(text, pin: secret) }
  }

  private func update() {
    let enrollment = model.enrollment
    spinner.isSpinning = enrollment != nil
    if let enrollment {
      notice.text =
        enrollment.isLit
        ? tr("Touch the security key.")
        : tr("Adding “%s”…", PlainText.line(enrollment.name, limit: 64))
    }
    let part = enrollment == nil ? form : running
    guard place.child?.isSame(as: part) != true else { return }
    let isFirst = place.child == nil
    place.child = part
    if !isFirst { focus() }
  }
}
