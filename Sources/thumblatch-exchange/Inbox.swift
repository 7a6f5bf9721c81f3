import HelperInterface
import System
import Varlink

/// The received and unread data of the engine.
final class Inbox {
  /// How long a connection waits to be used, in seconds.
  ///
  /// The time limits of the request continue to run. An engine that takes longer uses another
  /// helper.
  private static let patience: Int64 = 2

  var buffer = MessageBuffer(.helper)
  /// Whether the request may be sent; `nil` until the engine has said.
  private var answer: Bool?

  /// Waits until the engine permits the request.
  ///
  /// It returns false if the engine sends anything else, disconnects, or takes too long.
  func mayProceed(_ socket: borrowing Descriptor) -> Bool {
    if let answer { return answer }
    let isAllowed = (try? hasProceed(socket)) ?? false
    answer = isAllowed
    return isAllowed
  }

  private func hasProceed(_ socket: borrowing Descriptor) throws -> Bool {
    let deadline = BootInstant.now.advanced(bySeconds: Self.patience)
    while true {
      if let call = try buffer.nextCall() { return call.method == HelperProceedCall.method }
      let left = deadline.seconds(since: .now)
      guard left >= 0 else { return false }
      guard try socket.waitReadable(milliseconds: Int32(clamping: left * 1000 + 100)) else {
        continue
      }
      let count = unsafe try buffer.receive { room throws(SystemError) in
        unsafe try socket.receive(into: room)?.count ?? 0
      }
      guard let count, count > 0 else { return false }
    }
  }
}
