internal import PresenceTerms

/// The prompt that an agent shows, or is about to show.
struct ShownPrompt {
  /// Distinguishes it from an earlier showing of the same prompt by the same agent.
  let number: UInt64
  let prompt: String
  /// The program that asks, and spends the proof.
  let caller: Caller
  /// The connection of the agent.
  let agent: UInt64
  /// Whether the agent has begun a check, which means that the prompt is on the screen.
  var isOnScreen = false
  /// Why the last check did not pass.
  var failure: PresenceFailure?
  let wake: CheckedContinuation<DesktopOutcome, Never>
}

/// The fate of a prompt at the desktop.
enum DesktopOutcome {
  case passed
  case failed(PresenceFailure)
  /// The agent has left before it showed it.
  case left
  /// The agent has not shown it in time.
  case notShown
}

/// The desktop's part of a vault: one prompt at a time is shown there.
struct DesktopState {
  /// The programs that show prompts at the person's desktop; `nil` if the clients do that
  /// themselves.
  let agents: (any DesktopAgents)?
  /// The prompt whose turn it is.
  private(set) var current: String?
  private(set) var shown: ShownPrompt?
  private var lastShowing: UInt64 = 0
  var notices = NoticeQueue()
  var reminders = SecretReminders()

  init(agents: (any DesktopAgents)?) { self.agents = agents }

  /// Whether this agent shows a prompt, or is about to.
  func shows(_ prompt: String, by agent: UInt64) -> Bool {
    shown.map { $0.prompt == prompt && $0.agent == agent } ?? false
  }

  mutating func beginTurn(of prompt: String) { current = prompt }

  mutating func endTurn(of prompt: String) {
    if current == prompt { current = nil }
  }

  /// The number of the next showing.
  mutating func nextShowing() -> UInt64 {
    lastShowing += 1
    return lastShowing
  }

  /// An agent is about to show a prompt.
  mutating func show(_ prompt: ShownPrompt) { shown = prompt }

  /// The agent has begun a check of the prompt.
  mutating func noteOnScreen() { shown?.isOnScreen = true }

  /// Keeps why the last check of a prompt did not pass; `nil` when another one begins.
  mutating func note(_ failure: PresenceFailure?, of prompt: String) {
    if shown?.prompt == prompt { shown?.failure = failure }
  }

  /// Takes the prompt that is shown, because it is over.
  mutating func takeShown() -> ShownPrompt? {
    defer { shown = nil }
    return shown
  }
}
