internal import CAdwaita

/// A button that opens a menu.
package final class MenuButton: Widget {
  override class var type: UInt { gtk_menu_button_get_type() }
}

/// A window that shows the keys of the program, made by a UI file.
package final class ShortcutsWindow: Widget {
  override class var type: UInt { gtk_shortcuts_window_get_type() }

  /// Shows it before another window.
  package func present(over parent: Window) {
    nameSearch(self)
    set("transient-for", parent)
    unsafe gtk_window_present(typed())
  }

  /// Names the button with a lens, to which GTK gives no accessible name.
  private func nameSearch(_ widget: Widget) {
    if unsafe cadwaita_is(widget.pointer, Button.type) != 0,
      widget.first(Icon.self)?.icon == "edit-find-symbolic"
    {
      widget.name(tr("Search"))
    }
    for part in widget.parts { nameSearch(part) }
  }
}

/// The window that says what the program is.
package final class AboutWindow: Widget {
  override class var type: UInt { adw_about_window_get_type() }

  /// Makes it for a program under the Apache License 2.0.
  package convenience init(name: String, icon: String, version: String, developer: String) {
    unsafe self.init(new(adw_about_window_new()))
    set("application-name", name)
    set("application-icon", icon)
    set("version", version)
    set("developer-name", developer)
    unsafe adw_about_window_set_license_type(opaque, GTK_LICENSE_APACHE_2_0)
    // The buttons of libadwaita have no accessible name.
    first(Button.self, ofStyle: "app-version")?.name(tr("Copy the version %s", version))
    nameByTooltips(self)
  }

  private func nameByTooltips(_ widget: Widget) {
    let tooltip = widget.text("tooltip-text")
    if !tooltip.isEmpty, unsafe cadwaita_is(widget.pointer, Button.type) != 0 {
      widget.name(tooltip)
    }
    for part in widget.parts { nameByTooltips(part) }
  }

  /// The text about the program, which is never markup.
  package var comments: String {
    get { text("comments") }
    set {
      // AdwAboutWindow takes markup there.
      set("comments", escaped(newValue))
    }
  }

  /// Shows it before another window.
  package func present(over parent: Window) {
    set("transient-for", parent)
    set("modal", true)
    unsafe gtk_window_present(typed())
  }
}
