internal import GTK
internal import Observation
internal import SecretMemory
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// A slot of the machine key that is added.
@Observable
@MainActor
final class SlotModel {
  enum Stage {
    /// The engine or a check is awaited.
    case working
    /// A touch of the security key is awaited.
    case touching
    /// The person types the PIN of the security key.
    case pin
    /// The person writes the recovery code down.
    case showing
    /// The person types it back.
    case typing
  }

  /// How an addition ended.
  enum Outcome {
    case added(AddSlotReply)
    /// Without a trouble if the person gave up.
    case failed(Trouble?)
  }

  /// `nil` if none is added.
  private(set) var stage: Stage?
  /// What is wrong with the code that was typed back.
  private(set) var problem: String?
  /// The question for the PIN of the security key.
  private(set) var question = ""
  /// The new recovery code, until it was typed back.
  private(set) var code: SharedSecret?

  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private var run: SlotRun?

  init(_ link: VaultLink?) {
    self.link = link
  }

  /// Adds a slot.
  func add(_ kind: SlotKind) async -> Outcome {
    guard let link, stage == nil else { return .failed(nil) }
    (stage, problem) = (.working, nil)
    defer { (stage, problem, code, run) = (nil, nil, nil, nil) }
    do throws(VaultClientError) {
      let run = try SlotRun(kind) { step in
        Task { @MainActor [weak self] in self?.show(step) }
      }
      self.run = run
      return .added(try await run.run(over: link))
    } catch {
      if case .interrupted = error { return .failed(nil) }
      return .failed(Trouble(error))
    }
  }

  private func show(_ step: SlotStep) {
    // The person may have given it up before.
    guard stage != nil else { return }
    switch step {
    case .code(let code): (self.code, stage) = (code, .showing)
    case .pin(let question): (self.question, stage) = (QuestionWords.pin(question), .pin)
    case .touch: stage = .touching
    }
  }

  // MARK: The person

  /// Goes on to type the code back.
  func proceed() {
    if code != nil { (stage, problem) = (.typing, nil) }
  }

  /// Shows the code again.
  func goBack() {
    if code != nil { (stage, problem) = (.showing, nil) }
  }

  /// Takes the code that was typed back.
  func answer(_ typed: SharedSecret) {
    guard let code else { return }
    guard RecoveryCodeText.isSame(typed, code) else {
      problem = tr("This is not the code that was shown. Type it again, or look at it again.")
      return
    }
    (self.code, stage, problem) = (nil, .working, nil)
    run?.answer(typed)
  }

  /// Takes the PIN of the security key.
  func answer(pin: SharedSecret) {
    guard stage == .pin else { return }
    stage = .working
    run?.answer(pin)
  }

  /// Gives the addition up.
  func cancel() {
    code = nil
    run?.cancel()
  }
}
