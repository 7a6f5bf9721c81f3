internal import System

/// Whether a call is sent again if the engine left or was killed before it replied.
public enum Repetition: Sendable {
  /// It is not sent again, because the engine may have carried it out, and a second time would be
  /// wrong.
  case never
  /// It is sent again until a prompt was opened.
  ///
  /// Until then the engine did not touch a protected account.
  case untilPrompted
  /// It is always sent again, because a second call has the result that the first would have had.
  case always
}

/// How often a call is sent again, and after which pauses.
///
/// The kernel closes the descriptors of a killed process one after the other. A client that
/// connects at once may reach the dying engine's listener and lose its connection again. The pauses
/// add up to 1.6 seconds. Then the call fails.
public struct Reconnection: Sendable {
  private static let pauses: [Int64] = [0, 50, 100, 200, 400, 800]
  private var tries = 0

  /// Makes the state before the first repeat.
  public init() {}

  /// Waits before the next try.
  ///
  /// Returns false if no try is left.
  ///
  /// - Throws: `interrupted` when `interrupt` is readable.
  public mutating func waitForNextTry(interrupt: Int32?) throws(VaultClientError) -> Bool {
    guard tries < Self.pauses.count else { return false }
    let pause = Self.pauses[tries]
    tries += 1
    let end = BootInstant(nanoseconds: BootInstant.now.nanoseconds + pause * 1_000_000)
    _ = try Readiness.unlessInterrupted(interrupt: interrupt, deadline: end)
    return true
  }
}
