import Glibc
import JSON
import System
import TestSupport
import Testing

/// The desktop app hides its contents: real engine, real PAM, and a stand-in for logind.
@Suite(.serialized)
struct DesktopAppPrivacyTests {
  private static let blur = "Blur this window while you work in another one"
  private static let hide = "Hide the accounts when the screen locks"
  private static let cover = "Blurred while you work in another window"

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows
  private var directory: String { person.base + "/screen/thumblatch" }
  private var file: String { directory + "/desktop.conf" }

  init() throws {
    person = try Person()
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
    try person.register("work")
  }

  private func write(_ text: String) throws {
    try shell(
      """
      install -d -m 700 -o \(person.user.name) \(directory)
      cat >\(directory)/new <<'X'
      \(text)
      X
      chown \(person.user.name) \(directory)/new; chmod 600 \(directory)/new
      mv \(directory)/new \(file)
      """
    )
  }

  private func openSettings() throws {
    try app.run("open()")
    try app.run("key('ctrl+comma')")
    try app.sees(Self.blur)
  }

  private func turn(_ title: String) throws {
    try app.run("press('\(title)', 'check box')")
  }

  private func isCovered(_ isCovered: Bool) throws {
    let wanted = isCovered ? "True" : "False"
    try app.run("until(lambda: bool(app.shown(None, '\(Self.cover)')) == \(wanted), 'not so')")
  }

  /// Whether the name of the account can be read on the screen.
  private func isReadable(_ isReadable: Bool) throws {
    try app.run("until(lambda: app.edges('work, Ready') \(isReadable ? "> 50" : "== 0"), 'not so')")
  }

  /// Waits for the content of the file: a switch shows the choice before the file is written.
  private func awaitSettings(_ text: String) throws {
    try #expect(eventually { try shell("cat \(file) 2>&1 || true") == text })
  }

  @Test
  func anInactiveWindowIsBlurredAndADialogIsOfTheApp() throws {
    defer { bus.remove() }
    try write("# mine\n[Later]\nx = y\n[Desktop]\ncolor = red\nhide-when-locked = no\n[Last]\nz")
    try openSettings()
    #expect(try app.run("is_on('\(Self.blur)')") == .boolean(false))
    #expect(try app.run("is_on('\(Self.hide)')") == .boolean(false))
    try app.run("leave()")
    try isReadable(true)
    try app.run("come_back()")
    try turn(Self.blur)
    try app.run("until(lambda: app.is_on('\(Self.blur)'), 'not on')")
    try awaitSettings(
      """
      # mine
      [Later]
      x = y
      [Desktop]
      color = red
      hide-when-locked = no
      hide-when-inactive = yes
      [Last]
      z

      """
    )
    app.keepPicture("privacy")
    try app.expectNames()
    #expect(
      try shell("stat -c '%a %U' \(file); ls -A \(directory)") == """
        600 \(person.user.name)
        desktop.conf

        """
    )
    try app.run("leave()")
    try isCovered(true)
    app.keepPicture("privacy-blurred")
    try isReadable(false)
    try app.run("come_back()")
    try isCovered(false)
    try isReadable(true)

    try app.run("click('work, Ready', 'list item')")
    try app.run("press('Remove…')")
    try app.run("until(lambda: app.focus()[0].startswith('Cancel'), 'no dialog')")
    try isCovered(false)
    try app.run("leave()")
    try isCovered(true)
    try isReadable(false)
  }

  @Test
  func aSettingIsKeptThoughTheAppQuitsAtOnce() throws {
    defer { bus.remove() }
    try openSettings()
    try app.run("tab_to('\(Self.blur)')")
    // Both keys wait for the app, so that it quits right after the switch.
    let process = try #require(processes(in: person.programs, named: "thumblatch-desktop").first)
    try #require(halt(process))
    defer { kill(process, SIGCONT) }
    try app.run("key('space', 'ctrl+q')")
    kill(process, SIGCONT)
    try app.run("app.wait(120)")
    #expect(try shell("cat \(file)") == "[Desktop]\nhide-when-inactive = yes\n")
  }

  @Test
  func aLockedScreenHidesTheAccountsIfThePersonWants() throws {
    defer { bus.remove() }
    try app.run("open()")
    try app.sees("work, Ready")
    try bus.act("set_session('c1', LockedHint=True)")
    try app.sees("The Vault Is Locked")
    try app.misses("work")
    try bus.act("set_session('c1', LockedHint=False)")
    try app.press("Unlock")
    try app.sees("System password")
    try app.run("type(\"\(Someone.systemPassword)\")")
    try app.press("Continue")
    try app.sees("work, Ready")
    try person.run("lock").succeeded()
    #expect(try app.run("quit()") == .integer(0))

    try openSettings()
    try turn(Self.hide)
    try app.run("until(lambda: not app.is_on('\(Self.hide)'), 'still on')")
    try awaitSettings("[Desktop]\nhide-when-locked = no\n")
    try bus.act("set_session('c1', LockedHint=True)")
    try person.register("later")
    try app.sees("later, Ready", "list item")
  }

  @Test
  func aBrokenFileIsNamedAndKept() throws {
    defer { bus.remove() }
    let text = "[Desktop]\nhide-when-inactive = perhaps\nhide-when-locked = no"
    try write(text)
    try openSettings()
    try app.sees("desktop.conf: line 2: hide-when-inactive must be yes or no.")
    // An unreadable value may have been the stricter one.
    #expect(try app.run("is_on('\(Self.hide)')") == .boolean(true))
    #expect(try app.run("is_on('\(Self.blur)')") == .boolean(true))
    app.keepPicture("privacy-broken")
    // The strictest settings blur no window in which the person works.
    try isReadable(true)
    try turn(Self.hide)
    try app.run("until(lambda: app.is_on('\(Self.hide)'), 'not on')")
    #expect(try shell("cat \(file)") == text + "\n")

    try write("[Desktop]\n# mended")
    try turn(Self.blur)
    try app.misses("must be yes or no")
    try awaitSettings("[Desktop]\nhide-when-inactive = no\n# mended\n")
  }

  @Test
  func aFileThatCannotBeReadOrWrittenIsToldAndNotReplaced() throws {
    defer { bus.remove() }
    try write("[Desktop]")
    try shell("rm \(file); install -d -o \(person.user.name) \(file)")
    try openSettings()
    try app.sees("desktop.conf: it is not a file.")
    try app.sees("The strictest settings hold until it is mended or removed")
    #expect(try app.run("is_on('\(Self.blur)')") == .boolean(true))
    try app.run("quit()")

    try shell("rmdir \(file)")
    try write("[Desktop]")
    try shell("chmod 666 \(file)")
    try openSettings()
    try app.sees("desktop.conf: other users can write to it.")
    try app.run("quit()")

    // The file is the person's, and its directory is not.
    try shell("chmod 600 \(file); chown root \(directory); chmod 755 \(directory)")
    try openSettings()
    try app.misses("desktop.conf: ")
    try turn(Self.blur)
    try app.sees("be written: ")
    try app.sees("The setting was not changed.")
    try app.run("until(lambda: not app.is_on('\(Self.blur)'), 'still on')")
    #expect(try shell("cat \(file)") == "[Desktop]\n")
  }
}
