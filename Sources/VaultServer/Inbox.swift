internal import Synchronization
internal import System
internal import VaultInterface

/// What tasks have for the thread of the server.
final class Inbox: Sendable {
  struct Message: Sendable {
    var reply: VarlinkReply?
    var isLast = false
    /// Whether the connection is of no further use.
    var isEnd = false
    /// Called with true when no reply waits to be sent any more, with false when none ever will be.
    var whenSent: (@Sendable (Bool) -> Void)?
  }

  private let messages = Mutex<[(UInt64, Message)]>([])
  private let ready: ReadyQueue

  init(_ ready: ReadyQueue) {
    self.ready = ready
  }

  func put(_ reply: VarlinkReply?, for token: UInt64, isLast: Bool) {
    put(Message(reply: reply, isLast: isLast), for: token)
  }

  func putLast(_ reply: VarlinkReply?, for token: UInt64, isEnd: Bool) {
    put(Message(reply: reply, isLast: true, isEnd: isEnd), for: token)
  }

  private func put(_ message: Message, for token: UInt64) {
    let isFirst = messages.withLock { messages in
      messages.append((token, message))
      return messages.count == 1
    }
    // Whoever put the first one has woken the server, which takes all of them.
    if isFirst { ready.wakeUp() }
  }

  /// Waits until a caller has been sent all that was put for it; false if it is gone.
  func waitUntilSent(to token: UInt64) async -> Bool {
    await withCheckedContinuation { continuation in
      put(Message(whenSent: { continuation.resume(returning: $0) }), for: token)
    }
  }

  func takeAll() -> [(UInt64, Message)] {
    messages.withLock { messages in
      let taken = messages
      messages = []
      return taken
    }
  }
}
