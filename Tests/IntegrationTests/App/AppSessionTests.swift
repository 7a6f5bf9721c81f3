import System
import TestSupport
import Testing

/// An app's session over the real engine, together with commands of the same person.
@Suite(.serialized)
struct AppSessionTests {
  @Test
  func theAppAndTheCommandsShareOneLoginAndHearOfEachOther() throws {
    let person = try Person()
    let app = try AppProcess(person)
    #expect(try app.run("restore") == "unauthenticated")
    #expect(try app.run("register me@example.org backend-password") == "me@example.org")
    try app.state("authenticated")

    // One account, one token.
    let token = try app.run("token")
    #expect(try person.run("token", "me").succeeded() == token + "\n")
    #expect(try person.backend.requests().map(\.path) == ["/auth/register"])

    // A lock by another program locks the app. A window that the other program opens unlocks the
    // app.
    #expect(try app.run("protect") == "")
    #expect(app.hasPrompted)
    try app.state("authenticated")
    try person.run("lock").succeeded()
    try app.state("locked")
    try unlock(person)
    try app.state("authenticated")

    // The command signs out, and signs in again.
    try person.run("logout", "me").succeeded()
    try app.state("unauthenticated")
    #expect(try app.run("token").hasPrefix("failed "))
    #expect(try app.run("login me@example.org backend-password") == "me@example.org")
    #expect(try app.run("token") != token)
    #expect(try app.run("logout") == "true")
    #expect(try person.backend.count("sessions") == 0)
  }

  @Test
  func appsThatStartAtTheSameMomentShareOneEngine() throws {
    let person = try Person()
    let apps = try (0..<12).map { _ in try AppProcess(person) }
    for app in apps { try app.begin("restore") }
    #expect(try apps.map { try $0.outcome() } == apps.map { _ in "unauthenticated" })
    // The engines that came second exit as soon as they have said so.
    #expect(eventually { processes(in: person.programs, named: "thumblatchd").count == 1 })
  }

  @Test
  func whatExpiresIsRefreshedOnceAndAnEngineThatLeftIsFollowedAgain() throws {
    let person = try Person()
    try person.register()
    let app = try AppProcess(person)
    #expect(try app.run("restore") == "authenticated me@example.org")
    #expect(try app.run("protect") == "")
    try unlock(person)
    try app.state("authenticated")
    try person.run("lock").succeeded()
    try app.state("locked")
    // The engine exits. In the meantime the token has expired.
    try person.expireTokens()
    let token = try app.run("token")
    #expect(try person.run("token", "me").succeeded() == token + "\n")
    let refreshed = ["/auth/register", "/auth/refresh"]
    #expect(try person.backend.requests().map(\.path) == refreshed)
    // A second app finds the account and the token, without a prompt and without the network.
    let second = try AppProcess(person)
    #expect(try second.run("restore") == "locked")
    #expect(try second.run("token") == token)
    #expect(!second.hasPrompted)
    #expect(try person.backend.requests().map(\.path) == refreshed)
    // Both apps hear of the sign-out. It is local, because ending the grant at the backend needs a
    // check.
    #expect(try person.run("logout", "me").end == .exited(7))
    try person.run("logout", "me", "--local").succeeded()
    try second.state("unauthenticated")
    try app.state("unauthenticated")
  }

  @Test
  func theEndOfTheWindowLocksTheApp() throws {
    let person = try Person()
    let app = try AppProcess(person)
    #expect(try app.run("register me@example.org backend-password") == "me@example.org")
    #expect(try app.run("protect") == "")
    #expect(try app.run("lock") == "")
    try app.state("locked")
    // The window may end before the command has ended. The app must have looked at it before that.
    try app.begin("await authenticated")
    try unlock(person, "--for", "15s")
    #expect(try app.outcome() == "")
    try app.state("locked")
  }

  /// Opens the unlock window by the command.
  private func unlock(_ person: Person, _ options: String...) throws {
    let terminal = try person.terminal(list: ["unlock"] + options)
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    try terminal.end()
  }
}
