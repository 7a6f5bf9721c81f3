internal import GTK
internal import Observation
internal import PlainText
internal import PresenceTerms
internal import SecretMemory
internal import VaultClient
internal import VaultInterface

/// A presence check on the screen.
@Observable
@MainActor
final class PromptModel {
  /// What the check waits for.
  enum Phase: Equatable {
    /// A touch, another prompt, or the engine.
    case waiting
    /// The person is to say when to go on.
    case turn
    /// The answer to a question, which is shown as dots or not.
    case typing(String, isHidden: Bool)
  }

  private(set) var phase = Phase.waiting
  /// The act that is asked for, and what it allows.
  private(set) var what = ""
  /// The last message about the check.
  private(set) var notice: String?
  /// Whether the person may choose the password instead.
  private(set) var offersPassword = false
  /// Whether a finger passes the check.
  private(set) var takesFinger = false
  /// Whether a device waits for a touch now.
  private(set) var awaitsTouch = false
  /// Whether the check is over.
  private(set) var isOver = false

  /// The program that asks, as far as the system knows.
  let who: String
  let isOwn: Bool

  @ObservationIgnored
  private let link: PromptLink
  @ObservationIgnored
  private var scan: ScanType
  /// The method that asked the last question.
  @ObservationIgnored
  private var asking = PresenceMethod.fallback

  init(_ link: PromptLink) {
    self.link = link
    isOwn = link.isOwn
    scan = link.request.scan ?? .press
    who = link.isOwn ? tr("Requested here.") : PresenceWords.requester(of: link.request)
    notice = PresenceWords.reason(of: link.request)
  }

  /// Follows the check until it is over.
  func follow() async {
    for await step in link.steps { take(step) }
    isOver = true
  }

  private func take(_ step: PromptStep) {
    switch step {
    case .begin(let methods, let offers):
      ask(by: methods)
      takesFinger = methods.contains(.fingerprint)
      awaitsTouch = false
      offersPassword = offers && methods.allSatisfy(\.isDevice)
      phase = .waiting
    case .turn:
      notice = tr("The other prompt is over.")
      (offersPassword, awaitsTouch) = (false, false)
      phase = .turn
    case .question(let text, let isHidden, let method):
      ask(by: [method])
      asking = method
      (offersPassword, awaitsTouch) = (false, false)
      phase = .typing(QuestionWords.lines(text), isHidden: isHidden)
    case .event(let event): take(event)
    }
  }

  private func ask(by methods: [PresenceMethod]) {
    what = PresenceWords.question(link.request, by: methods, scan)
  }

  private func take(_ event: PresenceEvent) {
    switch event {
    case .queued:
      notice = tr("Another prompt is open. This one waits for its end.")
      // The check begins again after that, and offers it then.
      offersPassword = false
    case .waiting: awaitsTouch = true
    case .touch(let finger, let scan):
      awaitsTouch = true
      if let scan { self.scan = scan }
      if let finger { notice = ScanWords.touch(finger, self.scan) }
    case .retry(let hint): notice = ScanWords.advice(hint, scan)
    case .wait(let seconds, let wasWrong): notice = ScanWords.wait(seconds, wasWrong: wasWrong)
    case .checking:
      notice = nil
      phase = .waiting
    case .said(let text): notice = PlainText.line(text)
    case .failed(let method, let outcome, let message, let left):
      notice = PresenceWords.nextTry(
        after: method,
        outcome,
        message,
        // The button says how to choose the password.
        left: left.contains(where: \.isDevice) ? left.filter(\.isDevice) : left,
        scan
      )
    }
  }

  // MARK: The person

  func hasBeenShown() { link.hasBeenShown() }
  func deny() { link.did(.deny) }
  func proceed() { link.did(.proceed) }

  func choosePassword() {
    notice = nil
    offersPassword = false
    link.did(.choosePassword)
  }

  /// Says why the typed answer was not taken.
  func refuse(_ error: SecretMemoryError) { notice = Trouble(error).text }

  /// Answers the question.
  func answer(_ secret: consuming SecretBytes) {
    phase = .waiting
    // After its PIN, a key waits for a touch.
    awaitsTouch = asking.isDevice
    link.did(.answer(SharedSecret(secret)))
  }
}
