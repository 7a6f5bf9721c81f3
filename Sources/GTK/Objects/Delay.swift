internal import CAdwaita
internal import Glibc

/// Runs a closure once, after some time of the main loop.
///
/// `Task.sleep` would start the pool of threads that `MainQueue` avoids.
@MainActor
package final class Delay {
  private let timer: Int32
  private var source: UInt32 = 0
  private let body: @MainActor () -> Void

  /// Begins to wait; time in suspend counts too. (timerfd_create(2))
  package init(milliseconds: Int, _ body: @escaping @MainActor () -> Void) {
    self.body = body
    timer = cadwaita_timer(milliseconds)
    guard timer >= 0 else { return }
    let content = unsafe Unmanaged.passRetained(self).toOpaque()
    source = unsafe g_unix_fd_add_full(
      // Behind the keys and clicks that have come before its end.
      G_PRIORITY_DEFAULT + 1,
      timer,
      G_IO_IN,
      { _, _, content in
        guard let content = unsafe content else { return 0 }
        let delay = unsafe Unmanaged<Delay>.fromOpaque(content).takeUnretainedValue()
        MainActor.assumeIsolated { delay.fire() }
        return 0
      },
      content,
      { content in
        guard let content = unsafe content else { return }
        unsafe Unmanaged<Delay>.fromOpaque(content).release()
      }
    )
  }

  /// Begins to wait; time in suspend counts too.
  package convenience init(seconds: Int, _ body: @escaping @MainActor () -> Void) {
    let (milliseconds, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    self.init(milliseconds: isTooLong ? .max : milliseconds, body)
  }

  deinit { close(timer) }

  /// Gives the wait up.
  package func cancel() {
    guard source != 0 else { return }
    let ended = source
    source = 0
    g_source_remove(ended)
  }

  private func fire() {
    source = 0
    body()
  }
}
