internal import CAdwaita

/// A place for a scrolled window, as high as the whole text in that, or as the most height of that.
///
/// If there is less room, the text scrolls. The scrolled window keeps its least height.
///
/// GTK 4.8 measures the child of a scrolled window without the width that it will have. So a text
/// that wraps there more often than at its natural width would scroll, although there is room for
/// it.
package final class TextPlace: Widget {
  override class var type: UInt { adw_bin_get_type() }

  /// Measures the text from now on. (gtk_custom_layout_new(3))
  package func measureText() {
    let layout = unsafe gtk_custom_layout_new(
      { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
      { place, orientation, width, least, natural, _, _ in
        guard let scroller = unsafe gtk_widget_get_first_child(place) else { return }
        let (heights, text) = unsafe content(of: scroller)
        guard orientation == GTK_ORIENTATION_VERTICAL, let text = unsafe text else {
          return unsafe gtk_widget_measure(scroller, orientation, -1, least, natural, nil, nil)
        }
        var height: Int32 = 0
        unsafe gtk_widget_measure(text, orientation, width, nil, &height, nil, nil)
        unsafe least?.pointee = min(height, heights.lowerBound)
        unsafe natural?.pointee = min(height, heights.upperBound)
      },
      { place, width, height, baseline in
        guard let scroller = unsafe gtk_widget_get_first_child(place) else { return }
        unsafe gtk_widget_allocate(scroller, width, height, baseline, nil)
      }
    )
    // The place owns it.
    unsafe gtk_widget_set_layout_manager(typed(), layout)
  }
}

/// The least and the most height of a scrolled window, and what is scrolled in it.
private func content(
  of scroller: UnsafeMutablePointer<GtkWidget>
) -> (heights: ClosedRange<Int32>, text: UnsafeMutablePointer<GtkWidget>?) {
  let scroller = OpaquePointer(scroller)
  let least = unsafe gtk_scrolled_window_get_min_content_height(scroller)
  let most = unsafe gtk_scrolled_window_get_max_content_height(scroller)
  // A label has no way to scroll: GTK has put it into a GtkViewport.
  let text = unsafe gtk_scrolled_window_get_child(scroller).flatMap {
    unsafe gtk_viewport_get_child(OpaquePointer($0))
  }
  return unsafe (least...most, text)
}
