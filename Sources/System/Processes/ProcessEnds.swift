internal import Glibc

/// Waits for the first end among processes, together with other descriptors.
package final class ProcessEnds {
  private final class Held {
    let process: ProcessHandle

    init(_ note: ProcessNote) throws(SystemError) {
      process = try ProcessHandle(identifier: note.process)
    }
  }

  private let queue: ReadyQueue
  /// A descriptor that is closed leaves the queue (epoll(7)).
  private let processes: [Held]

  /// Watches processes, of which some may have ended.
  package init(of notes: [ProcessNote]) throws(SystemError) {
    queue = try ReadyQueue()
    var processes: [Held] = []
    for note in notes {
      let held: Held
      do throws(SystemError) { held = try Held(note) } catch {
        guard error.code == ESRCH else { throw error }
        queue.wakeUp()
        continue
      }
      try queue.add(held.process.descriptor, token: UInt64(processes.count))
      processes.append(held)
      // Before it was held, its number may have become another process's.
      let facts = ProcessFacts(process: note.process)
      if let facts, facts.started != note.started { queue.wakeUp() }
    }
    self.processes = processes
  }

  /// A descriptor that is readable as soon as one of the processes has ended.
  package var number: Int32 { queue.number }
}
