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

  /// A thousand tasks that wait for one prompt.
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

  /// So many got a token, all the same one.
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
    // It is in memory now, for whoever comes next.
    #expect(try app.run("crowd 1000") == "")
    try got(1000, try app.run("settle"))
    #expect(try refreshes() == 1)
  }

  @Test
  func whoLeavesTakesThePromptFromNobody() throws {
    try gather()
    // Also the one that asked first, for whom the engine was called.
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
    // Nothing is left of it: the next one is asked anew.
    #expect(try app.run("crowd 1") == "")
    try app.hear("prompt")
    try person.touch()
    try got(1, try app.run("settle"))
    #expect(try refreshes() == 1)
  }
}
