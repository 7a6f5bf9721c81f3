internal import CAdwaita

/// A bar that fills while something is done.
package final class Progress: Widget {
  override class var type: UInt { gtk_progress_bar_get_type() }

  /// Fills a part of it, from 0 to 1. (gtk_progress_bar_set_fraction(3))
  package func fill(_ share: Double) { unsafe gtk_progress_bar_set_fraction(opaque, share) }
}
