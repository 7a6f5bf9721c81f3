package import Varlink

/// The parameters of a call that may need a presence check.
package protocol AskingMethod: VarlinkMethod {
  /// Whether the client can ask a person: `true` at once, `false` not at all, `nil` if it does not
  /// say.
  var ask: Bool? { get set }
  /// What the program needs the check for, as it says.
  var reason: String? { get set }
}

extension AskingMethod {
  /// Tells the engine whether the client can ask a person, and what the check is for.
  ///
  /// A call that has a reason keeps it.
  public mutating func tell(reason stated: String?, canAsk: () -> Bool?) {
    ask = canAsk()
    reason = reason ?? stated
  }
}
