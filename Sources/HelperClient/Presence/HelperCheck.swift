internal import HelperInterface
internal import PresenceTerms
internal import SecretMemory
internal import Synchronization
internal import System
internal import TokenVault
internal import Varlink

struct HelperCheck: CheckConversation {
  private let conversation: HelperConversation<TokenVault.CheckEvent>
  private let answers = AnswerCount()

  /// Starts a check, using a prepared helper if there is one.
  init(
    _ attempt: PresenceAttempt,
    of caller: Caller,
    by route: HelperRoute,
    turn: ReaderTurn,
    prepared: HelperLink? = nil
  ) throws(PresenceFailure) {
    switch attempt {
    case .fingerprint(let request):
      try self.init(request, of: caller, by: route, turn: turn, prepared: prepared)
    case .key(let signing):
      try self.init(HelperCheckCall(signing), of: caller, by: route, prepared: prepared)
    case .newKey(let making):
      try self.init(HelperCheckCall(making), of: caller, by: route, prepared: prepared)
    case .password(let seconds):
      let call = HelperCheckCall(presenceMethod: .password, timeout: Int(seconds) * 1000)
      try self.init(call, of: caller, by: route, prepared: prepared)
    }
  }

  /// Runs a check by fingerprint.
  ///
  /// If another program uses the reader when the helper looks for it, the reader stays hidden from
  /// that helper. Further helpers then look for it.
  private init(
    _ request: FingerRequest,
    of caller: Caller,
    by route: HelperRoute,
    turn: ReaderTurn,
    prepared: HelperLink?
  ) throws(PresenceFailure) {
    let call = HelperCheckCall(request)
    let answers = answers
    conversation = try HelperConversation(by: route, prepared: prepared, turn: turn) {
      conversation,
      put throws(HelperError) in
      var pauses = HelperPresence.pauses[...]
      var mayBeGone = prepared != nil
      while true {
        var talk = CheckTalk(conversation.helper, answers, seconds: request.seconds)
        do throws(HelperError) {
          // The caller's connection determines whose prints: the helper asks the kernel for its
          // peer.
          try talk.send(call, request.prints, passing: route.connection(of: caller))
          guard let hidden = try talk.follow(put) else { return }
          guard let pause = pauses.popFirst() else { return put(.failed(.busy(hidden))) }
          put(.waiting)
          try conversation.restart(after: pause)
        } catch {
          // A prepared helper may have ended while it waited.
          guard mayBeGone, error == .ended, !talk.hasAnswered else { throw error }
          try conversation.restart(after: 0)
        }
        mayBeGone = false
      }
    }
  }

  /// Runs a check that needs no reader.
  private init(
    _ call: HelperCheckCall,
    of caller: Caller,
    by route: HelperRoute,
    prepared: HelperLink?
  ) throws(PresenceFailure) {
    let answers = answers
    conversation = try HelperConversation(by: route, prepared: prepared) {
      conversation,
      put throws(HelperError) in
      var talk = CheckTalk(conversation.helper, answers, seconds: Int64(call.timeout) / 1000)
      try talk.send(call, [], passing: route.connection(of: caller))
      _ = try talk.follow(put)
    }
  }

  func next() async -> TokenVault.CheckEvent { await conversation.next() }

  func respond(_ text: SharedSecret) async {
    answers.number.add(1, ordering: .sequentiallyConsistent)
    // A failure appears as the end of the input.
    do throws(HelperError) {
      try conversation.helper.send(HelperRespondCall(text: text), more: true)
    } catch {
      conversation.helper.stop()
    }
  }

  func cancel() { conversation.cancel() }
}

/// The number of answers that were given to a check, counted before they are sent.
private final class AnswerCount: Sendable {
  let number = Atomic(0)
}

private struct CheckTalk: ~Copyable {
  /// After this many seconds without an event, the person needs a message.
  private static let timeout: Int64 = 3

  private let helper: HelperLink
  private let answers: AnswerCount
  private let seconds: Int64
  private var buffer = MessageBuffer(.helper)
  private var prints = 0
  private var method = PresenceMethod.fallback
  private(set) var hasAnswered = false

