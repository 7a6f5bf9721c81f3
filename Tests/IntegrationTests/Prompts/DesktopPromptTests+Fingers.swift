import JSON
import System
import TestSupport
import Testing

// A changed set of enrolled fingers is noticed at the desk as at a terminal.
extension DesktopPromptTests {
  @Test(
    arguments: [
      ("DELETE FROM enrolled_sets", "nrolled fingers not confirmed yet: right-index"),
      (
        "UPDATE enrolled_sets SET fingers = fingers || char(10)",
        "he record of the confirmed fingers was altered; enrolled: right-index"
      ),
    ]
  )
  func fingersThatNoPasswordHasConfirmedLeadToThePassword(
    _ sql: String,
    _ reason: String
  ) throws {
    try person.changeStore(sql)
    let run = try token()
    let shown = try desk.notification("Type the system password to use account 'me'")
    let body = try shown.string("body")
    #expect(body.contains(reason), "\(body)")
    #expect(!person.readerIsOpen)
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    try ends(run, 0, "at_")
    #expect(try person.run("audit").succeeded().contains("fingers-changed"))
    // One password is enough.
    try person.expireTokens()
    let count = try desk.count()
    let next = try token()
    try desk.sees(Self.question, above: count)
    try person.touch()
    try ends(next, 0, "at_")
  }
}
