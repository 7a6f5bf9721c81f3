internal import Presence
internal import PresenceTerms

/// The values that a prompt was opened with, besides those in the prompt book.
struct PromptContext {
  /// The desktop's fingers that its check is made for.
  var look: DesktopLook
  /// The fingers as they were shown, if the password has to confirm them.
  var unconfirmed: EnrolledSet?
  /// Why a method does not count for it.
  var objections: [PresenceMethod: PresenceFailure]
}

/// The contexts of the open prompts.
struct PromptContexts {
  private var contexts: [String: PromptContext] = [:]

  func context(of prompt: String) -> PromptContext? { contexts[prompt] }

  /// Keeps the context of a prompt, and drops that of prompts that are gone.
  mutating func keep(_ context: PromptContext, of prompt: String, in book: PromptBook) {
    contexts = contexts.filter { book.contains($0.key) }
    contexts[prompt] = context
  }

  /// Keeps why a method does not count for a prompt.
  mutating func object(
    to method: PresenceMethod,
    of prompt: String,
    because failure: PresenceFailure
  ) {
    contexts[prompt]?.objections[method] = failure
  }
}

extension Vault {
  /// Remembers the values that a prompt is opened with, and drops those of prompts that are gone.
  func note(_ prompt: String, _ eligibility: FingerEligibility, at location: CallerLocation) {
    let context = PromptContext(
      look: eligibility.look,
      unconfirmed: eligibility.change != nil && eligibility.damage == nil ? eligibility.set : nil,
      objections: objections(eligibility, at: location)
    )
    prompting.contexts.keep(context, of: prompt, in: prompts)
  }

  /// Remembers other fingers than an open prompt was opened with, at a location where a finger
  /// counts.
  func noteAgain(_ prompt: String, _ eligibility: FingerEligibility) {
    guard prompting.contexts.context(of: prompt) != nil else { return }
    note(prompt, eligibility, at: .everywhere)
  }

  /// The set that was shown with a prompt; `nil` if another set is enrolled now.
  func unconfirmedSet(of prompt: String, for caller: Caller) async -> EnrolledSet? {
    guard let shown = prompting.contexts.context(of: prompt)?.unconfirmed,
      let now = try? await fingerEligibility(for: caller), now.damage == nil, now.set == shown
    else { return nil }
    return shown
  }

  /// Binds a prompt to a location, which decides whether a device counts.
  ///
  /// - Returns: the fingers that count; `nil` if the prompt is over.
  func bind(
    _ prompt: String,
    to location: CallerLocation
  ) throws(VaultFailure) -> FingerEligibility? {
    guard let look = prompting.contexts.context(of: prompt)?.look else { return nil }
    let eligibility = try fingerEligibility(look)
    let isMoved = prompting.move(
      prompt,
      to: location.name,
      impossible: Set(objections(eligibility, at: location).keys),
      at: clock.boot
    )
    guard isMoved else { return nil }
    note(prompt, eligibility, at: location)
    return eligibility
  }
}
