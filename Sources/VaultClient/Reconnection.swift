internal import System

/// Whether a call is sent again whose engine left or was killed before it replied.
public enum Repetition: Sendable {
  /// Not at all: the engine may have done it, and once more would be too often.
  case never
  /// While no prompt was handed over: until then a protected account was not touched.
  case untilPrompted
  /// Always: a second call brings what the first one would have brought.
  case always
}

/// How often a call is sent again, and after which pauses.
///
/// The kernel closes the descriptors of a killed process one after the other. A client that connects
/// at once may reach the dying engine's listener and lose its connection again. The pauses add up to
/// 1.6 seconds, and then the call fails.
public struct Reconnection: Sendable {
  private static let pauses: [Int64] = [0, 50, 100, 200, 400, 800]
  private var tries = 0

  /// Nothing was sent again yet.
  public init() {}

  /// Waits before the next try; false if there is none.
  ///
  /// - Throws: `interrupted` once `interrupt` can be read.
  public mutating func waitForNextTry(interrupt: Int32?) throws(VaultClientError) -> Bool {
    guard tries < Self.pauses.count else { return false }
    let pause = Self.pauses[tries]
    tries += 1
    let end = BootInstant(nanoseconds: BootInstant.now.nanoseconds + pause * 1_000_000)
    guard try Readiness.wait(for: -1, interrupt: interrupt, deadline: end) != .interrupted else {
      throw .interrupted
    }
    return true
  }
}
