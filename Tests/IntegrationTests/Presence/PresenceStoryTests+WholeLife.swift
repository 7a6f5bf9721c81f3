import Glibc
import JSON
import System
import TestSupport
import Testing

/// The whole life of a protected account.
extension PresenceStoryTests {
  @Test
  func signedInProtectedRefusedOpenedUnprotectedSignedOut() throws {
    let person = try protected()
    let first = try person.run("token", "me").succeeded()
    try isRefusedWithoutATerminal(person, validToken: first)
    try opensWithAFinger(person, after: first)
    try opensWithThePassword(person)
    try opensAndClosesAWindow(person)
    try testsThePresenceCheck(person)
    try turnsProtectionOffAndSignsOut(person)
    try recordsEachStep(person)
  }

  /// A valid token needs no prompt.
  ///
  /// A request for an expired one is refused without a terminal, and nothing is sent.
  private func isRefusedWithoutATerminal(_ person: Person, validToken first: String) throws {
    #expect(try person.run("token", "me", "--no-input").succeeded() == first)
    try person.expireTokens()
    try person.backend.clear()
    // Such a refusal does not keep the person from the next prompt.
    for option in ["--json", "--no-input", "--no-input", "--no-input"] {
      let refused = try person.run("token", "me", option)
      #expect(refused.end == .exited(7))
      #expect(refused.text.contains("use account 'me'"))
    }
    #expect(try person.backend.requests() == [])
    #expect(eventually { presenceHelpers(of: person).isEmpty })
  }

  private func presenceHelpers(of person: Person) -> [Int32] {
    processes(in: person.programs, named: "thumblatch-presence")
  }

  /// The user touches the reader with a finger that is not enrolled, then with the right one.
  ///
  /// One process at a time serves the check: a retry is a new one.
  private func opensWithAFinger(_ person: Person, after first: String) throws {
    let touched = try person.terminal("token", "me")
    try touched.expect(Self.prompt)
    #expect(presenceHelpers(of: person).count == 1)
    try person.touch("stranger")
    try touched.expect("The finger did not match. Touch the reader again, or")
    #expect(eventually { presenceHelpers(of: person).count == 1 })
    try person.touchAgain()
    try touched.expect("at_")
    try touched.end()
    let second = try person.run("token", "me").succeeded()
    #expect(second != first && touched.screen.hasSuffix(second.dropLast() + "\r\n"))
  }

  /// Enter chooses the password.
  private func opensWithThePassword(_ person: Person) throws {
    let typed = try tokenIsDue(person)
    try typed.enter()
    try typed.expect(Self.question)
    try typed.enter(Person.systemPassword)
    try typed.expect("at_")
    #expect(try !typed.end().contains(Person.systemPassword))
  }

  /// In an open window there is no prompt.
  ///
  /// After the window is closed there is one.
  private func opensAndClosesAWindow(_ person: Person) throws {
    let unlock = try person.terminal("unlock", "--for", "15m")
    try unlock.expect("Touch the fingerprint reader to unlock the vault")
    try person.touch()
    #expect(try unlock.end().contains("unlocked all accounts until "))
    let third = try person.run("token", "me").succeeded()
    #expect(
      try person.run("token", "me", "--rejected", "--no-input", input: third).succeeded() != third
    )
    #expect(try person.run("lock").succeeded() == "locked\n")
    #expect(try person.run("lock").succeeded() == "already locked\n")
    let fourth = try person.run("token", "me").succeeded()
    #expect(try person.run("token", "me", "--rejected", input: fourth).end == .exited(7))
  }

  private func testsThePresenceCheck(_ person: Person) throws {
    let test = try person.terminal("presence", "test")
    try test.expect("Touch the fingerprint reader to test the presence check")
    try person.touch()
    #expect(try test.end().contains("the presence check passed, by fingerprint"))
  }

  private func turnsProtectionOffAndSignsOut(_ person: Person) throws {
    let disable = try person.terminal("presence", "disable", "me")
    try disable.expect("turn off presence protection for account 'me'")
    try person.touch()
    #expect(try disable.end().contains("presence protection is off for me"))
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    try isSignedIn(person)
    try person.run("logout", "me").succeeded()
    #expect(try person.backend.count("sessions") == 0)
  }

  /// The audit log has a record of each step.
  private func recordsEachStep(_ person: Person) throws {
    let audit = try person.run("audit", "--json").succeeded()
    guard case .object(let trail) = try JSONReader.read(Array(audit.utf8)) else {
      Issue.record("\(audit)")
      return
    }
    let events = try trail.array("records").map { record -> String in
      guard case .object(let object) = record else { return "" }
      return try object.string("event") + " " + object.string("outcome")
    }
    for event in [
      "registration done", "presence-check done", "presence-check failed", "enrollment done",
      "protection done", "refresh done", "unlock done", "lock done", "logout done",
    ] {
      #expect(events.contains(event), "\(events)")
    }
  }
}
