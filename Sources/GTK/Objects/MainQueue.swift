internal import CAdwaita
internal import Glibc

/// Runs the tasks of the program under the main loop of GLib.
///
/// Swift's main actor uses the main queue of libdispatch, which only `dispatchMain` or a loop that
/// knows the queue's descriptor runs.
///
/// Jobs for Swift's thread pool also run there. The pool, once it has a thread, wakes once a second
/// to count its threads, and even the end of a `withCheckedContinuation` passes through it. So work
/// that takes time needs a thread of its own, and a wait is a `Delay`: `Task.sleep` uses the pool
/// nevertheless.
@MainActor
package enum MainQueue {
  private static var isAttached = false

  /// Adds the queue to the main loop, once.
  package static func attach() {
    guard !isAttached else { return }
    isAttached = true
    cadwaita_use_no_pool()
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
