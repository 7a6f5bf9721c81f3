import PresenceTerms
import SecretMemory
import Synchronization

@testable import TokenVault

/// A check whose events come from a test.
final class Conversation: CheckConversation {
  let method: PresenceMethod
  let fingers: [String]
  let desktop: DesktopFingers?
  /// The finger whose print comes first.
  let first: String?
  /// The data that a security key must sign.
  let signing: KeySigning?
  /// The credential that a security key must make.
  let making: KeyMaking?
  private let script: Script<CheckEvent>
  private let answers = Mutex<[String]>([])
  private let cancelled = Mutex(false)
  private let farewell = Mutex<CheckEvent?>(.failed(.cancelled))

  init(
    _ method: PresenceMethod,
    _ request: FingerRequest?,
    _ plan: [CheckEvent],
    _ signing: KeySigning? = nil,
    _ making: KeyMaking? = nil
  ) {
    self.signing = signing
    self.making = making
    self.method = method
    fingers = request?.prints.map(\.finger) ?? []
    desktop = request?.desktop
    first = request?.first
    script = Script(plan)
  }

  var isCancelled: Bool { cancelled.withLock { $0 } }
  var given: [String] { answers.withLock { $0 } }

  func tell(_ event: CheckEvent) { script.put(event) }
  func next() async -> CheckEvent { await script.next() }
  func untilHeard() async { await script.untilHeard() }

  /// The event that a cancel causes.
  ///
  /// `nil` if the test itself reports the events.
  func setFarewell(_ event: CheckEvent?) { farewell.withLock { $0 = event } }

  func respond(_ secret: SharedSecret) async {
    let answer = text(secret)
    answers.withLock { $0.append(answer) }
  }

  func cancel() {
    cancelled.withLock { $0 = true }
    if let event = farewell.withLock({ $0 }) { script.put(event) }
  }
}
