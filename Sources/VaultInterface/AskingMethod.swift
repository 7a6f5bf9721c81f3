internal import JSON
package import Varlink

/// The parameters of a call that may need a presence check.
package protocol AskingMethod: VarlinkMethod {
  /// Whether the client can ask a person: `true` at once, `false` not at all, `nil` if it does not
  /// say.
  var ask: Bool? { get set }
}

extension VarlinkCall {
  /// Whether the client says that it can ask a person; `nil` if it does not say.
  package var ask: Bool? {
    guard case .boolean(let answer)? = parameters["ask"] else { return nil }
    return answer
  }
}

extension AskingMethod {
  /// Tells the engine whether the client can ask a person.
  public mutating func tell(canAsk: () -> Bool?) { ask = canAsk() }
}
