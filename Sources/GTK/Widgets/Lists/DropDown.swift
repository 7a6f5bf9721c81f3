internal import CAdwaita

/// A button with one of several texts, of which the person chooses another in a list.
package final class DropDown: Widget {
  override class var type: UInt { gtk_drop_down_get_type() }

  /// Replaces the texts, and shows one of them. (gtk_drop_down_set_model(3))
  ///
  /// It counts as a choice for `onChoose` if another one was shown.
  package func offer(_ texts: [String], chosen: Int) {
    unsafe withTexts(texts) { list in
      let made = unsafe Object(owning: new(gtk_string_list_new(list)))
      unsafe gtk_drop_down_set_model(opaque, made.opaque)
    }
    self.chosen = chosen
  }

  /// The position of the shown text.
  package var chosen: Int {
    get { Int(unsafe gtk_drop_down_get_selected(opaque)) }
    set { unsafe gtk_drop_down_set_selected(opaque, guint(newValue)) }
  }

  /// Names the button in it, which takes the focus, by a title and the shown text.
  package func nameButton(_ title: String) {
    let name: @MainActor (DropDown) -> Void = { choice in
      guard let child = unsafe gtk_widget_get_first_child(choice.typed()) else { return }
      let button = unsafe Widget(UnsafeMutableRawPointer(child))
      button.name("\(title): \(choice.shownText)")
    }
    onChoose { [weak self] in if let self { name(self) } }
    name(self)
  }

  private var shownText: String {
    guard let item = unsafe gtk_drop_down_get_selected_item(opaque) else { return "" }
    return unsafe Object(item).text("string")
  }

  /// Calls a closure when another text is shown, also by the program.
  package func onChoose(_ body: @escaping @MainActor () -> Void) { on("notify::selected", body) }
}