  init(_ helper: HelperLink, _ answers: AnswerCount, seconds: Int64) {
    self.helper = helper
    self.answers = answers
    self.seconds = seconds
  }

  /// Sends all calls at once.
  ///
  /// The helper handles them one after the other.
  mutating func send(
    _ call: HelperCheckCall,
    _ prints: [LoadedPrint],
    passing connection: Int32
  ) throws(HelperError) {
    for print in prints {
      try helper.send(LoadPrintCall(finger: print.finger, print: print.print))
    }
    self.prints = prints.count
    method = call.presenceMethod
    try helper.send(call, more: true, passing: connection)
  }

  /// Passes events on until the last one.
  ///
  /// - Returns: why the reader is hidden from this helper; `nil` if the last event was passed on.
  mutating func follow(_ put: (TokenVault.CheckEvent) -> Void) throws(HelperError) -> String? {
    let loaded = BootInstant.now.advanced(bySeconds: HelperPresence.grace)
    for _ in 0..<prints {
      _ = try helper.receive(&buffer, to: LoadPrintCall.self, until: loaded)
      hasAnswered = true
    }
    let begun = BootInstant.now
    var isArmed = false
    var questions = 0
    for _ in 0..<HelperPresence.mostEvents {
      let deadline = BootInstant.now.advanced(bySeconds: seconds + HelperPresence.grace)
      let (reply, _) = try helper.receive(&buffer, to: HelperCheckCall.self, until: deadline)
      hasAnswered = true
      switch reply {
      case .failed(.busy, let detail, _, hiddenReader: true):
        return detail ?? "reader busy: another program has it"
      case .ready where method != .fingerprint:
        isArmed = true
        put(.ready)
      case .ready(let name, let driver, let scan, let finger):
        isArmed = true
        put(.reader(SeenReader(name: name, driver: driver, scan: scan), only: finger))
        put(.ready)
      // The prompt already says that the reader waits. It does not say that the reader is busy.
      case .waiting where isArmed && BootInstant.now.seconds(since: begun) < Self.timeout: continue
      default:
        let event = TokenVault.CheckEvent(reply, of: method)
        if case .ask = event {
          questions += 1
          // A correct helper asks again only after the answer to its last question.
          guard questions <= HelperPresence.mostQuestions,
            questions <= answers.number.load(ordering: .sequentiallyConsistent) + 1
          else { throw .malformed }
        }
        put(event)
        if event.isLast { return nil }
      }
    }
    throw .malformed
  }
}

extension TokenVault.CheckEvent: ConversationEvent {
  static var lift: TokenVault.CheckEvent { .retry(.removeFinger) }

  static func broken(_ error: HelperError, wasCancelled: Bool) -> TokenVault.CheckEvent {
    .lost(error.reason)
  }
}

extension TokenVault.CheckEvent {
  fileprivate init(_ event: HelperCheckEvent, of method: PresenceMethod) {
    switch event {
    case .ready: self = .ready
    case .waiting: self = .waiting
    case .retry(let hint): self = .retry(hint)
    case .ask(let text, let hidden): self = .ask(text: text, hidden: hidden)
    case .says(let text): self = .says(text)
    case .matched(_, let credential?, _, _, let publicKey?):
      self = .made(credential: credential, publicKey: publicKey)
    case .matched(_, let credential?, let data?, let signature?, _):
      self = .touched(
        KeyAnswer(credential: credential, authenticatorData: data, signature: signature)
      )
    case .matched: self = .matched
    case .notMatched: self = .failed(.noMatch)
    case .failed(.notEnrolled, let detail, lost: true, _):
      self = .failed(.denied(detail ?? "the reader no longer has your finger: enroll it again"))
    case .failed(let reason, let detail, _, _):
      self = .failed(PresenceFailure(helper: reason, detail: detail, of: method))
    }
  }
}

extension SeenReader {
  /// Makes the value from a helper's description of the reader that it opened; `nil` if fprintd
  /// opened it.
  init?(name: String?, driver: String?, scan: ScanType?) {
    guard let driver, let scan else { return nil }
    self.init(name: name, driver: driver, scan: scan)
  }
}
