internal import GTK
internal import SecretMemory

/// The form in which a person says where and how they sign in.
@MainActor
final class FormView {
  private let model: SignInModel
  private let title: Label
  private let notes: Label
  private let box: Box
  private let go: Button
  private let other: Button
  private var fields: [FieldView] = []

  init(_ builder: Builder, _ model: SignInModel) {
    self.model = model
    title = builder.object("form-title")
    notes = builder.object("notes")
    box = builder.object("fields")
    go = builder.object("go")
    other = builder.object("other")
    let back: Button = builder.object("return")
    go.onClick { [weak self] in self?.send() }
    other.onClick { [weak self] in self?.sendOther() }
    back.onClick { Task { await model.goBack() } }
    track { [weak self] in self?.updateForm() }
    track { [weak self] in self?.updateProblems() }
    track { [weak self] in self?.wipeIfHidden() }
  }

  private func updateForm() {
    for field in fields {
      field.clearSecret()
      box.remove(field.widget)
    }
    fields = []
    guard let form = model.form else { return }
    title.text = form.title
    notes.text = form.notes.joined(separator: "\n")
    notes.isVisible = !form.notes.isEmpty
    fields = form.fields.map { field in FieldView(field) { [weak self] in self?.send() } }
    for field in fields { box.append(field.widget) }
    switch (form.takesPassword, form.isRegistration) {
    case (true, true): (go.label, other.label) = (tr("Register"), tr("Sign In Instead"))
    case (true, false): (go.label, other.label) = (tr("Sign In"), tr("Register Instead"))
    default: (go.label, other.label) = (tr("Sign In"), tr("Use a Code"))
    }
    other.isVisible = form.takesPassword ? form.source.account == nil : form.mayGiveCodes
  }

  private func updateProblems() {
    let problems = model.problems
    for field in fields { field.show(problems[field.field.key]) }
    fields.first { problems[$0.field.key] != nil }?.focus()
  }

  /// Wipes typed secrets when the vault locks.
  private func wipeIfHidden() {
    guard model.isHidden else { return }
    for field in fields { field.clearSecret() }
  }

  func focus() {
    let empty = fields.first { ($0.field.isSecret || $0.text.isEmpty) && !$0.field.isOptional }
    (empty ?? fields.first)?.focus()
  }

  /// What is typed; `nil` if a secret cannot be taken, and its field says why.
  private func takeAnswers() -> SignInAnswers? {
    var answers = SignInAnswers()
    for field in fields {
      guard field.field.isSecret else {
        answers.texts[field.field.key] = field.text
        continue
      }
      do throws(SecretMemoryError) {
        answers.secrets[field.field.key] = try field.takeSecret()
      } catch {
        field.show(Trouble(error).text)
        field.focus()
        return nil
      }
    }
    return answers
  }

  private func send() {
    guard let answers = takeAnswers() else { return }
    Task { [model] in await model.signIn(answers) }
  }

  private func sendOther() {
    guard let answers = takeAnswers() else { return }
    guard model.form?.takesPassword == true else {
      Task { [model] in await model.signIn(answers, byCode: true) }
      return
    }
    model.changeRegistration(answers)
  }
}
