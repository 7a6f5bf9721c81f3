internal import CAdwaita

/// A program with windows, and its main loop.
package final class Application: Object {
  override class var type: UInt { adw_application_get_type() }

  /// Makes the program; it does nothing before `run`.
  package convenience init(id: String) {
    let application = unsafe adw_application_new(id, G_APPLICATION_DEFAULT_FLAGS)
    unsafe self.init(owning: new(application))
  }

  /// Ends the main loop. (g_application_quit(3))
  package func quit() { unsafe g_application_quit(typed()) }

  /// Adds an action that buttons and menus name as `app.NAME`, with its keys.
  ///
  /// Keys are written as in `<Control>q`. (gtk_application_set_accels_for_action(3))
  package func addAction(
    _ name: String,
    keys: [String] = [],
    _ body: @escaping @MainActor () -> Void
  ) {
    guard let made = unsafe g_simple_action_new(name, nil) else { return }
    let action = unsafe Action(owning: UnsafeMutableRawPointer(made))
    action.on("activate", body)
    unsafe g_action_map_add_action(opaque, made)
    setKeys(keys, of: "app.\(name)")
  }

  /// Sets the keys of an action of all windows, such as `window.close`.
  package func setKeys(_ keys: [String], of action: String) {
    unsafe withTexts(keys) { list in
      unsafe gtk_application_set_accels_for_action(typed(), action, list)
    }
  }

  /// Puts a window of a UI file into the program. (gtk_application_add_window(3))
  package func add(_ window: Window) {
    unsafe gtk_application_add_window(typed(), window.typed())
  }

  /// Adds rules of CSS to all windows, and others while the person wants high contrast, or else
  /// `usual` ones.
  ///
  /// (gtk_style_context_add_provider_for_display(3), adw_style_manager_get_high_contrast(3))
  package func addStyle(_ rules: String, inHighContrast more: String, otherwise usual: String) {
    guard let display = unsafe gdk_display_get_default(),
      let provider = unsafe gtk_css_provider_new()
    else { return }
    let style = unsafe StyleManager(UnsafeMutableRawPointer(adw_style_manager_get_default()))
    let sheet = unsafe Object(UnsafeMutableRawPointer(provider))
    func load() {
      let all = rules + (style.isHighContrast ? more : usual)
      unsafe gtk_css_provider_load_from_data(sheet.typed(), all, -1)
    }
    load()
    style.on("notify::high-contrast", load)
    unsafe gtk_style_context_add_provider_for_display(display, OpaquePointer(provider), 600)
    unsafe g_object_unref(provider)
  }
}

/// How the desktop wants windows to look.
final class StyleManager: Object {
  override class var type: UInt { adw_style_manager_get_type() }

  var isHighContrast: Bool { flag("high-contrast") }
}

/// An action of a program.
final class Action: Object {
  override class var type: UInt { g_simple_action_get_type() }
}

/// Lends texts as an array that ends with NULL.
@MainActor
func withTexts(_ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Void) {
  let copies = unsafe texts.map { unsafe UnsafePointer(g_strdup($0)) }
  defer {
    for index in unsafe copies.indices {
      unsafe g_free(UnsafeMutableRawPointer(mutating: copies[index]))
    }
  }
  unsafe (copies + [nil]).withUnsafeBufferPointer { list in
    if let start = list.baseAddress { unsafe body(start) }
  }
}
