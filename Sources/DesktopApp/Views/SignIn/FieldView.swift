internal import GTK
internal import SecretMemory

/// A field of a form: its title, its line, and what is wrong with it.
@MainActor
final class FieldView {
  let widget: Widget
  let field: SignInField
  private let entry: Entry
  private let secret: SecretField
  private let problem: Label

  init(_ field: SignInField, done: @escaping @MainActor () -> Void) {
    self.field = field
    let builder = Builder(ui: PackageResources.field_ui)
    widget = builder.object("field")
    entry = builder.object("entry")
    secret = builder.object("secret")
    problem = builder.object("problem")
    let title: Label = builder.object("title")
    title.text = field.isOptional ? tr("%s (optional)", field.title) : field.title
    entry.text = field.text
    entry.isVisible = !field.isSecret
    secret.isVisible = field.isSecret
    entry.onEnter(done)
    secret.onEnter(done)
  }

  /// The typed line, without spaces around it.
  var text: String {
    let line = entry.text
    guard let first = line.firstIndex(where: { $0 != " " }),
      let last = line.lastIndex(where: { $0 != " " })
    else { return "" }
    return String(line[first...last])
  }

  /// Takes the typed secret out; `nil` if nothing is typed.
  func takeSecret() throws(SecretMemoryError) -> SharedSecret? {
    guard field.isSecret, !secret.isEmpty else { return nil }
    return SharedSecret(try secret.take())
  }

  /// Wipes a typed secret.
  func clearSecret() { secret.clear() }

  func focus() { if field.isSecret { secret.focus() } else { entry.focus() } }

  /// Shows what is wrong; `nil` if nothing is.
  func show(_ text: String?) {
    problem.text = text ?? ""
    problem.isVisible = text != nil
    entry.set(style: "error", text != nil)
    secret.set(style: "error", text != nil)
  }
}
