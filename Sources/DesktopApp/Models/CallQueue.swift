/// Calls that must not run at the same time: each waits until the earlier ones have ended.
@MainActor
final class CallQueue {
  private var isTaken = false
  /// The calls that wait, the oldest first.
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Makes a call after the earlier ones; `nil` if the vault was locked before its turn.
  @discardableResult
  func run<Value>(
    at vault: VaultModel,
    _ body: @MainActor () async -> Value?
  ) async -> Value? {
    let locks = vault.locks
    return await run {
      // The person has left, and no longer sees what they have pressed.
      guard vault.locks == locks else { return nil }
      return await body()
    }
  }

  /// Makes a call after the earlier ones.
  func run<Value>(_ body: @MainActor () async -> Value) async -> Value {
    await takeTurn()
    defer { passTurn() }
    return await body()
  }

  private func takeTurn() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func passTurn() {
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    // The turn is taken on: a call that comes now waits behind.
    waiting.removeFirst().resume()
  }
}
