internal import CAdwaita
internal import Glibc

/// Runs the tasks of the main actor under the main loop of GLib.
///
/// Swift's main actor uses the main queue of libdispatch, which only `dispatchMain` or a loop that
/// knows the queue's descriptor runs.
@MainActor
package enum MainQueue {
  private static var isAttached = false

  /// Adds the queue to the main loop, once.
  package static func attach() {
    guard !isAttached else { return }
    isAttached = true
    unsafe g_unix_fd_add(
      _dispatch_get_main_queue_handle_4CF(),
      G_IO_IN,
      { descriptor, _, _ in
        // eventfd(2): eight bytes clear it.
        var count: UInt64 = 0
        _ = unsafe read(descriptor, &count, 8)
        _dispatch_main_queue_callback_4CF(nil)
        return 1
      },
      nil
    )
  }
}
