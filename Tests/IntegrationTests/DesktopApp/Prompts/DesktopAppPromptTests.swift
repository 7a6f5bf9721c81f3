import Glibc
import JSON
import System
import TestSupport
import Testing

/// Prompts of the desktop app that something gets in the way of: real engine, virtual reader, real
/// PAM.
@Suite(.serialized)
struct DesktopAppPromptTests {
  static let touch = "Touch the fingerprint reader to use account 'me'."
  private static let title = "Presence Check"

  let person: Person
  let bus: DesktopBus
  let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
    try person.register()
  }

  /// Protects the account by a finger, and opens the app.
  func openProtected(_ variables: String = "") throws {
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.expireTokens()
    try person.startEngine(asking: bus)
    try app.run("open(\(variables))")
    try app.sees("me, Needs a presence check")
  }

  private func beginEnrollment() throws {
    try app.run("click('Fingers', 'list item')")
    try app.press("Enroll Finger")
    try app.sees("System password")
  }

  private func typePassword() throws {
    try app.run("type_secret('\(Someone.systemPassword)', 'System password')")
  }

  @Test
  func twoPromptsAreAnsweredOneAfterTheOther() throws {
    defer { bus.remove() }
    try openProtected()
    try beginEnrollment()
    let run = try person.start(["token", "me"])
    try app.sees("Another prompt is open. This one waits for its end.")
    try app.hides("Type Password Instead")
    #expect(!person.readerIsOpen)
    app.keepPicture("two-prompts")
    // No click: the keyboard is where it was.
    try typePassword()
    try app.hides(Someone.systemPassword)
    try app.run("key('Return')")
    try app.sees("The other prompt is over.")
    // An enrollment that opens the reader only after its end would get the touch of the other
    // prompt.
    try app.sees("Touch the reader several times")
    try app.press("Cancel")
    try app.sees("Enroll Finger")
    #expect(eventually { !person.readerIsOpen })
    try app.press("Continue")
    try person.touchAgain()
    let text = try run.text()
    #expect(text.hasPrefix("at_"), "\(text)")
    try app.misses("Touch the")
  }

  @Test
  func aPromptIsSeenWhileTheMainWindowIsMinimized() throws {
    defer { bus.remove() }
    try openProtected()
    try app.run("minimize()")
    let run = try person.start(["token", "me"])
    #expect(eventually { person.readerIsOpen })
    #expect(try app.run("is_viewable('\(Self.title)')") == .boolean(true))
    app.keepPicture("minimized")
    try person.touch()
    let text = try run.text()
    #expect(text.hasPrefix("at_"), "\(text)")
  }

  @Test
  func aPromptThatIsNotOnTheScreenIsNotDenied() throws {
    defer { bus.remove() }
    try openProtected()
    try app.run("freeze(True)")
    let first = try person.start(["token", "me"])
    let text = try first.text()
    #expect(!text.contains("cancelled"), "\(text)")
    #expect(try first.child.wait() == .exited(7), "\(text)")
    #expect(!person.readerIsOpen)
    try app.run("freeze(False)")
    // A denial would have begun a pause.
    let second = try person.start(["token", "me"])
    try app.sees(Self.touch)
    try person.touch()
    let token = try second.text()
    #expect(token.hasPrefix("at_"), "\(token)")
  }

  @Test
  func keysThatAreTypedElsewhereDoNotDeny() throws {
    defer { bus.remove() }
    try openProtected()
    let run = try person.start(["token", "me"])
    #expect(try app.run("type_elsewhere(\"\(Self.touch)\")") == .boolean(true))
    // After a pause the keys count.
    let spoken = try app.run("awaits_focus('Deny')")
    guard case .string(let description) = spoken else { throw SystemError("focus", code: EPROTO) }
    #expect(description.contains("Requested by \"thumblatch-cli\""), "\(description)")
    #expect(description.contains("account 'me'"), "\(description)")
    try app.run("key('Return')")
    #expect(try run.text().contains("cancelled"))
    try app.misses(Self.touch)
  }

  @Test
  func aWrongPasswordIsTypedAgainWithoutAClick() throws {
    defer { bus.remove() }
    try person.startEngine(asking: bus)
    try app.run("open()")
    try app.sees("me, Ready")
    let run = try person.start(["unlock"])
    try app.sees("System password")
    try app.run("awaits_focus('Deny')")
    // Tab passes over the texts, in both directions.
    for (key, control) in [
      ("Tab", "Continue"), ("Tab", "System password"), ("shift+Tab", "Continue"),
      ("Tab", "System password"),
    ] {
      try app.run("key('\(key)')")
      try app.run("awaits_focus('\(control)')")
    }
    try app.run("type_secret('wrong', 'System password')")
    // The second Return comes while the field is hidden, and must not press Deny.
    try app.run("key('Return', 'Return')")
    try app.sees("Wrong password.")
    try app.run("awaits_focus('System password')")
    try typePassword()
    try app.run("key('Return')")
    let text = try run.text()
    #expect(try run.child.wait() == .exited(0), "\(text)")
    try app.misses("System password")
  }

  @Test
  func aSecondReturnOnAButtonThatGoesDoesNotDeny() throws {
    defer { bus.remove() }
    try openProtected()
    let run = try person.start(["token", "me"])
    try app.sees(Self.touch)
    try app.run("awaits_focus('Deny')")
    try app.run("key('Tab')")
    try app.run("awaits_focus('Type Password Instead')")
    try app.run("key('Return', 'Return')")
    try app.run("awaits_focus('System password')")
    try typePassword()
    try app.run("key('Return')")
    let text = try run.text()
    #expect(text.hasPrefix("at_"), "\(text)")
  }

  @Test
  func aLockEndsAnOpenQuestion() throws {
    defer { bus.remove() }
    try person.startEngine(asking: bus)
    try app.run("open()")
    // It opens the unlock window.
    try app.run("click('me', 'list item')")
    try app.run("press('Presence protection', 'check box')")
    try app.sees("System password")
    try typePassword()
    try app.press("Continue")
    try app.sees("me, Ready · protected · dev")
    try beginEnrollment()
    // By itself the question ends after 30 seconds. A look at the windows may take some of them,
    // and the program that checks the password ends with the question.
    let end = BootInstant.now.advanced(bySeconds: 20)
    try person.run("lock").succeeded()
    #expect(eventually { processes(in: person.programs, named: "thumblatch-presence").isEmpty })
    #expect(BootInstant.now < end)
    try app.sees("The Vault Is Locked")
    try app.misses("System password")
    #expect(try person.run("fingers", "list").succeeded().contains("no finger is enrolled"))
  }

  @Test
  func aLongQuestionLeavesTheProgramAndThePasswordOnTheScreen() throws {
    defer { bus.remove() }
    let names = (1...12).map { String(repeating: "long-", count: 12) + "\($0)" }
    for name in names { try person.register(name) }
    try person.startEngine(asking: bus)
    try app.run("open()")
    try app.sees(names[0])
    let run = try person.start(["unlock"] + names)
    try app.sees("System password")
    app.keepPicture("long-question")
    for text in ["Requested by", "System password"] {
      let isWhole = try app.run("lies_within('\(text)', '\(Self.title)')")
      #expect(isWhole == .boolean(true), "\(text)")
    }
    #expect(try app.run("place('\(Self.title)')[2] == 360") == .boolean(true))
    // The rest of the question is reached only with the keyboard.
    try app.run("awaits_focus('Deny')")
    try app.run("tab_to('System password')")
    try app.run("key('Escape')")
    #expect(try run.text().contains("cancelled"))
  }

  @Test
  func aQuestionThatIsNoSecretIsAnsweredVisibly() throws {
    defer { bus.remove() }
    _ = try ScratchModule.make(in: person.programs)
    try shell(
      """
      cd \(person.programs)
      { echo "auth required \(person.programs)/hostile.so visible"; cat pam.d/thumblatch; } >stack
      rm pam.d/thumblatch
      install -m 644 stack pam.d/thumblatch
      chmod 755 hostile.so
      """
    )
    try person.startEngine(asking: bus)
    try app.run("open()")
    try app.run("click('Fingers', 'list item')")
    try app.press("Enroll Finger")
    try app.sees("Code: ", "text")
    let isVisible = try app.run("types_visibly('Code: ')")
    #expect(isVisible == .boolean(true))
    app.keepPicture("visible")
    try app.run("key('Return')")
    try app.sees("System password", "text")
    try typePassword()
    try app.run("key('Return')")
    try app.sees("Touch the reader several times")
  }

  @Test
  func dialogsAndPromptsAreBlurredWithTheWindow() throws {
    defer { bus.remove() }
    try shell(
      """
      install -d -m 700 -o \(person.user.name) \(person.base)/screen/thumblatch
      printf '[Desktop]\\nhide-when-inactive = yes\\n' >\(person.base)/screen/thumblatch/desktop.conf
      chown \(person.user.name) \(person.base)/screen/thumblatch/desktop.conf
      chmod 600 \(person.base)/screen/thumblatch/desktop.conf
      """
    )
    try person.startEngine(asking: bus)
    try app.run("open()")
    try app.sees("me, Ready")
    // The prompt of the app.
    try beginEnrollment()
    try expectBlur("Type the system password")
    try typePassword()
    try app.run("key('Return')")
    try app.sees("Touch the reader several times")
    for touch in 1...5 {
      try person.touch()
      if touch < 5 { try app.sees("\(touch) of 5 touches") }
    }
    try app.sees("Right index finger", "list item")
    // A dialog.
    try app.press("Delete right index finger")
    try app.sees("Delete “Right index finger”?")
    try app.run("until(lambda: app.focus()[0].startswith('Cancel'), 'no dialog')")
    try expectBlur("It passes no presence check")
  }

  /// Expects that a text cannot be read while the person works elsewhere.
  private func expectBlur(_ text: String, _ role: String = "label") throws {
    let isBlurred = try app.run("is_blurred_elsewhere('\(text)', '\(role)')")
    #expect(isBlurred == .boolean(true))
    app.keepPicture("blurred-\(text.prefix(4))")
    try app.run("come_back()")
  }
}
