internal import Synchronization
internal import System
internal import Varlink

/// The messages of other threads for the server's thread.
final class Inbox: Sendable {
  struct Message: Sendable {
    var reply: Outbox.Part?
    var isLast = false
    var isEnd = false
    /// Called with true when no reply waits to be sent any more, or with false when none can ever
    /// be sent.
    var whenSent: (@Sendable (Bool) -> Void)?
    /// The decoded form of the message that was taken.
    var decoded: Decoder.Decoded?
  }

  enum Item: Sendable {
    case message(Message, token: UInt64)
    /// The result of a lookup for a user's name.
    case name(Result<String?, SystemError>, user: UInt32)
    /// A connection that must end.
    case end(token: UInt64)
  }

  private let items = Mutex<[Item]>([])
  private let ready: ReadyQueue

  init(_ ready: ReadyQueue) {
    self.ready = ready
  }

  /// Passes on a reply.
  ///
  /// It is encoded here, on the caller's thread.
  func put(_ reply: VarlinkReply, for token: UInt64) {
    let part = Outbox.Part(reply)
    put(.message(Message(reply: part, isEnd: part == nil), token: token))
  }

  /// Passes on the last reply; `nil` if there is none.
  func putLast(_ reply: VarlinkReply?, for token: UInt64, isEnd: Bool = false) {
    let part = reply.flatMap(Outbox.Part.init)
    // The caller would wait for a reply that cannot be encoded.
    let isLost = reply != nil && part == nil
    put(.message(Message(reply: part, isLast: true, isEnd: isEnd || isLost), token: token))
  }

  /// Passes on the last reply, which is encoded already.
  func putLast(part: Outbox.Part, for token: UInt64) {
    put(.message(Message(reply: part, isLast: true), token: token))
  }

  func put(_ decoded: Decoder.Decoded, for token: UInt64) {
    put(.message(Message(decoded: decoded), token: token))
  }

  func putEnd(of token: UInt64) { put(.end(token: token)) }

  func put(name: Result<String?, SystemError>, of user: UInt32) {
    put(.name(name, user: user))
  }

  private func put(_ item: Item) {
    let isFirst = items.withLock { items in
      items.append(item)
      return items.count == 1
    }
    // The first item wakes the server, which then takes all items.
    if isFirst { ready.wakeUp() }
  }

  /// Waits until all replies for a caller are sent.
  ///
  /// Returns false if the caller is gone.
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
