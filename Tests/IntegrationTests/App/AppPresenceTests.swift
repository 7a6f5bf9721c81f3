import TestSupport
import Testing

/// Presence checks of an app over the real engine: libfprint on its virtual reader, and PAM.
@Suite(.serialized)
struct AppPresenceTests {
  private let person: Person
  private let app: AppProcess

  init() throws {
    person = try Person()
    try person.register()
    app = try AppProcess(person)
    try app.run("restore")
  }

  /// Makes the app begin a command, and waits for its prompt.
  private func prompt(_ command: String) throws -> String {
    try app.begin(command)
    return try app.hear("prompt")
  }

  private func fails(_ command: String, _ kind: String, _ recovery: String) throws {
    let failure = try app.run(command)
    #expect(failure.hasPrefix("failed \(kind), \(recovery): "), "\(command): \(failure)")
  }

  /// Expects that the answer is a window of `seconds` seconds, of which some have passed.
  private func opens(_ seconds: Int, _ answer: String) throws {
    let found = try #require(Int(answer), "\(answer)")
    #expect(found > seconds - 30 && found <= seconds)
  }

  @Test
  func whetherPresenceCanBeShownIsToldWithTheReason() throws {
    #expect(try app.run("capability") == #"passwordOnly(reason: "no finger is enrolled")"#)
    try person.enrollFinger()
    #expect(try app.run("capability") == #"fingerprint(fingers: ["right-index"])"#)
    try shell("rm \(person.programs)/virtual-reader.conf")
    let without = try app.run("capability")
    #expect(without.hasPrefix("passwordOnly(reason: "), "\(without)")
    #expect(without.contains("reader"))
    // None of these calls shows a prompt.
    #expect(!app.hasPrompted)
  }

  @Test
  func enrolledKeysAreToldWhereNoFingerCounts() throws {
    let key = try SoftwareKey(state: person.base + "/key")
    try person.plug(key)
    try person.enroll(key)
    #expect(try app.run("capability") == #"securityKey(names: ["blue"])"#)
    #expect(!app.hasPrompted)
  }

