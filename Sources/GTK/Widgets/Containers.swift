internal import CAdwaita

/// Pages of which one is shown.
package final class Stack: Widget {
  override class var type: UInt { gtk_stack_get_type() }

  /// The name of the shown page.
  package var page: String {
    get { text("visible-child-name") }
    set { unsafe gtk_stack_set_visible_child_name(opaque, newValue) }
  }
}

/// A place for one widget.
package final class Bin: Widget {
  override class var type: UInt { adw_bin_get_type() }

  /// The widget in it.
  ///
  /// Without a place the widget is in no tree, and no screen reader finds it.
  package var child: Widget? {
    get {
      guard let child = unsafe adw_bin_get_child(typed()) else { return nil }
      return unsafe Widget(UnsafeMutableRawPointer(child))
    }
    set { unsafe adw_bin_set_child(typed(), newValue?.typed()) }
  }
}

/// Two panes beside each other, or one of them where the window is narrow.
package final class Leaflet: Widget {
  override class var type: UInt { adw_leaflet_get_type() }

  /// Whether only one pane is shown.
  package var isFolded: Bool { unsafe adw_leaflet_get_folded(opaque) != 0 }

  /// Gives the panes their own widths after they were folded.
  ///
  /// The buttons of the window leave the header of the first pane when there is room for both.
  /// libadwaita 1.2 has measured it with them then.
  package func measureAfterFolding() {
    on("notify::folded") { [weak self] in
      self?.beforeNextFrame { [weak self] in
        guard let self else { return }
        unsafe gtk_widget_queue_resize(typed())
      }
    }
  }

  /// Shows the pane with this name if only one is shown.
  package var pane: String {
    get { text("visible-child-name") }
    set { unsafe adw_leaflet_set_visible_child_name(opaque, newValue) }
  }
}

/// A row with a title and a subtitle, neither of which is markup.
package class Row: Widget {
  override class var type: UInt { adw_action_row_get_type() }

  /// Makes an empty row, which a click can activate or not.
  package convenience init(isActivatable: Bool = false) {
    unsafe self.init(new(adw_action_row_new()))
    set("use-markup", false)
    set("activatable", isActivatable)
    speakSubtitle()
  }

  /// The title.
  package var title: String {
    get { text("title") }
    set {
      set("title", newValue)
      first(Label.self, ofStyle: "title")?.keepWhole(newValue)
    }
  }

  /// The text below the title.
  package var subtitle: String {
    get { text("subtitle") }
    set {
      set("subtitle", newValue)
      first(Label.self, ofStyle: "subtitle")?.keepWhole(newValue)
    }
  }

  /// A part of the text below the title.
  package struct Part: Equatable {
    package let text: String
    let isCommand: Bool

    /// Makes a part; a command has the fixed-width font.
    package init(_ text: String, isCommand: Bool = false) {
      (self.text, self.isCommand) = (text, isCommand)
    }
  }

  /// Shows a title, and below it a text with commands; nothing in either is markup.
  package func show(_ title: String, _ parts: [Part]) {
    set("use-markup", false)
    self.title = escaped(title)
    let texts = parts.map { $0.isCommand ? "<tt>\(escaped($0.text))</tt>" : escaped($0.text) }
    set("subtitle", texts.joined())
    // The markup keeps the options whole.
    first(Label.self, ofStyle: "subtitle")?.keepWhole("")
    set("use-markup", true)
  }

  /// The most lines of the title; 0 for all.
  package func limitLines(title: Int32, subtitle: Int32) {
    unsafe adw_action_row_set_title_lines(typed(), title)
    unsafe adw_action_row_set_subtitle_lines(typed(), subtitle)
  }

  /// Puts an icon before the title.
  package func addIcon(_ name: String) -> Icon {
    let icon = unsafe Icon(new(gtk_image_new_from_icon_name(name)))
    unsafe adw_action_row_add_prefix(typed(), icon.typed())
    return icon
  }
}

