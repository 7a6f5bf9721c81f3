internal import CAdwaita

/// The room that is left above or below what is scrolled to, in pixels.
private let space = 12.0

extension Widget {
  /// Scrolls the scrolled window around it so far that it is seen, once it has its place.
  ///
  /// If it is higher than the scrolled window, its beginning is seen. (GTK 4.8 has no
  /// gtk_viewport_scroll_to.)
  package func reveal() {
    // The first frame gives it its place, after the closure that comes before that frame.
    beforeNextFrame { [weak self] in self?.beforeNextFrame { [weak self] in self?.scrollToIt() } }
  }

  private func scrollToIt() {
    guard isVisible, let scroller = unsafe gtk_widget_get_ancestor(typed(), Scroller.type)
    else { return }
    var bounds = graphene_rect_t()
    guard unsafe gtk_widget_compute_bounds(typed(), scroller, &bounds) != 0 else { return }
    let place = unsafe gtk_scrolled_window_get_vadjustment(OpaquePointer(scroller))
    let top = Double(bounds.origin.y) - space
    let end = Double(bounds.origin.y + bounds.size.height) + space
    let below = unsafe end - gtk_adjustment_get_page_size(place)
    let distance = top < 0 ? top : max(0, min(below, top))
    // GTK keeps the value within its limits.
    unsafe gtk_adjustment_set_value(place, gtk_adjustment_get_value(place) + distance)
  }
}

extension Label {
  /// Shows a text, or nothing if it is `nil`, and scrolls to a text that was not shown.
  package func show(orHide text: String?, reveals: Bool = true) {
    let isNew = text != nil && (!isVisible || text != self.text)
    self.text = text ?? ""
    isVisible = text != nil
    if isNew, reveals { reveal() }
  }
}
