internal import HelperInterface
internal import System
internal import SystemPassword

/// Reports messages of PAM's modules to the engine that come without a question.
extension PresenceService {
  /// How long a message waits for a question or a failure that can include it, in nanoseconds.
  private static let messagesTime: Int64 = 300_000_000

  /// How long to wait for an event, in milliseconds; -1 without a limit.
  var longestWait: Int32 {
    let left = timeLeft()
    guard let messagesDue else { return left }
    let wait = max(0, (messagesDue.nanoseconds - BootInstant.now.nanoseconds + 999_999) / 1_000_000)
    return left < 0 ? Int32(clamping: wait) : min(left, Int32(clamping: wait))
  }

  /// A module has given a message.
  ///
  /// A question may follow at once, and then includes it.
  func noteMessage() {
    messagesDue =
      messagesDue ?? BootInstant(nanoseconds: BootInstant.now.nanoseconds + Self.messagesTime)
  }

  /// Reports messages while the module still works.
  func reportDueMessages() {
    if let messagesDue, BootInstant.now >= messagesDue { reportMessages() }
  }

  /// Reports the waiting messages.
  ///
  /// Otherwise the next question or the failure includes it.
  func reportMessages() {
    messagesDue = nil
    guard connection.wantsMore else { return }
    for text in words?.take() ?? [] {
      connection.reply(HelperCheckEvent.says(text: text), continues: true)
    }
  }
}
