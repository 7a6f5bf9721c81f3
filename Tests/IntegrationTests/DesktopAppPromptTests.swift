import Glibc
import JSON
import System
import TestSupport
import Testing

/// Prompts of the desktop app that something gets in the way of: real engine, virtual reader, real PAM.
@Suite(.serialized)
struct DesktopAppPromptTests {
  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
    try person.register()
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
  func aLockEndsAnOpenQuestion() throws {
    defer { bus.remove() }
    try person.startEngine(by: bus)
    try app.run("open()")
    // It opens the unlock window.
    try app.run("click('me', 'list item')")
    try app.run("press('Presence protection', 'check box')")
    try app.sees("System password")
    try typePassword()
    try app.press("Continue")
    try app.sees("me, Ready · protected · dev")
    try beginEnrollment()
    // By itself the question ends after 30 seconds.
    let end = BootInstant.now.advanced(bySeconds: 20)
    try person.run("lock").succeeded()
    try app.sees("The Vault Is Locked")
    try app.misses("System password")
    #expect(BootInstant.now < end)
    #expect(try person.run("fingers", "list").succeeded().contains("no finger is enrolled"))
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
    try person.startEngine(by: bus)
    try app.run("open()")
    try app.run("click('Fingers', 'list item')")
    try app.press("Enroll Finger")
    try app.sees("Code: ", "text")
    try app.run("types_visibly('Code: ')")
    try app.keepPicture("visible")
    try app.run("key('Return')")
    try app.sees("System password", "text")
    try typePassword()
    try app.run("key('Return')")
    try app.sees("Touch the reader several times")
  }
}

extension Someone {
  /// Starts an engine that asks the test's logind; a client starts one that asks the machine's.
  func startEngine(by bus: DesktopBus) throws {
    try endEngine()
    let start = try shell(
      """
      rm -f \(home)/report; mkfifo \(home)/report
      mkdir -p -m 700 \(state)
      DBUS_SYSTEM_BUS_ADDRESS=\(bus.address) setsid \(programs)/thumblatchd --private \
        </dev/null >/dev/null 2>&1 3<\(state) 4>\(home)/report &
      head -c 1 \(home)/report
      """
    )
    try #require(try start.succeeded() == "L")
  }
}
