internal import Presence
internal import SecretMemory
internal import Synchronization
internal import System
internal import TokenVault
internal import VaultInterface

/// One check in a helper process: a thread reads what it says, whoever is interested takes it.
final class HelperCheck: CheckConversation {
  private let helper: HelperProcess
  private let events = EventQueue<TokenVault.CheckEvent>()
  private let isCancelled = Atomic(false)
  private let seconds: Int64

  init(
    _ call: HelperCheckCall,
    prints: [LoadedPrint],
    more: Bool,
    seconds: Int64
  ) throws(Presence.PresenceOutcome) {
    self.seconds = seconds
    do throws(HelperError) {
      helper = try HelperProcess(program: HelperPresence.program)
    } catch {
      throw .notAvailable(error.reason)
    }
    do throws(SystemError) {
      try startThread { [self] in run(call, prints, more) }
    } catch {
      helper.finish(withinMilliseconds: 0)
      throw .notAvailable("\(error)")
    }
  }

  func next() async -> TokenVault.CheckEvent { await events.next() }

  func respond(_ text: SharedSecret) async {
    // A failure shows as the end of what is read.
    do throws(HelperError) {
      try helper.send(HelperRespondCall(text: text))
    } catch {
      helper.stop()
    }
  }

  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    helper.stop()
  }

  private func run(_ call: HelperCheckCall, _ prints: [LoadedPrint], _ more: Bool) {
    // A helper that was told to end releases the reader first; one that hangs is ended.
    defer { helper.finish(withinMilliseconds: 1000) }
    var buffer = MessageBuffer(.helper)
    do throws(HelperError) {
      let begun = BootInstant.now
      for print in prints {
        try helper.send(LoadPrintCall(finger: print.finger, print: print.print))
        _ = try helper.receive(
          &buffer,
          to: LoadPrintCall.self,
          until: begun.advanced(bySeconds: 5)
        )
      }
      try helper.send(call, more: more)
      while true {
        let deadline = BootInstant.now.advanced(bySeconds: seconds + HelperPresence.grace)
        let (event, _) = try helper.receive(&buffer, to: HelperCheckCall.self, until: deadline)
        if report(event) { return }
      }
    } catch {
      events.put(
        .failed(
          isCancelled.load(ordering: .acquiring) ? .cancelled : .notAvailable(error.reason)
        )
      )
    }
  }

  /// Passes an event on; true for the last one.
  private func report(_ event: HelperCheckEvent) -> Bool {
    switch event {
    case .ready: events.put(.ready)
    case .waiting: events.put(.waiting)
    case .retry(let hint): events.put(.retry(TokenVault.RetryHint(hint)))
    case .ask(let text, let hidden): events.put(.ask(text: text, hidden: hidden))
    case .matched:
      events.put(.matched)
      return true
    case .notMatched:
      events.put(.failed(.noMatch))
      return true
    case .failed(let reason, let detail):
      events.put(.failed(Presence.PresenceOutcome(reason, detail: detail)))
      return true
    }
    return false
  }
}

extension TokenVault.RetryHint {
  init(_ hint: ScanHint) {
    self = TokenVault.RetryHint(rawValue: hint.rawValue) ?? .general
  }
}
