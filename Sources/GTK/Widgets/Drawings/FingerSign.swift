internal import CAdwaita
internal import Glibc

/// The sign of a finger, in the color of its text: the lines of the app's symbolic icon.
///
/// It is drawn here because GTK would load librsvg for an icon of this size.
package final class FingerSign: Widget {
  override class var type: UInt { gtk_drawing_area_get_type() }

  /// Draws it from now on. (gtk_drawing_area_set_draw_func(3))
  package func draw() {
    unsafe gtk_drawing_area_set_draw_func(
      typed(),
      { area, context, width, height, _ in
        guard let area = unsafe area, let context = unsafe context else { return }
        unsafe drawFinger(on: area, context, Double(min(width, height)))
      },
      nil,
      nil
    )
  }
}

/// Draws the lines on a square with sides of 16 units, as in the icon's file. (cairo_arc(3))
private func drawFinger(
  on area: UnsafeMutablePointer<GtkDrawingArea>,
  _ context: OpaquePointer,
  _ size: Double
) {
  unsafe useTextColor(of: area, on: context)
  unsafe cairo_scale(context, size / 16, size / 16)
  unsafe cairo_set_line_width(context, 1.5)
  unsafe cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
  for (radius, left, right) in [(5.25, 11.0, 11.0), (2.75, 13, 10)] {
    unsafe cairo_move_to(context, 8 - radius, left)
    unsafe cairo_arc(context, 8, 7.5, radius, .pi, 2 * .pi)
    unsafe cairo_line_to(context, 8 + radius, right)
  }
  for (column, top, bottom) in [(8.0, 8.0, 14.0), (10.75, 12.75, 13.25)] {
    unsafe cairo_move_to(context, column, top)
    unsafe cairo_line_to(context, column, bottom)
  }
  unsafe cairo_stroke(context)
}
