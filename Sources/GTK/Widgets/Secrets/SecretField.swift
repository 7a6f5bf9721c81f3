internal import CAdwaita
package import SecretMemory

/// A line for a password, or for another answer that is wiped.
///
/// It is a GtkText that can show dots, has a GtkPasswordEntryBuffer, and has the role of a text
/// box. GTK's own entries for passwords give the typed text to every program on the accessibility
/// bus; this one has no text there.
///
/// A GtkPasswordEntryBuffer keeps its text in memory that is not swapped, and wipes it at its own
/// end. Deleted text stays there until then, or until other text takes its place. So the field gets
/// another buffer after each deletion, such as that of a selected text which other text replaces.
package final class SecretField: Widget {
  override class var type: UInt { gtk_text_get_type() }

  /// Whether there was text in the present buffer.
  private var isUsed = false
  /// Whether the present buffer may hold deleted text.
  private var holdsDeleted = false

  required init(_ pointer: UnsafeMutableRawPointer) {
    unsafe super.init(pointer)
    noteDeletions()
    on("changed") { [weak self] in self?.noteChange() }
  }

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

  /// Moves the typed text into locked memory, and wipes it here.
  package func take() throws(SecretMemoryError) -> SecretBytes {
    let typed = unsafe buffer
    unsafe g_object_ref(typed)
    // GtkPasswordEntryBuffer wipes its text with the last reference to it.
    defer { unsafe g_object_unref(typed) }
    clear()
    let count = Int(unsafe gtk_entry_buffer_get_bytes(typed))
    return try unsafe SecretBytes(
      copying: UnsafeRawBufferPointer(start: gtk_entry_buffer_get_text(typed), count: count)
    )
  }

  /// Wipes the typed text. (gtk_text_set_buffer(3))
  package func clear() {
    guard isUsed || !isEmpty else { return }
    isUsed = false
    replaceBuffer(keepingText: false)
  }

  /// Takes another buffer; the former one wipes its memory with the last reference to it.
  private func replaceBuffer(keepingText keepsText: Bool) {
    let former = unsafe buffer
    guard let next = unsafe gtk_password_entry_buffer_new() else { return }
    defer { unsafe g_object_unref(next) }
    if keepsText {
      let text = unsafe gtk_entry_buffer_get_text(former)
      unsafe gtk_entry_buffer_set_text(next, text, Int32(gtk_entry_buffer_get_length(former)))
    }
    let place = unsafe gtk_editable_get_position(opaque)
    holdsDeleted = false
    unsafe gtk_text_set_buffer(typed(), next)
    unsafe gtk_editable_set_position(opaque, place)
    noteDeletions()
  }

  /// Learns of deletions from the present buffer, which owns the closure.
  /// (GtkEntryBuffer::deleted-text)
  private func noteDeletions() {
    unsafe Object(new(buffer)).on("deleted-text") { [weak self] in self?.holdsDeleted = true }
  }

  /// Calls a closure at Enter.
  package func onEnter(_ body: @escaping @MainActor () -> Void) { on("activate", body) }

  /// Wipes a text that the person has deleted.
  private func noteChange() {
    guard !isEmpty else { return clear() }
    isUsed = true
    if holdsDeleted { replaceBuffer(keepingText: true) }
  }
}
