/// A process and its ancestors, nearest first.
///
/// Each is read once, when it is first asked for: /proc/PID/stat costs the kernel more than most
/// files.
package struct Ancestry: Sendable {
  /// One process, with its facts from proc(5).
  package struct Entry: Sendable, Equatable {
    package let process: Int32
    package let facts: ProcessFacts
  }

  private var entries: [Entry] = []
  /// The process after the last entry.
  private var next: Int32
  private var isComplete = false

  /// Begins with this process, and reads nothing yet.
  package init(of process: Int32) { next = process }

  /// The process itself for 0, its parent for 1, and so on.
  ///
  /// - Returns: `nil` if that process does not exist, or is init or the kernel.
  package mutating func entry(_ step: Int) -> Entry? {
    while entries.count <= step, !isComplete {
      guard next > 1 || entries.isEmpty, let facts = ProcessFacts(process: next) else {
        isComplete = true
        break
      }
      entries.append(Entry(process: next, facts: facts))
      next = facts.parent
    }
    return entries.indices.contains(step) ? entries[step] : nil
  }
}
