/// A process that a directory notes by the name of a file.
///
/// A name is whole or not there, and a process of the same number that started later has another
/// one.
///
/// A note of a private vault outlasts a reboot. If another process then has its number and its
/// start, a caller waits for an agent that does not come.
package struct ProcessNote: Equatable, Sendable {
  /// The user for whom it is noted.
  package let user: UInt32
  package let process: Int32
  /// When it started, in ticks since the boot; 0 if proc(5) hides that (hidepid).
  package let started: UInt64

  package init(user: UInt32, process: Int32, started: UInt64) {
    self.user = user
    self.process = process
    self.started = started
  }

  /// Reads the name of a file; `nil` if it notes no process.
  package init?(name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let user = UInt32(parts[0]), let process = Int32(parts[1]),
      let started = UInt64(parts[2])
    else { return nil }
    self.init(user: user, process: process, started: started)
    guard self.name == name else { return nil }
  }

  /// The name of the file.
  package var name: String { "\(user).\(process).\(started)" }

  /// Whether the process has not ended.
  package var isAlive: Bool {
    // An ended process keeps its facts until its parent takes them.
    guard let held = try? ProcessHandle(identifier: process),
      (ProcessFacts(process: process)?.started ?? 0) == started
    else { return false }
    return held.isAlive
  }
}

extension Directory {
  /// The most processes of one user that are noted.
  private static let mostNotes = 16

  /// Whether a process that is noted for a user lives.
  package func notesLivingProcess(of user: UInt32) throws(SystemError) -> Bool {
    try names().contains { name in
      ProcessNote(name: name).map { $0.user == user && $0.isAlive } ?? false
    }
  }

  /// Whether a process is noted, with its start or as one whose start is hidden.
  package func holds(_ note: ProcessNote) throws(SystemError) -> Bool {
    let hidden = ProcessNote(user: note.user, process: note.process, started: 0)
    if try contains(note.name) { return true }
    return try contains(hidden.name)
  }

  /// Notes a process, and forgets those that have ended.
  ///
  /// It is not noted if too many of its user live.
  package func note(_ new: ProcessNote) throws(SystemError) {
    let others = try forgetEndedProcesses()
    guard !others.contains(new) else { return }
    if others.count(where: { $0.user == new.user }) < Self.mostNotes { try touch(new.name) }
  }

  /// Removes the notes of processes that have ended.
  ///
  /// - Returns: the notes that stay.
  @discardableResult
  package func forgetEndedProcesses() throws(SystemError) -> [ProcessNote] {
    var living: [ProcessNote] = []
    for name in try names() {
      guard let note = ProcessNote(name: name) else { continue }
      if note.isAlive { living.append(note) } else { try unlink(name) }
    }
    return living
  }
}
