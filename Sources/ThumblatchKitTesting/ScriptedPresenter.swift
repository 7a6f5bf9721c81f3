internal import Synchronization
public import ThumblatchKit

/// A presenter that answers presence prompts by a script.
public final class ScriptedPresenter: PresencePresenter {
  /// The person's action at a prompt.
  public enum Answer: Sendable, Hashable {
    /// Touch the reader until the prompt ends.
    case touches
    /// Touch the reader so often, then choose the system password and type this text.
    case touchesThenTypes(Int, String)
    /// Choose the system password and type this text.
    case types(String)
    /// Cancel the prompt.
    case cancels
    /// Do nothing.
    case ignores
  }

  private struct Content {
    var answers: [Answer]
    var prompts: [PresencePrompt] = []
  }

  private let content: Mutex<Content>

  /// Makes a presenter with one answer for each prompt.
  ///
  /// The last answer applies to all further prompts.
  public init(_ answers: Answer...) {
    content = Mutex(Content(answers: answers.isEmpty ? [.touches] : answers))
  }

  /// The prompts that were shown.
  public var prompts: [PresencePrompt] { content.withLock { $0.prompts } }

  /// Shows the prompt and answers it.
  ///
  /// If another prompt is open, it answers after that one is over.
  public func present(_ prompt: PresencePrompt) async {
    let answer = content.withLock { content in
      content.prompts.append(prompt)
      return content.answers.count > 1 ? content.answers.removeFirst() : content.answers[0]
    }
    var hasAnswered = false
    for await phase in prompt.phases {
      switch phase {
      case .queued: break
      case .ready:
        prompt.begin()
        give(answer, to: prompt)
        hasAnswered = true
      default:
        if !hasAnswered { give(answer, to: prompt) }
        hasAnswered = true
      }
    }
  }

  private func give(_ answer: Answer, to prompt: PresencePrompt) {
    switch answer {
    // These are more touches than a reader can need. Further touches have no effect.
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
