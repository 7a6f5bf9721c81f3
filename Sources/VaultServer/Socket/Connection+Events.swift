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
}
