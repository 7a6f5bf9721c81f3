import JSON
import System
import TestSupport
import Testing

/// Programs with a session and no terminal ask at the desktop.
@Suite(.serialized)
struct AppDesktopTests {
  private let person: Person
  private let desk: Desk

  init() throws {
    person = try Person()
    try person.enrollFinger()
    for name in ["AppAtTerminal", "example-cli"] {
      try shell("install -m 755 \(BuiltPrograms.path(name)) \(person.programs)/")
    }
    desk = try Desk(of: person)
  }

  /// Protects an account, and closes its window.
  private func protect(_ account: String) throws {
    try person.register(account)
    let enable = try person.terminal("presence", "enable", account)
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.run("lock").succeeded()
  }

  /// Starts a program without a terminal.
  private func start(_ arguments: String..., variables: [String] = []) throws -> Run {
    try Run(
      "/usr/bin/setsid",
      ["/usr/bin/setpriv"] + person.become + ["\(person.programs)/\(arguments[0])"]
        + arguments.dropFirst(),
      environment: person.environment + desk.variables + variables
    )
  }

  private func ends(_ run: Run, _ code: Int32, _ text: String) throws {
    try desk.expectEnd(of: run, code, text, hiding: Someone.systemPassword)
  }

  @Test
  func aFingerAnswersThePromptOfAnApp() throws {
    try protect("me")
    let run = try start("AppAtTerminal", "desktop", "to show your mail")
    try desk.sees("Touch the fingerprint reader to unlock me")
    try desk.sees(", to show your mail (requested by")
    try person.touch("a-stranger")
    try desk.sees("The finger did not match. Touch the reader again.")
    try person.touchAgain()
    try ends(run, 0, "unlocked")
  }

  @Test
  func thePasswordOfAnAppIsAskedInAWindowAfterAClick() throws {
    try protect("me")
    let run = try start("AppAtTerminal", "desktop", "to show your mail")
    try desk.sees("Touch the fingerprint reader")
    #expect(try desk.run("desk.has_window()") == .boolean(false))
    try desk.run("desk.click('Type password')")
    try desk.run("desk.type('wrong')")
    try desk.sees("Wrong password.")
    try desk.run("desk.type(\(desk.quoted(Someone.systemPassword)))")
    try ends(run, 0, "unlocked")
  }

  @Test(arguments: ["click('Deny')", "click_text()", "close_last()", "click('Type password')"])
  func denyingAndClosingCancelThePromptOfAnApp(_ act: String) throws {
    try protect("me")
    let run = try start("AppAtTerminal", "desktop", "to show your mail")
    try desk.sees("Touch the fingerprint reader")
    try desk.run("desk.\(act)")
    if act.contains("password") { try desk.run("desk.press('Escape')") }
    try ends(run, 0, "PresenceFailure.cancelled")
    #expect(eventually { !person.readerIsOpen })
  }

  /// The call ends with its prompt, and so must the thread of the dialogue.
  @Test
  func theEndOfTheServerEndsTheDialogueOfAnApp() throws {
    try protect("me")
    let run = try start("AppAtTerminal", "watch")
    try desk.sees("Touch the fingerprint reader")
    try desk.run("desk.kill_server()")
    let text = try run.text()
    #expect(try run.child.wait() == .exited(0), "\(text)")
    let end = "PresenceFailure.cancelled)\nthe dialogue has returned"
    #expect(text.contains(end), "\(text)")
    #expect(eventually { !person.readerIsOpen })
  }

  @Test
  func anAppIsNotAskedForFromAfarOrBeforeItIsShown() throws {
    try protect("me")
    let far = try start("AppAtTerminal", "desktop", "x", variables: ["SSH_CONNECTION=a 1 b 2"])
    try ends(far, 0, "PresenceFailure.cancelled")
    #expect(try desk.count() == 0)
    try desk.run("desk.replace_server(0)")
    try ends(try start("AppAtTerminal", "desktop", "x"), 0, "PresenceFailure.cancelled")
    #expect(!person.readerIsOpen)
  }

  @Test
  func aHostileReasonIsShownAsText() throws {
    try protect("me")
    let reason = "<b>$(id)%0A&lt;</b>" + String(repeating: "long ", count: 2000)
    let run = try start("AppAtTerminal", "desktop", reason)
    try desk.sees("&lt;b&gt;$(id)%0A&amp;lt;&lt;/b&gt;long long")
    desk.keepPicture("reason")
    try desk.run("desk.click('Type password')")
    try desk.run("desk.await_window()")
    desk.keepPicture("reason-window")
    try desk.run("desk.press('Escape')")
    try ends(run, 0, "PresenceFailure.cancelled")
  }

  @Test
  func theExampleRunsWithoutATerminal() throws {
    try protect("example-cli")
    try person.expireTokens()
    let run = try start("example-cli", person.backend.url)
    try desk.sees("Touch the fingerprint reader to use account 'example-cli'")
    try person.touch()
    try desk.sees("Touch the fingerprint reader to sign")
    try person.touchAgain()
    try ends(run, 0, "signed in as")
  }
}
