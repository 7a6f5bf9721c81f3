import Glibc
import System
import TestSupport
import Testing

/// Processes that a directory notes by names of files.
struct ProcessNoteTests {
  private let scratch: ScratchDirectory
  private let directory: HeldDirectory

  /// Holds a directory for a structure that is copied.
  private final class HeldDirectory {
    let directory: Directory

    init(path: String) throws { directory = try Directory(path: path) }
  }

  init() throws {
    scratch = try ScratchDirectory()
    directory = try HeldDirectory(path: scratch.path)
  }

  private func sleeper() throws -> ChildProcess {
    try ChildProcess(path: "/bin/sleep", arguments: ["600"], environment: [], descriptors: [])
  }

  private func note(_ process: Int32, of user: UInt32 = 1000) throws -> ProcessNote {
    let facts = try #require(ProcessFacts(process: process))
    return ProcessNote(user: user, process: process, started: facts.started)
  }

  private func lives(_ user: UInt32 = 1000) throws -> Bool {
    try directory.directory.notesLivingProcess(of: user)
  }

  @Test
  func aNotedProcessLivesUntilItsEnd() throws {
    #expect(try !lives())
    let child = try sleeper()
    let noted = try note(child.identifier)
    try directory.directory.note(noted)
    try directory.directory.note(noted)
    #expect(try directory.directory.names().count == 1)
    #expect(try lives())
    #expect(try !lives(1001) && !lives(100))
    child.send(signal: SIGKILL)
    // Its parent has not taken its end yet.
    child.awaitEnd(withinMilliseconds: 60_000)
    #expect(try !lives())
    _ = try child.wait()
    #expect(try !lives())
    // The next one takes over its name.
    try directory.directory.note(try note(getpid()))
    #expect(try directory.directory.names().count == 1)
    #expect(try lives())
  }

  @Test
  func theEndOfAnyNotedProcessIsReported() throws {
    func hasEnded(_ ends: ProcessEnds, within seconds: Int64 = 0) throws -> Bool {
      let deadline = BootInstant.now.advanced(bySeconds: seconds)
      return try Readiness.wait(for: ends.number, interrupt: nil, deadline: deadline) == .ready
    }
    let children = try [sleeper(), sleeper()]
    let notes = try children.map { try note($0.identifier) }
    #expect(try !hasEnded(ProcessEnds(of: [])))
    let ends = try ProcessEnds(of: notes)
    #expect(try !hasEnded(ends))
    children[1].send(signal: SIGKILL)
    #expect(try hasEnded(ends, within: 60))
    // A process that had already ended, a living one, and one whose number another process has.
    #expect(try hasEnded(ProcessEnds(of: notes)))
    #expect(try !hasEnded(ProcessEnds(of: [notes[0]])))
    let other = ProcessNote(user: 1000, process: children[0].identifier, started: 1)
    #expect(try hasEnded(ProcessEnds(of: [other])))
    for child in children {
      child.send(signal: SIGKILL)
      _ = try child.wait()
    }
    #expect(try hasEnded(ProcessEnds(of: [notes[0]])))
  }

  @Test
  func aProcessOfTheSameNumberIsNotTakenForTheNotedOne() throws {
    let own = try note(getpid())
    try directory.directory.note(
      ProcessNote(user: 1000, process: own.process, started: own.started + 1)
    )
    #expect(try !lives())
  }

  @Test
  func aProcessOfAnyUserThatHasEndedIsForgotten() throws {
    let child = try sleeper()
    try directory.directory.note(try note(child.identifier, of: 1001))
    child.kill()
    _ = try child.wait()
    try directory.directory.note(try note(getpid()))
    #expect(try directory.directory.names().count == 1)
    #expect(try lives())
  }

  /// If /proc hides a process from the engine, the start is not a part of its note.
  @Test
  func aProcessFindsItsNoteAlsoWithoutItsStart() throws {
    let own = try note(getpid())
    #expect(try !directory.directory.holds(own))
    try directory.directory.touch("1000.\(own.process).0")
    #expect(try directory.directory.holds(own))
    #expect(try !directory.directory.holds(try note(getpid(), of: 1001)))
    // Here /proc shows that the process has a start.
    #expect(try !lives())
  }

  @Test(arguments: [
    "1000", "1000.", "1000.1", "1000.1.", "1000.1.x", "1000.+1.1", "1000.1.1.1", ".1.1", "",
    "1000.-1.1", "1000.99999999999.1",
  ])
  func anotherNameNotesNothing(_ name: String) throws {
    if !name.isEmpty { try directory.directory.touch(name) }
    #expect(try !lives())
  }

  @Test
  func fewProcessesOfAUserAreNoted() throws {
    let own = try note(getpid())
    let children = try (0..<17).map { _ in try sleeper() }
    defer {
      for child in children {
        child.kill()
        _ = try? child.wait()
      }
    }
    for child in children { try directory.directory.note(try note(child.identifier)) }
    #expect(try directory.directory.names().count == 16)
    // Those of other users do not count.
    try directory.directory.note(
      ProcessNote(user: 1001, process: own.process, started: own.started)
    )
    #expect(try lives(1001))
  }
}
