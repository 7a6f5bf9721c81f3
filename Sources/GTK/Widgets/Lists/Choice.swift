internal import CAdwaita

/// A row with a title, and one of several texts, of which the person chooses another in a list.
package final class Choice: Widget {
  override class var type: UInt { adw_combo_row_get_type() }

  // GTK_INVALID_LIST_POSITION
  private static let noPosition = UInt32.max

  /// Makes a row with the shown text below the title, neither of which is markup.
  package convenience init(title: String) {
    unsafe self.init(new(adw_combo_row_new()))
    set("use-markup", false)
    set("title", title)
    // Beside the title, a narrow window cuts the text.
    set("use-subtitle", true)
    unsafe adw_action_row_set_title_lines(typed(), 0)
    unsafe adw_action_row_set_subtitle_lines(typed(), 0)
    speakSubtitle()
  }

  /// Replaces the texts, and shows one of them. (adw_combo_row_set_model(3))
  ///
  /// It counts as a choice for `onChoose` if another one was shown.
  package func offer(_ texts: [String], chosen: Int?) {
    unsafe withTexts(texts) { list in
      let made = unsafe Object(owning: new(gtk_string_list_new(list)))
      unsafe adw_combo_row_set_model(typed(), made.opaque)
    }
    self.chosen = chosen
  }

  /// The position of the shown text; `nil` if none is shown.
  package var chosen: Int? {
    get {
      let position = unsafe adw_combo_row_get_selected(typed())
      return position == Self.noPosition ? nil : Int(position)
    }
    set {
      let position = newValue.map(UInt32.init) ?? Self.noPosition
      unsafe adw_combo_row_set_selected(typed(), position)
    }
  }

  /// Calls a closure when another text is shown, also by the program.
  package func onChoose(_ body: @escaping @MainActor () -> Void) { on("notify::selected", body) }
}
