internal import CAdwaita

/// Widgets one after the other.
package final class Box: Widget {
  override class var type: UInt { gtk_box_get_type() }

  /// Puts a widget at the end. (gtk_box_append(3))
  package func append(_ child: Widget) { unsafe gtk_box_append(typed(), child.typed()) }

  /// Removes a widget. (gtk_box_remove(3))
  package func remove(_ child: Widget) { unsafe gtk_box_remove(typed(), child.typed()) }
}

/// A field for a line that is no secret.
package final class Entry: Widget {
  override class var type: UInt { gtk_entry_get_type() }

  /// The typed line.
  package var text: String {
    get { text("text") }
    set { set("text", newValue) }
  }

  /// Calls a closure at each change, also by the program.
  package func onChange(_ body: @escaping @MainActor () -> Void) { on("notify::text", body) }

  /// Calls a closure at Enter.
  package func onEnter(_ body: @escaping @MainActor () -> Void) { on("activate", body) }
}
