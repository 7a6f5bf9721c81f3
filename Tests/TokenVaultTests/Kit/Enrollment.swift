import PresenceTerms
import Synchronization

@testable import TokenVault

/// An enrollment whose events come from a test.
final class Enrollment: EnrollmentConversation {
  let request: EnrollmentRequest
  private let kept = Mutex(false)
  private let script = Script<EnrollmentEvent>([])
  private let cancelled = Mutex(false)
  private let isSilent = Mutex(false)

  init(_ request: EnrollmentRequest) {
    self.request = request
  }

  var isCancelled: Bool { cancelled.withLock { $0 } }
  /// Whether the engine has stored the print.
  var isKept: Bool { kept.withLock { $0 } }
  func keep() { kept.withLock { $0 = true } }

  func tell(_ event: EnrollmentEvent) { script.put(event) }
  /// From now on a cancel causes no event by itself.
  func saysNothing() { isSilent.withLock { $0 = true } }
  func next() async -> EnrollmentEvent { await script.next() }

  func cancel() {
    cancelled.withLock { $0 = true }
    if !isSilent.withLock({ $0 }) { script.put(.failed(.cancelled)) }
  }
}
