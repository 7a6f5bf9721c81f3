internal import Synchronization
internal import System
internal import VaultInterface

/// What other threads have for the thread of the server.
final class Inbox: Sendable {
  /// What is for one connection.
  struct Message: Sendable {
    var reply: Outbox.Part?
    var isLast = false
    /// Whether the connection is of no further use.
    var isEnd = false
    /// Called with true when no reply waits to be sent any more, with false when none ever will be.
    var whenSent: (@Sendable (Bool) -> Void)?
    /// What was decoded of the message that was taken.
    var decoded: Decoder.Decoded?
  }

  enum Item: Sendable {
    case message(Message, token: UInt64)
    /// What a look for the login name of a user has brought.
    case name(Result<String?, SystemError>, user: UInt32)
  }

  private let items = Mutex<[Item]>([])
  private let ready: ReadyQueue

  init(_ ready: ReadyQueue) {
    self.ready = ready
  }

  /// Hands a reply over; it is written here, on the caller's thread.
  func put(_ reply: VarlinkReply, for token: UInt64) {
    let part = Outbox.Part(reply)
    put(.message(Message(reply: part, isEnd: part == nil), token: token))
  }

  /// Hands the last reply over; nil: there is none.
  func putLast(_ reply: VarlinkReply?, for token: UInt64, isEnd: Bool = false) {
    let part = reply.flatMap(Outbox.Part.init)
    // A reply that cannot be written would be waited for.
    let isLost = reply != nil && part == nil
    put(.message(Message(reply: part, isLast: true, isEnd: isEnd || isLost), token: token))
  }

  func put(_ decoded: Decoder.Decoded, for token: UInt64) {
    put(.message(Message(decoded: decoded), token: token))
  }

  func put(name: Result<String?, SystemError>, of user: UInt32) {
    put(.name(name, user: user))
  }

  private func put(_ item: Item) {
    let isFirst = items.withLock { items in
      items.append(item)
      return items.count == 1
    }
    // Whoever put the first one has woken the server, which takes all of them.
    if isFirst { ready.wakeUp() }
  }

  /// Waits until a caller has been sent all that was put for it; false if it is gone.
  func waitUntilSent(to token: UInt64) async -> Bool {
    await withCheckedContinuation { continuation in
      put(.message(Message(whenSent: { continuation.resume(returning: $0) }), token: token))
    }
  }

  func takeAll() -> [Item] {
    items.withLock { items in
      let taken = items
      items = []
      return taken
    }
  }
}
