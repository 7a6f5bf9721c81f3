internal import Synchronization
internal import System
internal import Varlink

/// Decodes long messages beside the server's thread, one after the other on one thread of its own.
///
/// So they can use at most one CPU.
///
/// The CPU time of a message is charged to the party that sent it, and the party with the least
/// charge comes next. A party that sends one message waits for one message of each other party.
final class Decoder: Sendable {
  typealias Decoded = Result<ParsedCall, MessageError>

  private struct Job {
    let token: UInt64
    let message: ReceivedMessage
  }

  private struct State {
    var waiting: [Party: [Job]] = [:]
    /// Nanoseconds of CPU time, for the parties that wait or are being served.
    var charges: [Party: Int64] = [:]
    /// The charge of the party that was served last.
    ///
    /// A party that arrives begins with it.
    var floor: Int64 = 0
    var isRunning = false
  }

  private let state = Mutex(State())
  private let deliver: @Sendable (UInt64, Decoded) -> Void

  /// Makes a decoder that passes each result to `deliver` on its own thread.
  init(deliver: @escaping @Sendable (_ token: UInt64, _ result: Decoded) -> Void) {
    self.deliver = deliver
  }

  func add(_ message: ReceivedMessage, of token: UInt64, _ party: Party) {
    let isFirst = state.withLock { state in
      if state.waiting[party] == nil {
        // A party that was silent must not save up CPU time for later.
        state.charges[party] = max(state.charges[party] ?? 0, state.floor)
      }
      state.waiting[party, default: []].append(Job(token: token, message: message))
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    do throws(SystemError) {
      try startThread { self.run() }
    } catch {
      // No thread can be started, so use the caller's.
      run()
    }
  }

  /// Drops the message of a connection that has ended, because its result has no use.
  func drop(_ token: UInt64, of party: Party) {
    state.withLock { state in
      guard var jobs = state.waiting[party] else { return }
      jobs.removeAll { $0.token == token }
      state.waiting[party] = jobs.isEmpty ? nil : jobs
    }
  }

  private func run() {
    while let (party, job) = next() {
      let begun = ThreadTime.used
      let result = Result { () throws(MessageError) in ParsedCall(try job.message.call()) }
      deliver(job.token, result)
      let used = ThreadTime.used - begun
      state.withLock { state in state.charges[party]? += used }
    }
  }

  private func next() -> (Party, Job)? {
    state.withLock { state in
      let least = state.waiting.keys.min { left, right in
        (state.charges[left] ?? 0) < (state.charges[right] ?? 0)
      }
      guard let party = least, var jobs = state.waiting.removeValue(forKey: party) else {
        state.isRunning = false
        state.charges = [:]
        state.floor = 0
        return nil
      }
      let job = jobs.removeFirst()
      if !jobs.isEmpty { state.waiting[party] = jobs }
      state.floor = max(state.floor, state.charges[party] ?? 0)
      return (party, job)
    }
  }
}
