import Observation
import Synchronization
import ThumblatchKit

/// The person at the machine, who handles a prompt as the last input line says.
final class Person: PresencePresenter {
  /// The ways in which a person acts.
  enum Way: String {
    /// Chooses the system password, and types it.
    case password
    /// Types a wrong password, then cancels.
    case wrong
    /// Chooses the password, even if it is not a permitted method.
    case chooses
    /// Cancels the prompt.
    case cancel
    /// Does nothing at the prompt: a finger touches the reader, or none does.
    case finger
    /// The same, and types the system password when the prompt asks for it.
    case either
  }

  private let password: String
  private let way = Mutex(Way.password)

  init(password: String) {
    self.password = password
  }

  func does(_ way: Way) {
    self.way.withLock { $0 = way }
  }

  func present(_ prompt: PresencePrompt) async {
    let ways = [
      prompt.allowsFingerprint ? "finger" : nil, prompt.allowsPassword ? "password" : nil,
    ]
    say(
      "prompt \(prompt.purpose) by=\(ways.compactMap(\.self).joined(separator: ","))"
        + " for=\(prompt.account ?? "") reason=\(prompt.reason ?? "")"
    )
    switch way.withLock({ $0 }) {
    case .password: type(password, at: prompt)
    case .wrong:
      type("not the password", at: prompt)
      return await follow(prompt, givesUp: true)
    case .chooses: prompt.choosePassword()
    case .cancel: prompt.cancel()
    case .finger: break
    case .either: return await follow(prompt, answering: true)
    }
    await follow(prompt)
  }

  private func type(_ text: String, at prompt: PresencePrompt) {
    prompt.choosePassword()
    if let password = try? Password(text) { prompt.answer(password) }
  }

  /// Reports the texts that the person sees, until the prompt has ended.
  private func follow(
    _ prompt: PresencePrompt,
    answering: Bool = false,
    givesUp: Bool = false
  ) async {
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    change.yield()
    var told = 0
    for await _ in changes {
      let (phase, failures) = withObservationTracking {
        (prompt.phase, prompt.failures)
      } onChange: {
        change.yield()
      }
      if failures > told {
        say("failures \(failures): \(prompt.notice ?? "")")
        if givesUp { prompt.cancel() }
      }
      told = failures
      switch phase {
      case .question(let text, _):
        say("question \(text)")
        if answering, let password = try? Password(password) { prompt.answer(password) }
      case .ended: return
      default: break
      }
    }
  }
}
