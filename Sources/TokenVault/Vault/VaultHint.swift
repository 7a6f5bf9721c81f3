package import Storage

/// What a person can do about a vault that cannot be used, and what the call has changed.
package struct VaultHint: Sendable, Equatable {
  /// What a call has changed before the failure.
  enum Effect {
    /// The remedy says it, or it is not known.
    case unsaid
    case none
    /// The provider has answered. The next holder of the answer slot stores the answer.
    case answerKept
  }

  private let remedy: String
  private(set) var effect = Effect.unsaid

  package init(_ remedy: String) { self.remedy = remedy }

  /// The remedy of a failure of the store; `nil` if nothing helps.
  package init?(_ error: StorageError) {
    guard let remedy = error.remedy else { return nil }
    self.init(remedy)
    if error.isLackOfRoom { effect = .none }
  }

  /// The hint as one line.
  package var text: String {
    switch effect {
    case .unsaid: remedy
    case .none: "\(remedy); nothing was changed"
    case .answerKept:
      "\(remedy); the provider has answered, and a call that finds room stores that answer"
    }
  }

  /// The same hint after a request that may have changed something at the provider.
  func after(_ effect: Effect) -> VaultHint {
    guard self.effect == .none else { return self }
    var hint = self
    hint.effect = effect
    return hint
  }
}

extension VaultHint: ExpressibleByStringInterpolation {
  package init(stringLiteral value: String) { self.init(value) }
}
