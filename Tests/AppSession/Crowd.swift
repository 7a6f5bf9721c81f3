import ThumblatchKit

/// Many tasks of one app that want a token at the same time.
struct Crowd {
  private var tasks: [Task<String, Never>] = []

  /// Adds this many tasks.
  mutating func grow(_ count: Int, _ session: AuthSession) {
    tasks += (0..<count).map { _ in
      Task {
        do throws(AuthError) {
          return try await session.accessToken().value
        } catch {
          return "\(error.kind)"
        }
      }
    }
  }

  /// Removes and returns the first `count` tasks, or all if `count` is `nil`.
  mutating func take(_ count: Int? = nil) -> Crowd {
    var taken = Crowd()
    taken.tasks = Array(tasks.prefix(count ?? tasks.count))
    tasks.removeFirst(taken.tasks.count)
    return taken
  }

  /// Cancels the tasks, and waits for their end.
  func cancelled() async -> String {
    for task in tasks { task.cancel() }
    return await summary()
  }

  /// Waits for all tasks, and returns how many had each outcome.
  func summary() async -> String {
    var counts: [String: Int] = [:]
    for task in tasks { counts[await task.value, default: 0] += 1 }
    return counts.sorted { $0.key < $1.key }.map { "\($0.value)x\($0.key)" }
      .joined(separator: " ")
  }
}
