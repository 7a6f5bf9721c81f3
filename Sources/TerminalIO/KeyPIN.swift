package import SecretMemory

/// The PIN of a security key for the calls of one operation; empty until the key asks for it.
package struct KeyPIN {
  private var pin: SharedSecret?

  package init() {}

  /// Makes a call.
  ///
  /// While the key asks for a PIN, asks the person, and repeats the call.
  ///
  /// - Parameters:
  ///   - call: gets the PIN that is known.
  ///   - wanted: what an error asks for (`SecurityKeyText.wanted`); `nil` ends the repetition.
  ///   - ask: gets that text, after "Wrong PIN." if the key refused the last one.
  /// - Returns: what the call returns.
  /// - Throws: the error of the call if it asks for no PIN, or that of `ask`.
  package mutating func repeating<Result, Failure>(
    _ call: (SharedSecret?) throws(Failure) -> Result,
    wanted: (Failure) -> String?,
    ask: (String) throws(Failure) -> SharedSecret
  ) throws(Failure) -> Result {
    while true {
      do throws(Failure) {
        return try call(pin)
      } catch {
        guard let wanted = wanted(error) else { throw error }
        pin = try ask((pin == nil ? "" : "Wrong PIN. ") + wanted)
      }
    }
  }
}