  @Test
  func aFingerAndNothingElse() throws {
    try app.run("open policy=fingerprint")
    try app.run("restore")
    // Without an enrolled finger there is no prompt.
    try fails(
      "protect",
      "presence(ThumblatchKit.AuthError.PresenceFailure.notEnrolled)",
      "offerPassword"
    )
    #expect(!app.hasPrompted)
    try person.enrollFinger()
    try app.run("person finger")
    #expect(
      try prompt("protect reason=to_protect_your_login")
        == "protect by=finger for=me reason=to protect your login"
    )
    try person.touch()
    #expect(try app.outcome() == "")
    try app.run("lock")
    // The person prefers to type. The app decides, and asks for the password.
    try app.run("person chooses")
    try fails(
      "unlock",
      "presence(ThumblatchKit.AuthError.PresenceFailure.passwordChosen)",
      "usePassword"
    )
    #expect(try app.run("state").hasPrefix("error "))
    try app.run("person password")
    try opens(600, try app.run("unlock policy=password"))
    #expect(try app.run("state") == "authenticated me@example.org")
  }

  @Test
  func aFingerIsNoPassword() throws {
    try person.enrollFinger()
    try app.run("person finger")
    #expect(
      try prompt("evaluate policy=password reason=to_pay")
        == "test the presence check by=password for= reason=to pay"
    )
    #expect(try app.hear("question").hasPrefix("System password for"))
    // No reader is armed for a password.
    #expect(!person.readerIsOpen)
  }

  @Test
  func whoGivesUpKeepsTheSession() throws {
    try app.run("protect")
    try app.run("lock")
    try person.expireTokens()
    try app.run("open")
    try app.run("restore")
    try app.run("person cancel")
    let cancelled = "presence(ThumblatchKit.AuthError.PresenceFailure.cancelled)"
    for command in ["token", "unlock", "me", "unprotect"] {
      try fails(command, cancelled, "keepSession")
      #expect(try app.run("state") == "locked", "\(command)")
    }
    #expect(try app.run("facts") == "true me@example.org false true")
    try app.run("open presenter=none")
    // No check is made for a request that would be refused after it.
    try fails("get https://example.org/", "hostNotAllowed", "showMessage")
    try fails(
      "token",
      "presence(ThumblatchKit.AuthError.PresenceFailure.cannotPrompt)",
      "showMessage"
    )
    #expect(try person.backend.requests().map(\.path) == ["/auth/register"])
  }

  @Test
  func aCallerWithoutAPromptLeavesThePromptsToOthers() throws {
    try app.run("protect")
    try app.run("lock")
    try person.expireTokens()
    try app.run("open presenter=none")
    for _ in 0..<5 {
      try fails(
        "token",
        "presence(ThumblatchKit.AuthError.PresenceFailure.cannotPrompt)",
        "showMessage"
      )
    }
    try app.run("open")
    try app.run("person password")
    #expect(try app.run("token").hasPrefix("at_"))
    #expect(app.prompts.count == 2)
  }

  @Test
  func aLockedOutReaderOffersThePassword() throws {
    try person.enrollFinger()
    try app.run("protect")
    try app.run("lock")
    try app.run("person finger")
    _ = try prompt("unlock policy=fingerprint")
    for touch in 1...5 {
      try touch == 1 ? person.touch("stranger") : person.touchAgain("stranger")
      if touch < 5 { try app.hear("failures \(touch):") }
    }
    let lockedOut = "presence(ThumblatchKit.AuthError.PresenceFailure.lockedOut)"
    let failure = try app.outcome()
    #expect(failure.hasPrefix("failed \(lockedOut), offerPassword: "), "\(failure)")
    let count = app.prompts.count
    try fails("unlock policy=fingerprint", lockedOut, "offerPassword")
    #expect(app.prompts.count == count)
    #expect(try app.run("capability") == #"passwordOnly(reason: "too many fingers failed")"#)
    #expect(try app.run("facts").hasSuffix("true"))
    // The password passes, and fingers count again.
    try app.run("person password")
    try opens(600, try app.run("unlock policy=fingerprintOrPassword"))
    #expect(app.prompts.last?.hasPrefix("unlock by=password ") == true)
    #expect(try app.run("capability") == #"fingerprint(fingers: ["right-index"])"#)
  }

  @Test
  func aReaderThatFailsLeadsToThePasswordAndNeverToNoProtection() throws {
    try person.enrollFinger()
    try app.run("person either")
    _ = try prompt("protect")
    try person.touch()
    #expect(try app.outcome() == "")
    try app.run("lock")
    for command in ["UNPLUG", "ERROR 0"] {
      #expect(try prompt("unlock for=60").hasPrefix("unlock by=finger,password "))
      try person.reader(command)
      try app.hear("question")
      try opens(60, try app.outcome())
      #expect(try app.run("lock") == "")
    }
    // If only a finger counts, the app gets the failure and offers the password.
    _ = try prompt("unlock policy=fingerprint")
    try person.reader("UNPLUG")
    let failure = try app.outcome()
    let kind = "presence(ThumblatchKit.AuthError.PresenceFailure.notAvailable)"
    #expect(failure.hasPrefix("failed \(kind), offerPassword: "), "\(failure)")
    #expect(try app.run("facts").hasSuffix("true"))
    try shell("rm \(person.programs)/virtual-reader.conf")
    _ = try prompt("unlock")
    try app.hear("question")
    #expect(try app.outcome() == "")
    #expect(try person.run("account", "list").succeeded().contains("  on  "))
  }

  @Test
  func tooManyFailuresSignOutWhereTheAppChoseSo() throws {
    try app.run("protect")
    try app.run("lock")
    try app.run("open failures=2")
    try app.run("restore")
    try app.run("person wrong")
    _ = try app.run("unlock")
    #expect(try app.run("facts").hasPrefix("true"))
    // A successful check resets the count of failures.
    try app.run("person password")
    try opens(60, try app.run("unlock for=60"))
    try app.run("person wrong")
    _ = try app.run("unlock")
    #expect(try app.run("facts").hasPrefix("true"))
    #expect(try person.backend.count("sessions") == 1)
    _ = try app.run("unlock")
    #expect(try app.run("state") == "unauthenticated")
    #expect(try person.backend.count("sessions") == 0)
  }

  @Test
  func aLockedSessionRefusesWhereTheAppChoseSo() throws {
    try app.run("protect")
    try app.run("lock")
    try app.run("open refuses=yes")
    #expect(try app.run("restore") == "locked")
    let count = app.prompts.count
    try fails("token", "locked", "unlock")
    try fails("get \(person.backend.url)/auth/me", "locked", "unlock")
    #expect(app.prompts.count == count)
    try app.run("unlock")
    #expect(try app.run("token").hasPrefix("at_"))
    #expect(try app.run("lock") == "")
    #expect(try app.run("cached") == "none")
    try fails("token", "locked", "unlock")
  }
}
