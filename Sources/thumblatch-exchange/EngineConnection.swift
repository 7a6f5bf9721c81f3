import HelperInterface
import System
import Varlink

/// The connection to the engine, with the data that was received and not read yet.
final class EngineConnection {
  /// How long the engine may take to permit the request, in seconds.
  ///
  /// The time limits of the request continue to run. An engine that takes longer uses another
  /// helper.
  private static let permitTime: Int64 = 2

  let socket: Descriptor
  var buffer = MessageBuffer(.helper)
  /// Whether the request may be sent; `nil` until the engine has said.
  private var answer: Bool?

  init(_ socket: consuming Descriptor) {
    self.socket = socket
  }

  func send(_ reply: VarlinkReply) throws(ConversationError) {
    try socket.send(reply.encoded(on: .helper))
  }

  /// Receives bytes, and hands over the descriptor that came with them.
  ///
  /// It returns false at the end of the connection.
  func receive(_ take: (consuming Descriptor) -> Void) throws(ConversationError) -> Bool {
    do throws(ConversationError) {
      if let passed = try buffer.receive(from: socket) { take(passed) }
      return true
    } catch {
      if error == .ended { return false }
      throw error
    }
  }

  /// Waits until the engine permits the request.
  ///
  /// It returns false if the engine sends anything else, disconnects, or takes too long.
  func mayProceed() -> Bool {
    if let answer { return answer }
    let deadline = BootInstant.now.advanced(bySeconds: Self.permitTime)
    let call = try? buffer.nextCall(from: socket, until: deadline)
    let isAllowed = call?.method == HelperProceedCall.method
    answer = isAllowed
    return isAllowed
  }
}
