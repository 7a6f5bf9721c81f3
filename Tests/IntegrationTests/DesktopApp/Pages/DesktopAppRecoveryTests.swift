import JSON
import System
import TestSupport
import Testing

/// A vault whose TPM is gone, in the desktop app: the real engine, a software TPM.
@Suite(.serialized)
struct DesktopAppRecoveryTests {
  private static let begin = "Open with Recovery Code…"

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person()
    person.machine = try MachineWithTPM()
    try person.register("work")
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
    try plug(try SoftwareTPM())
  }

  private func plug(_ tpm: SoftwareTPM?) throws {
    try person.endEngine()
    try person.machine?.plug(tpm, for: person.user.user)
  }

  /// Adds the TPM at a terminal; returns the recovery code.
  private func addTPM() throws -> String {
    let terminal = try person.terminal("device-secret", "add", "tpm", columns: 200)
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    try terminal.expect("shown only now:")
    let code = try terminal.expect("Write it down").filter { !$0.isWhitespace }
    try terminal.expect("The recovery code again: ")
    try terminal.enter(code)
    try terminal.end()
    return code
  }

  /// Types a code into the field, where no other program can read it.
  private func open(by code: String) throws {
    // The field that appears gets the focus a moment later.
    try app.run("until(lambda: app.focused() == 'Recovery code', 'the field has no focus')")
    try app.run("type_secret('\(code)', 'Recovery code')")
    try app.misses(code)
    try app.run("key('Return')")
  }

  private func expectFit(_ name: String, hidesPage: Bool = false) throws {
    for width in [360, 1280, 800] {
      try app.run("resize(\(width), 860)")
      app.keepPicture("recovery-\(name)-\(width)")
      // The page beside the list keeps its place outside a narrow window.
      if hidesPage, width == 360 { continue }
      let cut = try app.run("overflowing()")
      #expect(cut == .array([]), "\(name) \(width)")
    }
    try app.expectNames()
  }

  @Test
  func aVaultWithoutItsTPMIsOpenedByTheRecoveryCode() throws {
    defer { bus.remove() }
    let code = try addTPM()
    try app.run("open()")
    try app.run("resize(800, 860)")
    try app.sees("work, Ready")
    try plug(nil)
    try app.sees("The Vault Is Not Usable")
    try app.sees(Self.begin, "push button")
    try expectFit("offered", hidesPage: true)
    // What the engine tells without the machine key.
    try app.run("click('Keys and Backup', 'list item')")
    try app.sees("The directory opens only with the TPM of this computer or the recovery code.")
    app.keepPicture("recovery-keys")

    // In a narrow window the button of a finding leads to the field.
    try app.run("resize(360, 860)")
    try app.press("Back")
    try app.run("click('Health', 'list item')")
    try app.sees("there is none (/dev/tpmrm0)")
    app.keepPicture("recovery-health-360")
    try app.press(Self.begin)
    try app.sees("Open the Vault", "push button")
    #expect(try app.run("focused()") == .string("Recovery code"))
    try open(by: String(code.dropLast()))
    try app.sees("A recovery code has 34 letters and digits, and this has 33.", "alert")
    try expectFit("mistyped")
    try app.run("resize(360, 860)")
    try app.press("Cancel")
    try app.press(Self.begin)
    try open(by: code)
    // Without a TPM the next start needs the code again.
    try app.sees(
      "Until the TPM or a security key opens the vault again, each start needs the recovery code.",
      "alert"
    )
    app.keepPicture("recovery-opened-360")
    try app.run("resize(800, 860)")
    try app.sees("work, Ready")
    #expect(try person.run("token", "work").succeeded().hasPrefix("at_"))
    // The doctor advises to add a TPM, which the page of the keys does.
    try app.run("click('Health', 'list item')")
    try app.sees("The recovery code opened the vault")
    try app.press("Open Keys and Backup")
    try app.sees("Slots of the Machine Key")
    try opensALockedApp(code)
  }

  /// The page of the lock has the same button.
  private func opensALockedApp(_ code: String) throws {
    try plug(try SoftwareTPM())
    try app.sees("this is not the TPM that it was sealed with")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.press(Self.begin)
    try expectFit("locked")
    try open(by: code)
    // The other TPM has got a slot.
    try app.run("until(lambda: not app.shown('push button', 'Open the Vault'), 'still closed')")
    try app.press("Unlock")
    try app.typePassword()
    try app.sees("work, Ready")
    try person.endEngine()
    try person.expireTokens()
    #expect(try person.run("token", "work").succeeded().hasPrefix("at_"))
  }
}
