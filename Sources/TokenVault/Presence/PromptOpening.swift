internal import Presence
internal import PresenceTerms
internal import Storage
internal import System

// How a prompt is opened, and when it counts against the limit of prompts.

extension PresencePurpose {
  /// The advice if a question is too long.
  fileprivate var advice: String {
    switch self {
    case .refresh: "; ask for fewer scopes at a time"
    case .applyProvider: "; sign in again instead"
    case .unlock: "; without names it is for all accounts"
    default: ""
    }
  }
}

extension Vault {
  /// Opens a prompt, and makes the error that informs the caller.
  ///
  /// - Throws: `invalidArgument` for a question that cannot be shown in full.
  func askForPresence(
    _ question: PromptQuestion,
    account: String?,
    caller: Caller
  ) async throws(VaultFailure) -> VaultFailure {
    try demandLength(of: question)
    // The policy decides to whom it is shown, and what counts then.
    _ = try policy()
    guard caller.asking != .never else {
      try await demandPresenceAllowed(for: caller)
      return .presenceNeeded(need(nil, question, account, caller))
    }
    // Before anything is read or asked for it: a flood costs next to nothing.
    if let wait = prompting.waitToBegin(question, caller, at: clock.boot) {
      return .tooManyPrompts(retryAfter: wait)
    }
    let name = Hexadecimal.text(try random(16))
    guard prompting.begin(name, question, caller, at: clock.boot) else {
      return .busy("too many prompts are open on this connection")
    }
    return try await open(name, question, account, caller)
  }

  /// Refuses a question that cannot be shown as a whole.
  private func demandLength(of question: PromptQuestion) throws(VaultFailure) {
    let count = question.detail?.unicodeScalars.count ?? 0
    guard count > PromptQuestion.longestDetail else { return }
    throw .invalidArgument(
      "the question is too long to be shown: \(count) characters, at most"
        + " \(PromptQuestion.longestDetail)\(question.purpose.advice)"
    )
  }

  /// Opens a prompt that was begun, and makes the error that informs the caller.
  private func open(
    _ name: String,
    _ question: PromptQuestion,
    _ account: String?,
    _ caller: Caller
  ) async throws(VaultFailure) -> VaultFailure {
    let isCounted = caller.asking == .atOnce
    var isReady = false
    // A look for a counted prompt that was not opened.
    var hasOnlyLooked = false
    defer {
      prompting.endBeginning(name, looked: hasOnlyLooked ? question : nil, at: clock.boot)
      if !isReady { endPrepared(of: name) }
      endGuardLater()
    }
    let location = await location(of: caller)
    // A refusal here has cost the person no prompt, and other callers no right to open one.
    try demandPresenceAllowed(at: location)
    if isCounted {
      hasOnlyLooked = true
    } else if let wait = prompting.takeOpening(question, at: clock.boot) {
      return .tooManyPrompts(retryAfter: wait)
    }
    // The prompt may be shown long before its check begins.
    let ends = windowEnds
    async let guarding = beginGuarding()
    // A caller that will ask at once spends a prompt of the person for it.
    let isExpected = isCounted && location.objection == nil
    let program = isExpected ? await prepare(for: name, question.purpose) : nil
    let eligibility = try await fingerEligibility(for: caller, by: program)
    _ = await guarding
    // An event from outside ends only prompts that are already shown, and the watch with them.
    if ends != windowEnds { _ = await beginGuarding() }
    let opening = prompting.open(
      name,
      location: location.name,
      impossible: Set(objections(eligibility, at: location).keys),
      at: clock.boot
    )
    switch opening {
    case .asks?:
      // From here on its client can show it. Others may have been opened since it was begun.
      if isCounted, let wait = prompting.takeShowing(name, question, caller, at: clock.boot) {
        return .tooManyPrompts(retryAfter: wait)
      }
      isReady = prompts.methods(of: name).contains(where: \.isDevice)
    // A check that was passed has answered it: it is not shown.
    case .answered?: break
    // Given up: its connection has ended, or what ends all prompts has happened.
    case nil: throw .presenceFailed(.cancelled, methods: [])
    }
    hasOnlyLooked = false
    note(name, eligibility, at: location)
    sweepLater()
    let reason = reason(for: question.purpose, eligibility, at: location)
    return .presenceNeeded(need(name, question, account, caller, reason: reason))
  }

  /// The prompt that the caller is told about.
  ///
  /// A caller that cannot ask gets no name: the vault looks for no reader, and no prompt counts
  /// against the person's limit.
  private func need(
    _ name: String?,
    _ question: PromptQuestion,
    _ account: String?,
    _ caller: Caller,
    reason: String? = nil
  ) -> PresenceNeed {
    PresenceNeed(
      prompt: name ?? "",
      requester: caller.requester,
      account: account,
      purpose: question.purpose,
      detail: question.detail,
      methods: name.map { prompts.methods(of: $0) } ?? [],
      timeout: name == nil ? 0 : PromptBook.lifetime,
      reason: reason,
      scan: name == nil ? nil : lastReader()?.scan,
      statedReason: question.statedReason,
      isForAgents: caller.isRestricted
    )
  }

  /// Refuses to begin the check of a prompt while the person has been asked too often.
  func demandPromptLimit(of prompt: String, _ caller: Caller) throws(VaultFailure) {
    if let wait = prompting.waitToCheck(prompt, caller, at: clock.boot) {
      throw .tooManyPrompts(retryAfter: wait)
    }
  }

  /// The check of a prompt begins: from here on it counts.
  func count(_ prompt: String, _ caller: Caller) {
    prompting.count(prompt, caller, at: clock.boot)
  }
}
