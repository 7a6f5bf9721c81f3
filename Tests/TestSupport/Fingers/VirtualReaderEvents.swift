internal import Glibc
internal import Synchronization

/// Ordered events from another thread, for a test that waits for each in turn.
@safe
public final class VirtualReaderEvents<Event: Sendable>: @unchecked Sendable {
  private let events = Mutex<(all: [Event], read: Int)>(([], 0))
  private let count: UnsafeMutablePointer<sem_t>

  /// Makes an empty queue.
  public init() {
    unsafe count = .allocate(capacity: 1)
    unsafe count.initialize(to: sem_t())
    unsafe sem_init(count, 0, 0)
  }

  deinit {
    unsafe sem_destroy(count)
    unsafe count.deallocate()
  }

  /// Adds an event, from any thread.
  public func put(_ event: Event) {
    events.withLock { $0.all.append(event) }
    unsafe sem_post(count)
  }

  /// The next event, or `nil` if none comes within a minute.
  public func next() -> Event? {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += 60
    while unsafe sem_timedwait(count, &deadline) != 0 {
      guard errno == EINTR else { return nil }
    }
    return events.withLock { events in
      events.read += 1
      return events.all[events.read - 1]
    }
  }

  /// All events so far.
  public var all: [Event] { events.withLock { $0.all } }
}
