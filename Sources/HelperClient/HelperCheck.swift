internal import Presence
internal import SecretMemory
internal import System
internal import TokenVault
internal import VaultInterface

/// One check in a helper process.
struct HelperCheck: CheckConversation {
  /// After so many seconds a person wonders whether anything happens.
  private static let patience: Int64 = 3

  private let conversation: HelperConversation<TokenVault.CheckEvent>

  init(
    _ call: HelperCheckCall,
    of caller: Caller,
    by route: HelperRoute,
    prints: [LoadedPrint],
    more: Bool,
    seconds: Int64
  ) throws(Presence.PresenceOutcome) {
    conversation = try HelperConversation(by: route) { helper, put throws(HelperError) in
      var buffer = MessageBuffer(.helper)
      let loaded = BootInstant.now.advanced(bySeconds: HelperPresence.grace)
      for print in prints {
        try helper.send(LoadPrintCall(finger: print.finger, print: print.print))
        _ = try helper.receive(&buffer, to: LoadPrintCall.self, until: loaded)
      }
      // Whose password, whose prints: the helper asks the kernel who is at the other end.
      let lent = route.isServed ? caller.peer?.socket.number ?? -1 : -1
      try helper.send(call, more: more, passing: lent)
      let begun = BootInstant.now
      var isArmed = false
      while true {
        let deadline = BootInstant.now.advanced(bySeconds: seconds + HelperPresence.grace)
        let (reply, _) = try helper.receive(&buffer, to: HelperCheckCall.self, until: deadline)
        let event = TokenVault.CheckEvent(reply)
        isArmed = isArmed || event == .ready
        // That the reader waits at all stands on the screen already; that it is busy does not.
        let isSoon = BootInstant.now.seconds(since: begun) < Self.patience
        if event == .waiting && isArmed && isSoon { continue }
        put(event)
        if event.isLast { return }
      }
    }
  }

  func next() async -> TokenVault.CheckEvent { await conversation.next() }

  func respond(_ text: SharedSecret) async {
    // A failure shows as the end of what is read.
    do throws(HelperError) {
      try conversation.helper.send(HelperRespondCall(text: text))
    } catch {
      conversation.helper.stop()
    }
  }

  func cancel() { conversation.cancel() }
}

extension TokenVault.CheckEvent: ConversationEvent {
  static func broken(_ error: HelperError, wasCancelled: Bool) -> TokenVault.CheckEvent {
    .lost(error.reason)
  }
}

extension TokenVault.CheckEvent {
  fileprivate init(_ event: HelperCheckEvent) {
    switch event {
    case .ready: self = .ready
    case .waiting: self = .waiting
    case .retry(let hint): self = .retry(TokenVault.RetryHint(hint))
    case .ask(let text, let hidden): self = .ask(text: text, hidden: hidden)
    case .matched: self = .matched
    case .notMatched: self = .failed(.noMatch)
    case .failed(let reason, let detail):
      self = .failed(Presence.PresenceOutcome(reason, detail: detail))
    }
  }
}

extension TokenVault.RetryHint {
  init(_ hint: ScanHint) {
    self = TokenVault.RetryHint(rawValue: hint.rawValue) ?? .general
  }
}
