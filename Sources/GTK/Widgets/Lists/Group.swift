internal import CAdwaita

/// Rows with a heading and a description, neither of which is markup.
package final class Group: Widget {
  override class var type: UInt { adw_preferences_group_get_type() }

  required init(_ pointer: UnsafeMutableRawPointer) {
    unsafe super.init(pointer)
    // libadwaita cuts a heading that is longer than a line.
    guard let heading = first(Label.self) else { return }
    unsafe gtk_label_set_ellipsize(heading.opaque, PANGO_ELLIPSIZE_NONE)
    unsafe gtk_label_set_wrap(heading.opaque, 1)
    unsafe gtk_label_set_wrap_mode(heading.opaque, PANGO_WRAP_WORD_CHAR)
  }

  /// The text below the heading.
  package var text: String {
    get { text("description") }
    set {
      // AdwPreferencesGroup takes markup there.
      set("description", escaped(newValue))
    }
  }

  /// Puts a row behind the others. (adw_preferences_group_add(3))
  package func add(_ row: Widget) {
    unsafe adw_preferences_group_add(typed(), row.typed())
  }

  /// Removes a row. (adw_preferences_group_remove(3))
  package func remove(_ row: Widget) {
    unsafe adw_preferences_group_remove(typed(), row.typed())
  }
}

extension Group {
  /// Makes a group without rows.
  package convenience init(title: String) {
    unsafe self.init(new(adw_preferences_group_new()))
    set("title", title)
  }
}
