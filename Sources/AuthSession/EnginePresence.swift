internal import SecretMemory
internal import System
internal import VaultClient
internal import VaultInterface

/// Shows the engine's presence check as a prompt, and takes the person's answers from it.
struct PromptView: PresenceView {
  private static let strangeFinger = "that finger is not enrolled"
  private static let wrongPassword = "that was not the password"

  let prompt: PresencePrompt
  let interrupt: Int32

  var input: Int32? { prompt.input }

  func begin(_ method: PresenceMethod, isFirst: Bool) {
    prompt.show(method == .fingerprint ? .finger(nil) : .starting)
  }

  func takeInput() -> PresenceInput {
    switch prompt.takeAct() {
    case .choosePassword where prompt.allowsPassword: .password
    case .cancel: .cancel
    case .choosePassword, .answer, .touch, nil: .nothing
    }
  }

  func show(_ event: PresenceEvent) {
    switch event {
    case .waiting: prompt.show(.finger(nil))
    case .retry(let hint): prompt.show(.finger(.init(hint)))
    case .wait(let seconds, let wasWrong):
      if wasWrong { prompt.show(failure: Self.wrongPassword) }
      prompt.show(.waiting(seconds: seconds))
    case .checking: prompt.show(.checking)
    case .failed(let method, let outcome, let message, _):
      let noMatch = method == .fingerprint ? Self.strangeFinger : Self.wrongPassword
      let known = outcome == .noMatch ? noMatch : AuthError.PresenceFailure(outcome).sentence
      let sentence = message.isEmpty ? known : message
      if outcome == .noMatch {
        prompt.show(failure: sentence)
      } else {
        prompt.show(notice: sentence)
      }
    }
  }

  func answer(
    to question: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> SharedSecret? {
    prompt.show(.question(question, isHidden: hidden))
    guard let input = prompt.input else { return nil }
    while true {
      switch try Connection.wait(for: input, interrupt: interrupt, until: deadline) {
      case false: return nil
      case true:
        switch prompt.takeAct() {
        case .answer(let password): return password.secret
        case .cancel: return nil
        case .choosePassword, .touch, nil: continue
        }
      }
    }
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

extension PresencePrompt {
  /// The prompt for a check that the engine asks for.
  convenience init(_ request: PresenceRequest, _ asking: PresenceAsking) {
    let methods = Set(request.methods).intersection(asking.policy.methods)
    self.init(
      requester: request.requester,
      account: request.account,
      purpose: request.purpose.text,
      detail: request.detail,
      reason: asking.reason,
      passwordReason: request.reason,
      allowsFingerprint: methods.contains(.fingerprint),
      allowsPassword: methods.contains(.password)
    )
  }
}

extension PresencePolicy {
  /// The engine's ways that count.
  var methods: Set<PresenceMethod> {
    switch self {
    case .fingerprint: [.fingerprint]
    case .fingerprintOrPassword: [.fingerprint, .password]
    case .password: [.password]
    }
  }
}

extension PresencePurpose {
  /// What passing the check allows, behind "to".
  fileprivate var text: String {
    switch self {
    case .refresh: "refresh"
    case .enable: "protect"
    case .disable: "end the protection of"
    case .unlock: "unlock"
    case .enroll: "enroll a finger"
    case .deleteFinger: "delete a finger"
    case .release: "release the refresh token of"
    case .exportable: "make exportable"
    case .rekey: "make a new device secret"
    case .recover: "accept a store that was put back"
    case .test: "test the presence check"
    case .applyProvider: "change the provider of"
    case .rename: "rename"
    }
  }
}
