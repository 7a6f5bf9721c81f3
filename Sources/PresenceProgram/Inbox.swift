internal import FingerprintReader
internal import Synchronization
internal import System
internal import SystemPassword

/// What the threads of the reader and of PAM have to say, and the one place that waits for it.
final class Inbox: Sendable {
  /// What happened.
  enum Event: Sendable {
    case seen(ReaderFacts)
    case check(CheckEvent)
    case verdict(Result<Verdict, ReaderError>)
    case enroll(EnrollEvent)
    case enrolled(Result<StoredPrint, ReaderError>)
    case deleted(Result<[Deletion], ReaderError>)
    case look(Result<ReaderLook, ReaderError>)
    case fingers(Result<Set<Finger>, ReaderError>)
    case question(PasswordQuestion)
    case password(Result<PasswordCheck.Verdict, PasswordError>)
  }

  /// Where the socket is watched too.
  let queue: ReadyQueue
  private let events = Mutex<[Event]>([])

  init() throws(SystemError) {
    queue = try ReadyQueue()
  }

  /// Leaves an event, from any thread.
  func put(_ event: Event) {
    events.withLock { $0.append(event) }
    queue.wakeUp()
  }

  /// All events, oldest first.
  func take() -> [Event] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  /// Waits for an event, the socket, or the end of the time; whether the socket can be read.
  func wait(milliseconds: Int32) throws(SystemError) -> Bool {
    try queue.wait(milliseconds: milliseconds).contains { $0.isReadable }
  }
}
