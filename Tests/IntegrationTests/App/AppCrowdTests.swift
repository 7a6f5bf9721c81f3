import TestSupport
import Testing

/// Many tasks of one app over the real engine, with an account whose token has expired.
@Suite(.serialized)
struct AppCrowdTests {
  private let person: Person
  private let app: AppProcess

  init() throws {
    person = try Person()
    try person.register()
    try person.enrollFinger()
    app = try AppProcess(person)
    #expect(try app.run("restore") == "authenticated me@example.org")
    #expect(try app.run("protect") == "")
    #expect(try app.run("lock") == "")
    #expect(try app.run("person finger") == "")
  }

  /// Starts a thousand tasks that wait for one prompt.
  private func gather() throws {
    try person.expireTokens()
    #expect(try app.run("open") == "")
    #expect(try app.run("restore") == "locked")
    try person.backend.clear()
    app.forget()
    #expect(try app.run("crowd 1000") == "")
    #expect(try app.hear("prompt").hasPrefix("refresh by=finger,password for=me"))
    try app.state("prompt")
  }

  private func refreshes() throws -> Int {
    #expect(try person.backend.requests().allSatisfy { $0.path == "/auth/refresh" })
    return try person.backend.requests().count
  }

  /// Expects that `count` tasks got a token, and all of them the same token.
  private func got(_ count: Int, _ summary: String) throws {
    let parts = summary.split(separator: " ")
    #expect(parts.count == 1 && summary.hasPrefix("\(count)xat_"), "\(summary)")
  }

  @Test
  func aThousandTasksCauseOneRefreshAndOnePrompt() throws {
    try gather()
    try person.touch()
    try got(1000, try app.run("settle"))
    #expect(app.prompts.count == 1)
    #expect(try refreshes() == 1)
    // The token is in memory now, so later tasks get it at once.
    #expect(try app.run("crowd 1000") == "")
    try got(1000, try app.run("settle"))
    #expect(try refreshes() == 1)
  }

  @Test
  func aCallerThatLeavesTakesThePromptFromNoOther() throws {
    try gather()
    // The tasks that leave include the first one, for which the engine was called.
    #expect(try app.run("leave 600") == "600xcancelled")
    #expect(try app.run("state") == "prompt")
    try person.touch()
    try got(400, try app.run("settle"))
    #expect(app.prompts.count == 1)
    #expect(try refreshes() == 1)
  }

  @Test
  func whenAllHaveLeftThePromptGoesAndNothingIsRefreshed() throws {
    try gather()
    #expect(eventually { person.readerIsOpen })
    #expect(try app.run("leave 1000") == "1000xcancelled")
    try app.state("locked")
    #expect(eventually { !person.readerIsOpen })
    #expect(try refreshes() == 0)
    // No prompt is left over: the next task causes a new one.
    #expect(try app.run("crowd 1") == "")
    try app.hear("prompt")
    try person.touch()
    try got(1, try app.run("settle"))
    #expect(try refreshes() == 1)
  }
}
