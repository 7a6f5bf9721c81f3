public import AuthSession
internal import Synchronization

/// A person whose answers to presence prompts are known beforehand.
public final class ScriptedPresenter: PresencePresenter {
  /// What the person does at a prompt.
  public enum Answer: Sendable, Hashable {
    /// Touches the reader until the prompt has ended.
    case touches
    /// Touches the reader so often, then chooses the system password, and types this.
    case touchesThenTypes(Int, String)
    /// Chooses the system password, and types this.
    case types(String)
    /// Gives it up.
    case cancels
    /// Does nothing.
    case ignores
  }

  private struct Content {
    var answers: [Answer]
    var prompts: [PresencePrompt] = []
  }

  private let content: Mutex<Content>

  /// One who answers like this, prompt by prompt; the last answer holds for all that follow.
  public init(_ answers: Answer...) {
    content = Mutex(Content(answers: answers.isEmpty ? [.touches] : answers))
  }

  /// The prompts that were shown.
  public var prompts: [PresencePrompt] { content.withLock { $0.prompts } }

  /// Shows the prompt, and answers it.
  public func present(_ prompt: PresencePrompt) async {
    let answer = content.withLock { content in
      content.prompts.append(prompt)
      return content.answers.count > 1 ? content.answers.removeFirst() : content.answers[0]
    }
    switch answer {
    // As often as a reader could want it; what is left over means nothing.
    case .touches: for _ in 0..<16 { prompt.touch() }
    case .cancels: prompt.cancel()
    case .ignores: break
    case .types(let text): type(text, prompt)
    case .touchesThenTypes(let touches, let text):
      for _ in 0..<touches { prompt.touch() }
      type(text, prompt)
    }
  }

  private func type(_ text: String, _ prompt: PresencePrompt) {
    prompt.choosePassword()
    if let password = try? Password(text) { prompt.answer(password) }
  }
}
