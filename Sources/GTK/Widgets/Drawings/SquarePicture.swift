internal import CAdwaita

/// A picture of dark and light squares, such as a QR code.
package final class SquarePicture: Widget {
  override class var type: UInt { gtk_picture_get_type() }

  /// Shows squares in black on white, also in the dark style: cameras expect that.
  ///
  /// - Parameters:
  ///   - count: the squares on each side.
  ///   - scale: the pixels on each side of a square.
  ///   - text: what a screen reader speaks.
  ///   - isDark: the colour of the square in a row and a column.
  package func show(
    _ count: Int,
    scale: Int,
    name text: String,
    isDark: (_ row: Int, _ column: Int) -> Bool
  ) {
    let width = count * scale
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * width * 3)
    for row in 0..<count {
      var line: [UInt8] = []
      for column in 0..<count {
        line += repeatElement(isDark(row, column) ? 0 : 255, count: 3 * scale)
      }
      for _ in 0..<scale { pixels += line }
    }
    let bytes = unsafe g_bytes_new(pixels, gsize(pixels.count))
    defer { unsafe g_bytes_unref(bytes) }
    let texture = unsafe gdk_memory_texture_new(
      Int32(width),
      Int32(width),
      GDK_MEMORY_R8G8B8,
      bytes,
      gsize(width * 3)
    )
    unsafe gtk_picture_set_paintable(opaque, texture)
    unsafe g_object_unref(texture.map { unsafe UnsafeMutableRawPointer($0) })
    // GTK exposes the alternative text only as the description.
    unsafe gtk_picture_set_alternative_text(opaque, text)
    name(text)
  }

  /// Shows nothing.
  package func clear() { unsafe gtk_picture_set_paintable(opaque, nil) }
}
