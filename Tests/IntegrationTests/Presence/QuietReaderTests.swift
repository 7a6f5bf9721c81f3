import System
import TestSupport
import Testing

/// A reader that libfprint claims and resets whenever it makes its list of readers.
struct QuietReaderTests {
  /// A claim or a reset would disturb the lock screen, which may be using the reader.
  @Test
  func whatShowsTheReaderNeitherClaimsNorResetsIt() throws {
    let someone = try Someone()
    try someone.plugInRecording("fpcmoc")

    let status = try someone.run("status").text
    #expect(status.contains("fpcmoc)"), "\(status)")
    #expect(try someone.run("fingers", "list").succeeded().contains("no finger is enrolled"))
    _ = try someone.run("doctor")
    #expect(try someone.run("fingers", "delete", "left-thumb").end == .exited(9))
    #expect(try someone.readerEvents() == [])

    // The same reader, once it is used.
    try someone.enrollRecordedFinger()
    let used = try someone.readerEvents()
    // Making the list is enough: this is the first event, before the reader is opened.
    #expect(used.first == "reset" && used.contains("claim"), "\(used)")
    #expect(!used.contains("delete"), "\(used)")

    #expect(try someone.run("fingers", "list").succeeded().contains("right-index"))
    _ = try someone.run("status").succeeded()
    _ = try someone.run("doctor")
    #expect(try someone.readerEvents() == used)
  }
}
