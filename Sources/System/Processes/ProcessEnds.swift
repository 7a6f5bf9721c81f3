internal import Glibc

/// A descriptor that is readable as soon as one of some processes has ended.
///
/// A caller can wait for it together with other descriptors.
package final class ProcessEnds {
  private final class Held {
    let process: ProcessHandle

    init(_ note: ProcessNote) throws(SystemError) {
      process = try ProcessHandle(identifier: note.process)
    }
  }

  private let queue: ReadyQueue
  /// They stay open, because a closed descriptor leaves the queue (epoll(7)).
  private let processes: [Held]

  /// Watches processes.
  ///
  /// A process that has already ended makes `number` readable at once.
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
      // The number of an ended process may have been given to another one.
      let facts = ProcessFacts(process: note.process)
      if let facts, facts.started != note.started { queue.wakeUp() }
    }
    self.processes = processes
  }

  /// The descriptor.
  package var number: Int32 { queue.number }
}
