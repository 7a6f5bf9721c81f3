internal import GTK

/// A row with a choice of values that follows a model: a choice asks, and the model answers.
@MainActor
final class ValueRow {
  let widget: Choice
  private var values: [String?] = []
  private var texts: [String] = []
  /// The position that the model wants.
  private var chosen: Int?
  /// Whether the view sets the choice, and not the person.
  private var isSetting = false

  /// Makes a row; `choose` returns when the model has answered.
  init(_ title: String, choose: @escaping @MainActor (String?) async -> Void) {
    widget = Choice(title: title)
    widget.set(style: "fact", true)
    widget.onChoose { [weak self] in
      guard let self, !isSetting, let position = widget.chosen, position != chosen,
        values.indices.contains(position)
      else { return }
      let value = values[position]
      Task {
        await choose(value)
        // It shows the vault's answer, also if that is no.
        self.restore()
      }
    }
  }

  /// Offers values with their texts; `chosen` is the position of the one that holds.
  func show(_ values: [String?], _ texts: [String], chosen: Int?) {
    let isOther = texts != self.texts
    (self.values, self.texts, self.chosen) = (values, texts, chosen)
    guard isOther else { return restore() }
    isSetting = true
    widget.offer(texts, chosen: chosen)
    isSetting = false
  }

  private func restore() {
    isSetting = true
    widget.chosen = chosen
    isSetting = false
  }
}
