internal import Varlink
internal import VaultInterface

extension Connection {
  /// A message, parsed as far as it was when its turn came.
  enum Message {
    case usualToken(UsualTokenCall)
    case call(ParsedCall)
    /// A message that the decoder must parse.
    case undecoded(ReceivedMessage)
  }

  /// Events of the socket that are not handled yet.
  struct Events {
    var isReadable = false
    var isWritable = false
  }

  /// The caller has ended its side of the connection (shutdown(2), SHUT_WR).
  ///
  /// Closing the whole connection is another event, and cancels what runs. A call that waits for a
  /// person or for changes is cancelled here too: behind a forwarded socket (ssh -R), a caller that
  /// is gone only ends its side.
  ///
  /// - Returns: false if no answer is due.
  func endInput() -> Bool {
    hasSentAll = incompleteSince == nil && (isAnswering || wantsOutput)
    interrupt()
    return hasSentAll
  }

  /// Whether the caller has the answer to everything that it sent.
  var isDone: Bool { hasSentAll && !isAnswering && !hasMessage && !wantsOutput }
}
