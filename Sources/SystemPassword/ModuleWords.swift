internal import Synchronization

/// What PAM's modules have said in one check, and what was not shown yet.
package final class ModuleWords: Sendable {
  /// The most texts that wait, and the most of one check: a module must not fill memory or screen.
  private static let mostWaiting = 8
  private static let most = 64

  private struct State {
    var waiting: [String] = []
    var count = 0
  }

  private let state = Mutex(State())
  private let whenSaid: @Sendable () -> Void

  /// Makes an empty list; `whenSaid` runs on PAM's thread for each text that is kept.
  package init(whenSaid: @escaping @Sendable () -> Void = {}) {
    self.whenSaid = whenSaid
  }

  /// Keeps a text, in one line; an empty one says nothing.
  func add(_ text: String) {
    let line = PasswordQuestion.line(text)
    guard !line.isEmpty else { return }
    let isKept = state.withLock { state in
      guard state.waiting.count < Self.mostWaiting, state.count < Self.most else { return false }
      state.waiting.append(line)
      state.count += 1
      return true
    }
    if isKept { whenSaid() }
  }

  /// Takes the texts that wait, oldest first.
  package func take() -> [String] {
    state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
  }
}
