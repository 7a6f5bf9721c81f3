internal import Storage

/// The answers that could not be written, by account, until they are settled.
///
/// Some file systems need room to overwrite a slot, too. Then only memory has a new refresh token.
struct UnwrittenAnswers {
  private var answers: [[UInt8]: (intent: [UInt8], image: [UInt8])] = [:]

  var isEmpty: Bool { answers.isEmpty }

  mutating func keep(_ image: [UInt8], of intent: IntentRow) {
    answers[intent.account] = (intent.intent, image)
  }

  /// The answer of an account for this intent; one for any other intent is dropped.
  mutating func image(of account: [UInt8], for intent: IntentRow?) -> [UInt8]? {
    if answers[account]?.intent != intent?.intent { answers[account] = nil }
    return answers[account]?.image
  }

  mutating func drop(of account: [UInt8]) { answers[account] = nil }
}
