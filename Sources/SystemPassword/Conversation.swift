internal import CPAM
internal import Glibc
internal import SecretMemory

/// The conversation function of PAM (pam_conv(3)) for one check.
@safe
final class Conversation {
  private let user: String
  private let words: ModuleWords
  private let answer: (PasswordQuestion) -> SecretBytes?

  /// The default question of pam_get_authtok(3).
  ///
  /// It does not say which of a person's passwords is meant.
  private static let stockQuestion = "Password: "

  /// The delay after a failure that modules requested, in microseconds.
  var delay: UInt32 = 0
  /// The number of hidden answers that modules received.
  private(set) var hiddenAnswers = 0
  /// Whether the person answered a question.
  private(set) var hasAnswers = false
  /// Whether the person cancelled.
  private(set) var isCancelled = false
  /// Whether an answer cannot be a password: it held a NUL or was too long.
  private(set) var wasUnusable = false

  /// Makes a conversation about a user's password.
  init(
    user: String,
    words: ModuleWords,
    answer: @escaping (PasswordQuestion) -> SecretBytes?
  ) {
    self.user = user
    self.words = words
    self.answer = answer
  }

  /// Answers the messages of modules, or refuses all of them.
  ///
  /// `replies` may be NULL: some modules pass it with text that needs no answer. pam_conv(3): the
  /// array and each text in it are "allocated on the heap, the caller frees them".
  func converse(
    _ count: Int32,
    _ messages: UnsafeMutablePointer<UnsafePointer<pam_message>?>?,
    _ replies: UnsafeMutablePointer<UnsafeMutablePointer<pam_response>?>?
  ) -> Int32 {
    if let replies = unsafe replies { unsafe replies.pointee = nil }
    guard count >= 1, count <= PAM_MAX_NUM_MSG, let messages = unsafe messages else {
      return PAM_CONV_ERR
    }
    let given = Replies(count: Int(count))
    var hidden = 0
    for index in 0..<Int(count) {
      guard let message = unsafe messages[index] else { return PAM_CONV_ERR }
      let text = unsafe message.pointee.msg.map { unsafe String(cString: $0) } ?? ""
      switch unsafe message.pointee.msg_style {
      case PAM_TEXT_INFO, PAM_ERROR_MSG:
        words.add(text)
      case PAM_PROMPT_ECHO_OFF, PAM_PROMPT_ECHO_ON:
        let isHidden = unsafe message.pointee.msg_style == PAM_PROMPT_ECHO_OFF
        guard unsafe replies != nil, let reply = unsafe given.base?.advanced(by: index),
          unsafe ask(text, isHidden, reply)
        else { return PAM_CONV_ERR }
        if isHidden { hidden += 1 }
      default:
        // Binary prompts and radio buttons cannot be answered here.
        return PAM_CONV_ERR
      }
    }
    if let replies = unsafe replies {
      guard let base = unsafe given.base else { return PAM_BUF_ERR }
      unsafe replies.pointee = base
      given.relinquish()
      hiddenAnswers += hidden
    }
    return PAM_SUCCESS
  }

  /// Returns and clears the modules' messages since the previous question that were not shown yet.
  func takeNotes() -> [String] { words.take() }

  private func ask(
    _ text: String,
    _ isHidden: Bool,
    _ reply: UnsafeMutablePointer<pam_response>
  ) -> Bool {
    guard !isCancelled else { return false }
    let asked = text == Self.stockQuestion ? "System password for \(user): " : text
    let lines = takeNotes() + [PasswordQuestion.line(asked)]
    let question = PasswordQuestion(text: lines.joined(separator: "\n"), isHidden: isHidden)
    guard let secret = answer(question) else {
      isCancelled = true
      return false
    }
    let copy = unsafe secret.withUnsafeBytes { bytes -> UnsafeMutablePointer<CChar>? in
      // PAM would check a password only up to a NUL, and modules truncate it at PAM_MAX_RESP_SIZE.
      guard bytes.count < Int(PAM_MAX_RESP_SIZE), unsafe !bytes.contains(0) else { return nil }
      guard let copy = unsafe calloc(bytes.count + 1, 1) else { return nil }
      if let base = bytes.baseAddress {
        unsafe copy.copyMemory(from: base, byteCount: bytes.count)
      }
      return unsafe copy.assumingMemoryBound(to: CChar.self)
    }
    guard let copy = unsafe copy else {
      wasUnusable = true
      return false
    }
    unsafe reply.pointee.resp = copy
    hasAnswers = true
    return true
  }
}

/// Answers that PAM has not taken over yet; wiped and freed unless it does.
@safe
private final class Replies {
  let base: UnsafeMutablePointer<pam_response>?
  private let count: Int
  private var isOurs = true

  init(count: Int) {
    self.count = count
    let space = unsafe calloc(count, MemoryLayout<pam_response>.stride)
    unsafe base = space?.assumingMemoryBound(to: pam_response.self)
  }

  func relinquish() { isOurs = false }

  deinit {
    guard isOurs, let base = unsafe base else { return }
    for index in 0..<count {
      guard let text = unsafe base[index].resp else { continue }
      unsafe explicit_bzero(text, strlen(text))
      unsafe free(text)
    }
    unsafe free(base)
  }
}
