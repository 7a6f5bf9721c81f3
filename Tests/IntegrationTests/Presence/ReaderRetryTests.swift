import TestSupport
import Testing

/// A reader that another program claims while libfprint makes its list of readers.
///
/// That process does not see it, so a retry needs another process.
struct ReaderRetryTests {
  /// A person with a recorded reader, which is in use until the first process has tried it.
  private func someone() throws -> Someone {
    let someone = try Someone()
    try someone.plugInRecording(
      "fpcmoc",
      atStart: """
        grep -q busy \(someone.readerLog) || export READER_BUSY=1000
        echo start >>\(someone.readerLog)
        """
    )
    return someone
  }

  /// Expects one process that found the reader in use, and then one more.
  private func expectTwoProcesses(_ someone: Someone) throws {
    let events = try someone.readerEvents()
    // The processes that touched the reader.
    let processes = events.split(separator: "start")
    try #require(processes.count == 2, "\(events)")
    #expect(processes[0].last == "busy", "\(events)")
    #expect(processes[1].contains("claim") && !processes[1].contains("busy"), "\(events)")
  }

  @Test
  func anEnrollmentIsTriedAgainByAnotherProcess() throws {
    let someone = try someone()
    try someone.enrollRecordedFinger()
    try expectTwoProcesses(someone)
  }

  @Test
  func aCheckIsTriedAgainByAnotherProcess() throws {
    let someone = try someone()
    try someone.enrollRecordedFinger()
    try shell(": >\(someone.readerLog)")
    let test = try someone.terminal("presence", "test", columns: 200)
    #expect(try test.end().contains("the presence check passed, by fingerprint"))
    try expectTwoProcesses(someone)
  }
}
