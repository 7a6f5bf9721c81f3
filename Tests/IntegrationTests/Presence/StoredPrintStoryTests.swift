import TestSupport
import Testing

/// A reader that stores prints itself, with the built programs.
///
/// It is a virtual one, which loses its prints when its process ends.
struct StoredPrintStoryTests {
  /// Deletes the enrolled finger, and returns the output of the command.
  private func delete(_ finger: String, of someone: Someone) throws -> String {
    let terminal = try someone.terminal("fingers", "delete", finger, columns: 240)
    try terminal.expect("System password for")
    try terminal.enter(someone.systemPassword)
    return try terminal.end()
  }

  @Test
  func aDeletedFingerIsDeletedOnItsReader() throws {
    let someone = try Someone()
    try someone.plugInStoringReader()
    try someone.enrollFinger()
    #expect(try someone.readerEvents() == [])
    let shown = try delete("right-index", of: someone)
    #expect(shown.contains("right-index is deleted; none is left"))
    #expect(!shown.contains("may still store"), "\(shown)")
    #expect(try someone.readerEvents() == ["delete"])
  }

  @Test
  func aPrintThatItsReaderKeepsIsSaidAndDeletedWithTheNextEnrollment() throws {
    let someone = try Someone()
    // The first deletion fails.
    let log = someone.readerLog
    try someone.plugInStoringReader(atStart: "grep -q delete \(log) || export READER_KEEPS=1")
    try someone.enrollFinger()
    let shown = try delete("right-index", of: someone)
    #expect(shown.contains("right-index is deleted; none is left"))
    #expect(shown.contains("The reader may still store its print ("), "\(shown)")
    #expect(try someone.readerEvents() == ["delete"])

    try someone.enrollFinger("left-thumb")
    #expect(try someone.readerEvents() == ["delete", "delete"])
    // It is done once.
    try someone.enrollFinger("left-index")
    #expect(try someone.readerEvents() == ["delete", "delete"])
  }

  @Test
  func aReaderThatLostItsPrintsIsSaidAndIsNoMiss() throws {
    let someone = try Someone()
    try someone.plugInStoringReader()
    try someone.enrollFinger()
    let test = try someone.terminal("presence", "test", columns: 240)
    try test.expect("Touch the fingerprint reader")
    try someone.touchAgain()
    let told = try test.expect("System password for")
    #expect(told.contains("The reader no longer has your finger: enroll it again."), "\(told)")
    try test.enter(someone.systemPassword)
    #expect(try test.end().contains("the presence check passed, by system password"))
  }
}
