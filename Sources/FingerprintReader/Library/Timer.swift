internal import CFprint
internal import Glibc

/// A timer on the reader's thread (g_timeout_add(3)); a new start ends the previous one.
struct Timer {
  private var source: guint = 0

  /// Calls `body` once after a number of milliseconds.
  mutating func start(_ milliseconds: guint, _ body: @escaping () -> Void) {
    start(milliseconds) { () -> gboolean in
      body()
      return 0
    }
  }

  /// Calls `body` repeatedly.
  mutating func `repeat`(_ milliseconds: guint, _ body: @escaping () -> Void) {
    start(milliseconds) { () -> gboolean in
      body()
      return 1
    }
  }

  /// Whether the timer was started and not stopped; an expired timer does not count as stopped.
  var isStarted: Bool { source != 0 }

  mutating func stop() {
    // A source that has ended by itself is gone: unlike g_source_remove, this checks first.
    if source != 0, let found = unsafe g_main_context_find_source_by_id(nil, source) {
      unsafe g_source_destroy(found)
    }
    source = 0
  }

  private mutating func start(_ milliseconds: guint, firing body: @escaping () -> gboolean) {
    stop()
    source = unsafe g_timeout_add_full(
      G_PRIORITY_DEFAULT,
      milliseconds,
      { data in
        guard let data = unsafe data else { return 0 }
        return unsafe Unmanaged<Firing>.fromOpaque(data).takeUnretainedValue().body()
      },
      Unmanaged.passRetained(Firing(body)).toOpaque(),
      { data in
        if let data = unsafe data { unsafe Unmanaged<Firing>.fromOpaque(data).release() }
      }
    )
  }

  private final class Firing {
    let body: () -> gboolean

    init(_ body: @escaping () -> gboolean) {
      self.body = body
    }
  }
}

/// Milliseconds of CLOCK_BOOTTIME, which counts suspend (clock_gettime(2)).
func boottime() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_BOOTTIME, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
