internal import PlainText
internal import PresenceTerms
internal import SecretMemory
internal import Synchronization
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// Shows the engine's presence check as a prompt, and takes the person's answers from that prompt.
struct PromptView: PresenceView {
  let prompt: PresencePrompt
  /// Readable while the engine waits for an answer if it has ended the prompt.
  let ending: Int32
  let interrupt: Int32
  /// How long the display of a prompt may take, in seconds.
  var longestDisplay: Int64 = 30

  var input: Int32? { prompt.input }
  var cancelInput: Int32? { prompt.input }

  func begin(
    _ method: PresenceMethod,
    of methods: [PresenceMethod],
    isFirst: Bool
  ) throws(VaultClientError) {
    if isFirst { try awaitDisplay() }
    prompt.begin(by: methods.armed(for: method))
  }

  /// Waits for a presenter that must show the prompt before the reader is armed.
  private func awaitDisplay() throws(VaultClientError) {
    guard let input = prompt.input else { return }
    while true {
      if prompt.takeCancel() {
        throw .cancelled
      }
      guard prompt.isHeld else { break }
      // The time behind another prompt does not count.
      let wasQueued = prompt.isQueued
      let deadline = BootInstant.now.advanced(bySeconds: longestDisplay)
      let isWoken = try Connection.wait(for: input, interrupt: interrupt, until: deadline)
      guard isWoken || wasQueued else {
        throw .refused(.presenceFailed(.timedOut, message: "", methods: []))
      }
    }
    // The person's actions while it was shown have not been taken yet.
    prompt.signalActs()
  }

  func takeInput() -> PresenceInput {
    switch prompt.takeAct() {
    case .choosePassword:
      // A message about a device says nothing about the password that follows.
      prompt.show(notice: nil)
      return .password
    case .cancel: return .cancel
    case .answer, .begin, .touch, nil: return .nothing
    }
  }

  func takeCancel() -> Bool { prompt.takeCancel() }

  func show(_ event: PresenceEvent) {
    switch event {
    case .queued: prompt.show(.queued)
    case .waiting: prompt.show(.finger(nil))
    case .touch(let finger, let scan):
      prompt.show(finger: finger, scan.map { $0 == .swipe ? .swipe : .press })
      prompt.show(.finger(nil))
    case .retry(let hint): prompt.show(.finger(.init(hint)))
    case .wait(let seconds, let wasWrong):
      // The event with the result follows, and that one is counted.
      prompt.show(
        notice: wasWrong
          ? .init(PresencePrompt.Way.password.noMatch, about: .password) : prompt.lastNotice,
        event: event
      )
      prompt.show(.waiting(seconds: seconds))
    case .checking: prompt.show(.checking)
    case .said(let text):
      prompt.show(notice: .init(PlainText.line(text), about: .password), event: event)
    case .failed(let method, let outcome, let message, let left):
      let devices = left.filter(\.isDevice)
      if !devices.isEmpty { prompt.setDevices(devices) }
      let way = PresencePrompt.Way(method)
      let known = outcome == .noMatch ? way.noMatch : PresenceText.failure(outcome, "")
      let sentence =
        message.isEmpty || outcome == .noMatch ? PresenceText.withDetail(known, message) : message
      prompt.show(
        notice: .init(sentence, about: way),
        event: event,
        countsAsFailure: outcome == .noMatch
      )
    }
  }

  func takeTurn(
    for method: PresenceMethod,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool {
    prompt.dropActs()
    guard method.isDevice else { return true }
    prompt.show(.ready)
    let act = try awaitAct(until: deadline) { act in
      if case .begin = act { true } else { false }
    }
    return act != nil
  }

  func answer(
    to question: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> SharedSecret? {
    // The person may have given the last answer twice. The second one would cost a try.
    if prompt.questions > 0 { prompt.dropAnswers() }
    prompt.show(.question(question, isHidden: hidden))
    let act = try awaitAct(until: deadline) { act in
      if case .answer = act { true } else { false }
    }
    guard case .answer(let password) = act else { return nil }
    return password.secret
  }

  /// Waits for the action that the check needs now; `nil` if the person cancelled, the time is
  /// over, or the engine has ended the prompt.
  private func awaitAct(
    until deadline: BootInstant,
    _ isAwaited: (PresencePrompt.Act) -> Bool
  ) throws(VaultClientError) -> PresencePrompt.Act? {
    guard let input = prompt.input else { return nil }
    repeat {
      while let act = prompt.takeAct() {
        if case .cancel = act { return nil }
        if isAwaited(act) { return act }
      }
    } while try Connection.wait(
      for: input,
      ending: ending,
      interrupt: interrupt,
      until: deadline
    )
    return nil
  }
}

extension PresencePrompt.ScanAdvice {
  init(_ hint: ScanHint) {
    self =
      switch hint {
      case .tooShort: .longer
      case .centerFinger: .center
      case .removeFinger: .lift
      case .general: .again
      }
  }
}

extension PresencePrompt.ScanAdvice {
  /// The reader's name for it.
  var hint: ScanHint {
    switch self {
    case .longer: .tooShort
    case .center: .centerFinger
    case .lift: .removeFinger
    case .again: .general
    }
  }
}

extension PresencePrompt.Scan {
  /// The reader's name for it.
  var type: ScanType { self == .swipe ? .swipe : .press }
}

extension PresencePrompt {
  /// Makes the prompt for a check that the engine asks for.
  convenience init(_ request: PresenceRequest, _ asking: PresenceAsking) {
    let methods = request.methods.filter(asking.policy.methods.contains)
    self.init(
      // The reason that the app states is shown in its own place.
      requester: PlainText.line(request.requester, limit: 120),
      account: request.account,
      purpose: request.purpose.words,
      action: PresenceText.purpose(of: request),
      detail: request.detail,
      reason: asking.reason,
      passwordReason: request.reason,
      allowsFingerprint: methods.contains(.fingerprint),
      allowsPassword: !methods.allSatisfy(\.isDevice),
      scan: request.scan == .swipe ? .swipe : .press
    )
    setDevices(methods.filter(\.isDevice))
  }
}

extension PresenceAsking {
  /// The most characters of a reason that the engine takes.
  private static let longestReason = 200

  /// The app's reason as one line, for the agent's prompt and the audit log.
  var statedReason: String? {
    reason.map {
      let line = PlainText.line($0, limit: Self.longestReason)
      return String(line.unicodeScalars.prefix(Self.longestReason))
    }
  }
}

extension PresencePolicy {
  /// The engine's methods that count.
  var methods: Set<PresenceMethod> {
    switch self {
    case .fingerprint: [.fingerprint]
    case .fingerprintOrPassword: Set(PresenceMethod.allCases)
    case .password: Set(PresenceMethod.typed)
    }
  }
}
