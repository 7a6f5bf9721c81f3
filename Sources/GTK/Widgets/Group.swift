internal import CAdwaita

/// Rows with a heading and a description, neither of which is markup.
package final class Group: Widget {
  override class var type: UInt { adw_preferences_group_get_type() }

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

  /// Takes a row out. (adw_preferences_group_remove(3))
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
