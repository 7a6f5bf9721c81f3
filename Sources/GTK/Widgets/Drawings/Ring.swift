internal import CAdwaita
internal import Glibc

/// A ring that fills clockwise from the top, in the color of its text.
///
/// No screen reader learns its value: a label beside it says the same in words.
package final class Ring: Widget {
  override class var type: UInt { gtk_drawing_area_get_type() }

  /// Fills a share of the ring, from 0 to 1. (gtk_drawing_area_set_draw_func(3))
  package func fill(_ share: Double) {
    let content = unsafe Unmanaged.passRetained(Share(min(max(0, share), 1))).toOpaque()
    unsafe gtk_drawing_area_set_draw_func(
      typed(),
      { area, context, width, height, content in
        guard let area = unsafe area, let context = unsafe context, let content = unsafe content
        else { return }
        let share = unsafe Unmanaged<Share>.fromOpaque(content).takeUnretainedValue()
        unsafe draw(share.value, on: area, context, Double(min(width, height)))
      },
      content,
      { content in
        guard let content = unsafe content else { return }
        unsafe Unmanaged<Share>.fromOpaque(content).release()
      }
    )
  }
}

private final class Share: Sendable {
  let value: Double

  init(_ value: Double) {
    self.value = value
  }
}

/// Draws the whole ring faintly, and the share strongly. (cairo_arc(3))
private func draw(
  _ share: Double,
  on area: UnsafeMutablePointer<GtkDrawingArea>,
  _ context: OpaquePointer,
  _ size: Double
) {
  let width = size / 16
  unsafe cairo_set_line_width(context, width)
  unsafe cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND)
  for (part, opacity) in [(1, 0.15), (share, 1)] where part > 0 {
    let (middle, radius, start) = (size / 2, size / 2 - width, -Double.pi / 2)
    unsafe useTextColor(of: area, on: context, opacity: opacity)
    unsafe cairo_arc(context, middle, middle, radius, start, start + 2 * Double.pi * part)
    unsafe cairo_stroke(context)
  }
}

/// Draws in the color of an area's text from now on. (cairo_set_source_rgba(3))
func useTextColor(
  of area: UnsafeMutablePointer<GtkDrawingArea>,
  on context: OpaquePointer,
  opacity: Double = 1
) {
  var color = GdkRGBA()
  let widget = unsafe UnsafeMutableRawPointer(area).assumingMemoryBound(to: GtkWidget.self)
  unsafe gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color)
  unsafe cairo_set_source_rgba(
    context,
    Double(color.red),
    Double(color.green),
    Double(color.blue),
    Double(color.alpha) * opacity
  )
}
