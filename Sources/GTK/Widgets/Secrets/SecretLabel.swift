internal import CAdwaita
internal import Glibc
package import SecretMemory

/// A secret that the person is to read, such as a code to write down.
///
/// Screen readers speak it, so every program on the accessibility bus can read it: remove the label
/// from its window as soon as the person has the secret. GTK frees its copies of the text, and does
/// not wipe them. So three of them are overwritten; the one for screen readers cannot be reached.
package final class SecretLabel: Widget {
  override class var type: UInt { gtk_label_get_type() }

  /// Shows a secret, which is text without NUL.
  package func show(_ secret: borrowing SecretBytes) throws(SecretMemoryError) {
    let text = try unsafe SecretBytes(capacity: secret.count + 1) { room in
      unsafe secret.withUnsafeBytes { bytes in
        unsafe room.copyMemory(from: bytes)
        unsafe room[bytes.count] = 0
      }
      return secret.count + 1
    }
    unsafe text.withUnsafeBytes { bytes in
      unsafe gtk_label_set_text(opaque, bytes.bindMemory(to: CChar.self).baseAddress)
    }
  }

  /// Shows nothing.
  package func clear() {
    guard let shown = unsafe gtk_label_get_text(opaque), unsafe shown.pointee != 0 else { return }
    unsafe overwrite(gtk_label_get_label(opaque))
    unsafe overwrite(pango_layout_get_text(gtk_label_get_layout(opaque)))
    unsafe overwrite(shown)
    unsafe gtk_label_set_text(opaque, "")
  }
}

/// Overwrites a text in the memory of its owner, which frees it soon.
///
/// It keeps its length, and gets other characters than the text that comes next.
private func overwrite(_ text: UnsafePointer<CChar>?) {
  guard let text = unsafe text else { return }
  unsafe UnsafeMutablePointer(mutating: text).update(
    repeating: CChar(bitPattern: UInt8(ascii: "x")),
    count: strlen(text)
  )
}
