internal import CAdwaita

/// Something on the screen.
package class Widget: Object {
  override class var type: UInt { gtk_widget_get_type() }

  fileprivate var widget: UnsafeMutablePointer<GtkWidget> { unsafe typed() }

  /// Whether it takes room on the screen.
  package var isVisible: Bool {
    get { unsafe gtk_widget_get_visible(widget) != 0 }
    set { unsafe gtk_widget_set_visible(widget, newValue ? 1 : 0) }
  }

  /// Whether the person can use it.
  package var isSensitive: Bool {
    get { unsafe gtk_widget_get_sensitive(widget) != 0 }
    set { unsafe gtk_widget_set_sensitive(widget, newValue ? 1 : 0) }
  }

  /// Adds or removes a style class.
  package func set(style: String, _ isOn: Bool) {
    if isOn {
      unsafe gtk_widget_add_css_class(widget, style)
    } else {
      unsafe gtk_widget_remove_css_class(widget, style)
    }
  }

  /// Moves the focus of the keyboard here. (gtk_widget_grab_focus(3))
  package func focus() { unsafe gtk_widget_grab_focus(widget) }

  /// Whether it has the focus of its window. (gtk_widget_is_focus(3))
  package var isFocused: Bool { unsafe gtk_widget_is_focus(widget) != 0 }

  /// Sets the name that a screen reader speaks. (GTK_ACCESSIBLE_PROPERTY_LABEL)
  package func name(_ name: String) { tell(GTK_ACCESSIBLE_PROPERTY_LABEL, name) }

  /// The widgets directly in it, in order.
  var parts: [Widget] {
    var found: [Widget] = []
    var child = unsafe gtk_widget_get_first_child(widget)
    while let part = unsafe child {
      found.append(unsafe Widget(UnsafeMutableRawPointer(part)))
      unsafe child = gtk_widget_get_next_sibling(part)
    }
    return found
  }

  /// The first widget of a kind in it, itself included, that has a style class; `nil` if it has
  /// none.
  func first<Kind: Widget>(_ kind: Kind.Type, ofStyle style: String? = nil) -> Kind? {
    if unsafe cadwaita_is(pointer, kind.type) != 0,
      style.map({ unsafe gtk_widget_has_css_class(widget, $0) != 0 }) ?? true
    {
      return unsafe Kind(pointer)
    }
    for part in parts {
      if let found = part.first(kind, ofStyle: style) { return found }
    }
    return nil
  }

  /// Sets a text for screen readers. (gtk_accessible_update_property(3))
  func tell(_ property: GtkAccessibleProperty, _ text: String) {
    unsafe withValue(of: cadwaita_type_string()) { value in
      unsafe g_value_set_string(value, text)
      var property = property
      unsafe gtk_accessible_update_property_value(opaque, 1, &property, value)
    }
  }
}

/// A window.
package final class Window: Widget {
  override class var type: UInt { gtk_window_get_type() }

  /// The title, which the list of windows shows.
  package var title: String {
    get { text("title") }
    set { set("title", newValue) }
  }

  /// Whether the person works in it now.
  package var isActive: Bool { flag("is-active") }

  /// Shows it, and raises it if the desktop allows that. (gtk_window_present(3))
  package func present() { unsafe gtk_window_present(typed()) }

  /// Closes it, as the person does. (gtk_window_close(3))
  package func close() { unsafe gtk_window_close(typed()) }

  /// Ends it. (gtk_window_destroy(3))
  package func destroy() { unsafe gtk_window_destroy(typed()) }

  /// Puts it before another window.
  package func belong(to parent: Window) { set("transient-for", parent) }

  /// The widget that Enter activates.
  package func setDefault(_ button: Button) { set("default-widget", button) }
}

/// Some text.
package final class Label: Widget {
  override class var type: UInt { gtk_label_get_type() }

  /// The text, which is never markup.
  package var text: String {
    get { text("label") }
    set {
      unsafe gtk_label_set_text(opaque, newValue)
      keepWhole(newValue)
    }
  }
}

/// A picture by its name in the icon theme.
package final class Icon: Widget {
  override class var type: UInt { gtk_image_get_type() }

  /// The name of the icon.
  package var icon: String {
    get { text("icon-name") }
    set { set("icon-name", newValue) }
  }
}

/// A button.
package final class Button: Widget {
  override class var type: UInt { gtk_button_get_type() }

  required init(_ pointer: UnsafeMutableRawPointer) {
    unsafe super.init(pointer)
    wrapWords()
  }

  /// The words on it, which may take several lines.
  package var label: String {
    get { text("label") }
    set {
      set("label", newValue)
      wrapWords()
    }
  }

  /// Wraps the words: as large text, those of one line may be wider than the window.
  ///
  /// Beside a text, which wraps too, the button is centered, and its words stay in one line.
  private func wrapWords() {
    guard unsafe gtk_widget_get_valign(typed()) != GTK_ALIGN_CENTER, let words = first(Label.self)
    else { return }
    unsafe gtk_label_set_wrap(words.opaque, 1)
    unsafe gtk_label_set_justify(words.opaque, GTK_JUSTIFY_CENTER)
  }

  /// Calls a closure at each click.
  package func onClick(_ body: @escaping @MainActor () -> Void) { on("clicked", body) }
}

/// A switch whose state follows a model: a click asks, and the model answers.
package final class Switch: Widget {
  override class var type: UInt { gtk_switch_get_type() }

  /// Whether it is on.
  package var isOn: Bool {
    get { unsafe gtk_switch_get_active(opaque) != 0 }
    set {
      guard newValue != isOn else { return }
      unsafe gtk_switch_set_active(opaque, newValue ? 1 : 0)
    }
  }

  /// Calls a closure when it was turned, also by the program.
  package func onTurn(_ body: @escaping @MainActor () -> Void) { on("notify::active", body) }
}

/// An arc that turns while something takes time.
package final class Spinner: Widget {
  override class var type: UInt { gtk_spinner_get_type() }

  /// Whether it turns.
  package var isSpinning: Bool {
    get { flag("spinning") }
    set { set("spinning", newValue) }
  }
}
