internal import FingerprintReader
internal import HelperInterface
internal import SecurityKey
internal import Synchronization
internal import System
internal import SystemPassword

/// Collects the events from the threads of the reader and of PAM.
final class Inbox: Sendable {
  enum Event: Sendable {
    case seen(ReaderFacts)
    case check(CheckEvent)
    case verdict(Result<Verdict, ReaderError>)
    case enroll(EnrollEvent)
    case enrolled(Result<StoredPrint, ReaderError>)
    case deleted(Result<[Deletion], ReaderError>)
    case look(ReaderLook)
    case fingers(Result<Set<Finger>, ReaderError>)
    case question(PasswordQuestion)
    /// A PAM module has given a message.
    case said
    case password(Result<PasswordCheck.Verdict, PasswordError>)
    case lit
    case key(Result<HelperCheckEvent, KeyFailure>, isLate: Bool)
  }

  /// The queue, which also watches the socket.
  let queue: ReadyQueue
  private let events = Mutex<[Event]>([])

  init() throws(SystemError) {
    queue = try ReadyQueue()
  }

  /// Adds an event, from any thread.
  func put(_ event: Event) {
    events.withLock { $0.append(event) }
    queue.wakeUp()
  }

  /// Removes and returns all events, oldest first.
  func take() -> [Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// Waits for an event, the socket, or the end of the time; returns whether the socket is
  /// readable.
  func wait(milliseconds: Int32) throws(SystemError) -> Bool {
    try queue.wait(milliseconds: milliseconds).contains { $0.isReadable }
  }
}