/// A list of rows.
package final class ListBox: Widget {
  override class var type: UInt { gtk_list_box_get_type() }

  /// Puts a row at a position; -1 is the end. (gtk_list_box_insert(3))
  package func insert(_ row: Widget, at position: Int) {
    unsafe gtk_list_box_insert(opaque, row.typed(), Int32(position))
  }

  /// Removes a row. (gtk_list_box_remove(3))
  package func remove(_ row: Widget) { unsafe gtk_list_box_remove(opaque, row.typed()) }

  /// Marks the row at a position as the chosen one; `nil` marks none.
  package func select(_ position: Int?) {
    // -1 is the position of no row. (gtk_list_box_get_row_at_index(3))
    let row = unsafe gtk_list_box_get_row_at_index(opaque, Int32(position ?? -1))
    guard unsafe gtk_list_box_get_selected_row(opaque) != row else { return }
    unsafe gtk_list_box_select_row(opaque, row)
  }

  /// Calls a closure after another row was marked, as each row is that gets the focus.
  package func onSelect(_ body: @escaping @MainActor () -> Void) {
    connect("row-selected") { _ in
      body()
      return nil
    }
  }

  /// Calls a closure with the position of a row that was clicked, or on which Enter was pressed.
  package func onActivate(_ body: @escaping @MainActor (Int) -> Void) {
    connect("row-activated") { arguments in
      if let row = arguments.object(0, as: Widget.self) {
        body(Int(unsafe gtk_list_box_row_get_index(row.typed())))
      }
      return nil
    }
  }
}

/// A row in which a person types a line.
package final class EntryRow: Widget {
  override class var type: UInt { adw_entry_row_get_type() }

  required init(_ pointer: UnsafeMutableRawPointer) {
    unsafe super.init(pointer)
    // The apply button has a tooltip, but no accessible name.
    first(Button.self, ofStyle: "circular")?.name(tr("Apply"))
  }

  /// The typed line.
  package var text: String {
    get { text("text") }
    set {
      guard newValue != text("text") else { return }
      // While the row has the focus, another text would show the apply button.
      let applies = flag("show-apply-button")
      set("show-apply-button", false)
      set("text", newValue)
      set("show-apply-button", applies)
    }
  }

  /// Calls a closure when the person is done with the line.
  package func onApply(_ body: @escaping @MainActor () -> Void) { on("apply", body) }

  /// Calls a closure at Enter.
  package func onEnter(_ body: @escaping @MainActor () -> Void) { on("entry-activated", body) }
}

/// A page with a picture, a title and a description, which is no markup.
package final class StatusPage: Widget {
  override class var type: UInt { adw_status_page_get_type() }

  /// The title.
  package var title: String {
    get { text("title") }
    set { set("title", newValue) }
  }

  /// The text below the title.
  package var text: String {
    get { text("description") }
    set {
      // AdwStatusPage takes markup there.
      set("description", escaped(newValue))
    }
  }
}

/// A question about something dangerous.
package final class MessageDialog: Widget {
  override class var type: UInt { adw_message_dialog_get_type() }

  /// The heading, never markup.
  package var heading: String {
    get { text("heading") }
    set {
      set("heading", newValue)
      // It is the first text of the dialog.
      first(Label.self)?.keepWhole(newValue)
    }
  }

  /// The text below it, never markup.
  package var body: String {
    get { text("body") }
    set { set("body", newValue) }
  }

  /// Makes a question with the answers `cancel`, which has the focus, and `act`.
  package convenience init(over parent: Window, act: String, isDangerous: Bool) {
    unsafe self.init(new(adw_message_dialog_new(parent.typed(), nil, nil)))
    let dialog: UnsafeMutablePointer<AdwMessageDialog> = unsafe typed()
    unsafe adw_message_dialog_add_response(dialog, "cancel", tr("Cancel"))
    unsafe adw_message_dialog_add_response(dialog, "act", act)
    unsafe adw_message_dialog_set_response_appearance(
      dialog,
      "act",
      isDangerous ? ADW_RESPONSE_DESTRUCTIVE : ADW_RESPONSE_SUGGESTED
    )
    unsafe adw_message_dialog_set_default_response(dialog, "cancel")
    unsafe adw_message_dialog_set_close_response(dialog, "cancel")
  }

  /// Puts a widget below the text.
  package var extra: Widget? {
    get { nil }
    set { unsafe adw_message_dialog_set_extra_child(typed(), newValue?.typed()) }
  }

  /// Shows it; the closure learns once whether the person chose `act`.
  package func ask(_ body: @escaping @MainActor (Bool) -> Void) {
    connect("response") { arguments in
      body(arguments.text(0) == "act")
      return nil
    }
    unsafe gtk_window_present(typed())
  }
}

/// The title of a page in its header bar.
package final class PageTitle: Widget {
  override class var type: UInt { adw_window_title_get_type() }

  /// The title, which is never markup.
  package var title: String {
    get { text("title") }
    set { set("title", newValue) }
  }

  /// The text below the title, which is never markup; empty for none.
  package var subtitle: String {
    get { text("subtitle") }
    set { set("subtitle", newValue) }
  }
}
