internal import CAdwaita
package import SecretMemory

/// A secret that the person is to read, such as a code to write down.
///
/// Screen readers speak it, so every program on the accessibility bus can read it: remove the label from
/// its window as soon as the person has the secret. GTK frees its copy of the text, and does not wipe it.
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
  package func clear() { unsafe gtk_label_set_text(opaque, "") }
}
