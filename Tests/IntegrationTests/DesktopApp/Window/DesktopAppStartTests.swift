import Glibc
import JSON
import System
import TestSupport
import Testing

/// The ways in which the desktop app starts: by D-Bus, with the session, and a second time.
@Suite(.serialized)
struct DesktopAppStartTests {
  private static let start = "Start with the session"

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows
  private let program: String

  init() throws {
    person = try Person()
    program = person.programs + "/thumblatch-desktop"
    bus = try DesktopBus(logind: true)
    // The file of the package, for a private vault and the programs of the person.
    let name = "io.thumblatch.Desktop"
    let installed = "Sources/InstalledDesktop/usr/share/dbus-1/services/\(name).service"
    try shell(
      """
      umask 022
      for part in screen screen/dbus-1 screen/dbus-1/services; do
        install -d -m 700 -o \(person.user.name) \(person.base)/$part
      done
      sed 's,=\(name)$,&.Private,; s,/usr/bin/thumblatch-desktop,\(program) --private,' \
        \(BuiltPrograms.sourceDirectory)/\(installed) \
        >\(person.base)/screen/dbus-1/services/\(name).Private.service
      """
    )
    app = try AppWindows(seating: person, by: bus)
  }

  private func expectNoWindow() throws {
    #expect(try app.run("runs()") == .boolean(true))
    let windows = try app.run("windows()")
    #expect(windows == .array([]), "\(windows)")
  }

  private func expectEnd() throws {
    try app.run("ask('quit')")
    try app.run("until(lambda: not app.runs(), 'the app still runs')")
  }

  @Test
  func theBusStartsTheAppForItsWindowAndForItsActions() throws {
    defer { bus.remove() }
    try person.register("work")
    let unlock = try person.terminal("unlock")
    try unlock.expect("System password for")
    try unlock.enter(Someone.systemPassword)
    try unlock.end()
    let unlocked = "\"unlocked\":true"
    #expect(try person.run("status", "--json").succeeded().contains(unlocked))
    try app.run("ask('lock')")
    // It has no window, and ends by itself.
    try app.run("until(lambda: not app.runs(), 'the app still runs')")
    #expect(try !person.run("status", "--json").succeeded().contains(unlocked))

    try app.run("ask()")
    try app.sees("work, Ready")
    try app.run("ask('lock')")
    try app.sees("The Vault Is Locked")
    try expectEnd()

    try app.run("ask('sign-in')")
    try app.sees("Add a Provider")
    try expectEnd()
  }

  @Test
  func anotherStartAsksTheAppThatRuns() throws {
    defer { bus.remove() }
    try person.register("work")
    // Without a window, the exit code says that the vault is not locked.
    try shell("chmod 777 \(person.state)")
    #expect(try app.run("again('--lock')") == .integer(5))
    try app.run("open()")
    // A command is shown as it is typed.
    try app.sees("(mode 777). chmod 700 \(person.state)")
    try app.misses("\(person.state).")
    try shell("chmod 700 \(person.state)")
    try app.sees("work, Ready")
    #expect(try app.run("again('--background')") == .integer(0))
    #expect(try app.run("again()") == .integer(0))
    #expect(try app.run("again('--sign-in')") == .integer(0))
    try app.sees("Add a Provider")
    #expect(try app.run("again('--lock')") == .integer(0))
    try app.sees("The Vault Is Locked")
    #expect(try app.run("again('--lock', '--sign-in')") == .integer(2))
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func theAppStartsWithTheSessionIfThePersonWants() throws {
    defer { bus.remove() }
    let entry = "\(person.base)/screen/autostart/io.thumblatch.Desktop.Private.desktop"
    try app.run("open()")
    try app.run("key('ctrl+comma')")
    #expect(try app.run("is_on('\(Self.start)')") == .boolean(false))
    try app.run("press('\(Self.start)', 'check box')")
    try app.run("until(lambda: app.is_on('\(Self.start)'), 'not on')")
    app.keepPicture("autostart")
    try app.expectNames()
    // The switch shows what the person wants at once. The file comes from a thread.
    let isWritten = { unsafe access(entry, F_OK) == 0 }
    #expect(eventually { isWritten() })
    #expect(try app.run("quit()") == .integer(0))
    try shell("/usr/bin/desktop-file-validate \(entry)")
    let command = try shell("sed -n 's/^Exec=//p' \(entry)").split(separator: "\n")
    #expect(command == ["\"\(program)\" --private --background"])

    try person.register("work")
    try person.enrollFinger()
    let enable = try person.terminal("presence", "enable", "work")
    try enable.expect("Touch the fingerprint reader")
    try person.touch()
    try enable.end()
    try person.expireTokens()
    try person.startEngine(asking: bus)
    try app.run("hide('\(command[0])')")
    try awaitAgent()
    try expectNoWindow()
    try expectPrompt()

    // Its window is closed; it still shows prompts.
    try app.run("ask()")
    try app.sees("work, ")
    try app.run("key('alt+F4')")
    try app.run("until(lambda: not app.windows(), 'there is a window')")
    try expectPrompt()
    try app.run("ask('settings')")
    try app.run("press('\(Self.start)', 'check box')")
    try app.run("until(lambda: not app.is_on('\(Self.start)'), 'still on')")
    // The switch shows the choice before the file is gone.
    #expect(try eventually { try shell("ls -A \(person.base)/screen/autostart") == "" })
    try expectEnd()
  }

  /// Waits until the engine has noted the app as an agent.
  private func awaitAgent() throws {
    guard case .integer(let process) = try app.run("app.pid") else {
      throw SystemError("windows", code: EPROTO)
    }
    #expect(person.isNoted(process, in: person.state + "/agents"))
  }

  /// Expects that another program's check is shown, and denies it.
  private func expectPrompt() throws {
    let run = try person.start(["token", "work"])
    try app.sees("Touch the fingerprint reader to use account 'work'.")
    try app.press("Deny")
    #expect(try run.text().contains("cancelled"))
    try app.misses("Touch the")
  }

  @Test
  func anEntryThatCannotBeWrittenIsTold() throws {
    defer { bus.remove() }
    try shell("touch \(person.base)/screen/autostart")
    try app.run("open()")
    try app.run("key('ctrl+comma')")
    try app.run("press('\(Self.start)', 'check box')")
    try app.sees("The entry in \(person.base)/screen/autostart was not changed: ")
    try app.run("until(lambda: not app.is_on('\(Self.start)'), 'on')")
    #expect(try app.run("quit()") == .integer(0))
  }
}
