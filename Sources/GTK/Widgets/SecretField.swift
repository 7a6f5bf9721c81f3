internal import CAdwaita
package import SecretMemory

/// A line for a password, or for another answer that is wiped.
///
/// It is a GtkText that can show dots, has a GtkPasswordEntryBuffer, which GTK keeps in memory that is
/// not swapped and wipes, and has the role of a text box. GTK's own entries for passwords give the
/// typed text to every program on the accessibility bus; this one has no text there.
package final class SecretField: Widget {
  override class var type: UInt { gtk_text_get_type() }

  private var buffer: UnsafeMutablePointer<GtkEntryBuffer> {
    unsafe gtk_text_get_buffer(typed())
  }

  /// Whether nothing is typed.
  package var isEmpty: Bool { unsafe gtk_entry_buffer_get_bytes(buffer) == 0 }

  /// Whether dots are shown instead of the typed text. (gtk_text_set_visibility(3))
  package var isHidden: Bool {
    get { unsafe gtk_text_get_visibility(typed()) == 0 }
    set { unsafe gtk_text_set_visibility(typed(), newValue ? 0 : 1) }
  }

  /// Takes what was typed into locked memory, and wipes it here.
  package func take() throws(SecretMemoryError) -> SecretBytes {
    defer { clear() }
    let count = Int(unsafe gtk_entry_buffer_get_bytes(buffer))
    return try unsafe SecretBytes(
      copying: UnsafeRawBufferPointer(start: gtk_entry_buffer_get_text(buffer), count: count)
    )
  }

  /// Wipes what was typed. (gtk_entry_buffer_delete_text(3) overwrites it in this kind of buffer.)
  package func clear() { unsafe gtk_entry_buffer_delete_text(buffer, 0, -1) }

  /// Calls a closure at Enter.
  package func onEnter(_ body: @escaping @MainActor () -> Void) { on("activate", body) }
}
