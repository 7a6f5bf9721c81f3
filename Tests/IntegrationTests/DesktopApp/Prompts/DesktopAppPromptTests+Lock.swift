import System
import TestSupport
import Testing

// The screen is locked while a prompt is open.
extension DesktopAppPromptTests {
  @Test
  func aLockedScreenEndsThePromptOfAnotherProgram() throws {
    defer { bus.remove() }
    try openProtected()
    let run = try person.start(["token", "me"])
    try app.sees(Self.touch)
    #expect(eventually { person.readerIsOpen })
    try bus.act("set_session('c1', LockedHint=True)")
    // A touch from now on answers nothing.
    #expect(eventually { !person.readerIsOpen })
    let text = try run.text()
    #expect(text.contains("the presence check was cancelled"), "\(text)")
    #expect(try run.child.wait() == .exited(3), "\(text)")
    try app.sees("The Vault Is Locked")
    try app.misses("account 'me'")
    // A prompt that the person had denied would begin a pause.
    try bus.act("set_session('c1', LockedHint=False)")
    let next = try person.start(["token", "me"])
    try app.sees(Self.touch)
    try person.touchAgain()
    let token = try next.text()
    #expect(token.hasPrefix("at_"), "\(token)")
  }

  @Test
  func aLockedScreenEndsAnOpenQuestion() throws {
    defer { bus.remove() }
    try person.startEngine(asking: bus)
    try app.run("open()")
    try app.run("click('Fingers', 'list item')")
    try app.press("Enroll Finger")
    try app.sees("System password", "text")
    #expect(!processes(in: person.programs, named: "thumblatch-presence").isEmpty)
    let end = BootInstant.now.advanced(bySeconds: 20)
    try bus.act("set_session('c1', LockedHint=True)")
    #expect(eventually { processes(in: person.programs, named: "thumblatch-presence").isEmpty })
    // By itself the question ends after 30 seconds.
    #expect(BootInstant.now < end)
    try app.sees("The Vault Is Locked")
    try app.misses("System password")
    #expect(try person.run("fingers", "list").succeeded().contains("no finger is enrolled"))
  }
}
