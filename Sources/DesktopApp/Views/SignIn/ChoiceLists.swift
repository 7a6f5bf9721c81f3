internal import GTK

/// The providers among which a person chooses.
@MainActor
final class ChoiceLists {
  private let model: SignInModel
  private let known: Widget
  private let installed: ListBox
  private let new: ListBox
  private var installedRows: [Row] = []
  private var newRows: [Row] = []

  init(_ builder: Builder, _ model: SignInModel) {
    self.model = model
    known = builder.object("known")
    installed = builder.object("installed")
    new = builder.object("new")
    installed.onActivate { index in
      if model.installed.indices.contains(index) { model.choose(model.installed[index]) }
    }
    new.onActivate { index in
      if SignInChoice.new.indices.contains(index) { model.choose(SignInChoice.new[index]) }
    }
    newRows = Self.fill(new, SignInChoice.new)
    let inTerminal: Label = builder.object("in-terminal")
    inTerminal.text = tr(
      "In a terminal you can also keep a password, an access token or an API key (thumblatch store), and sign in for an MCP server or with the browser of another computer (thumblatch login)."
    )
    track { [weak self] in self?.update() }
  }

  private func update() {
    let hadFocus = installedRows.contains(where: \.isFocused)
    for row in installedRows { installed.remove(row) }
    installedRows = Self.fill(installed, model.installed)
    known.isVisible = !installedRows.isEmpty
    if hadFocus { focus() }
  }

  private static func fill(_ list: ListBox, _ choices: [SignInChoice]) -> [Row] {
    choices.map { choice in
      let row = Row(isActivatable: choice.source != nil)
      (row.title, row.subtitle) = (choice.title, choice.detail)
      row.limitLines(title: 2, subtitle: 4)
      row.name("\(choice.title), \(choice.detail)")
      list.insert(row, at: -1)
      return row
    }
  }

  func focus() { (installedRows.first ?? newRows.first)?.focus() }
}
