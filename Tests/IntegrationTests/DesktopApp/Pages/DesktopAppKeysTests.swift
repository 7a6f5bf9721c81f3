import JSON
import System
import TestSupport
import Testing

/// Security keys, recovery code and backups in the desktop app: the real engine, the real libfido2,
/// a software TPM.
@Suite(.serialized)
struct DesktopAppKeysTests {
  private static let pin = "8261"

  private let person: Person
  private let bus: DesktopBus
  private let app: AppWindows

  init() throws {
    person = try Person(["--no-rotation"])
    bus = try DesktopBus(logind: true)
    app = try AppWindows(seating: person, by: bus)
  }

  private func openPage(_ variables: String = "") throws {
    try app.run("open(\(variables))")
    try app.run("click('Keys and Backup', 'list item')")
    try app.sees("In a file. A copy of the vault", "label")
  }

  /// Looks at the page at the width of a telephone, and at the usual one again.
  private func expectFit(_ name: String) throws {
    app.keepPicture("keys-\(name)-800")
    try app.run("resize(360, 880)")
    app.keepPicture("keys-\(name)-360")
    #expect(try app.run("overflowing()") == .array([]))
    try app.run("resize(800, 880)")
    try app.expectNames()
  }

  /// Types a secret into the focused field, which no program on the accessibility bus may read.
  private func type(secret: String) throws {
    try app.run("type('\(secret)')")
    try app.misses(secret)
  }

  private func typePassword(_ purpose: String) throws {
    try app.sees("Type the system password to \(purpose)")
    try app.typePassword()
  }

  @Test
  func aSecurityKeyIsAddedAndRemoved() throws {
    defer { bus.remove() }
    let key = try SoftwareKey(state: person.base + "/key", pin: Self.pin, ["--always-verifies"])
    try person.plug(key)
    try openPage()
    try app.sees("No security key enrolled")
    try expectFit("none")
    try app.press("Enroll security key")
    try app.sees("Enroll a Security Key")
    try expectFit("form")
    try app.run("key('ctrl+a')")
    try app.run("type('<b>blue')")
    try app.run("key('Return')")
    try typePassword("enroll the security key")
    // The form is there again, with the name.
    try app.sees("its PIN", "alert")
    try app.run("tab_to('PIN of the key')")
    try type(secret: Self.pin)
    try app.run("key('Return')")
    try typePassword("enroll the security key '<b>blue'")
    try app.sees("Touch the security key.")
    try expectFit("touch")
    try key.say("touch")
    try app.sees("<b>blue", "list item")
    try expectFit("one")
    #expect(try person.run("keys", "list").succeeded() == "<b>blue\n")

    // A cancelled enrollment turns the key's light off.
    try app.press("Enroll security key")
    try app.run("tab_to('PIN of the key')")
    try type(secret: Self.pin)
    try app.press("Cancel")
    try app.sees("<b>blue", "list item")

    try app.press("Remove <b>blue")
    try app.sees("Remove “<b>blue”?")
    try app.run("press('Remove Remove')")
    try typePassword("delete the security key '<b>blue'")
    try app.sees("No security key enrolled")
    #expect(try person.run("keys", "list").succeeded().contains("no security key"))
  }

  @Test
  func aSecurityKeyOpensTheVaultAtEachStart() throws {
    defer { bus.remove() }
    let key = try SoftwareKey(state: person.base + "/key", pin: Self.pin)
    try person.plug(key)
    try person.register("work")
    try openPage()
    try app.sees("It is made when a security key is added")
    try app.press("Let a security key open the vault")
    try app.sees("Let a Security Key Open the Vault?")
    try app.run("press('Add Add')")
    try app.sees("PIN of the security key (8 tries left)")
    try expectFit("slot-pin")
    try app.run("tab_to('PIN of the security key')")
    try type(secret: "4711")
    try app.run("key('Return')")
    try typePassword("change the slots of the machine key (add fido2)")
    let code = try shownCode()
    try app.run("key('Return')")
    try app.sees("Type the Code Again")
    try type(secret: code)
    try app.run("key('Return')")
    // The key checks the PIN now, and a wrong one costs no second password.
    try app.sees("Wrong PIN. PIN of the security key (7 tries left)")
    #expect(try app.run("focused()") == .string("PIN of the security key"))
    try type(secret: Self.pin)
    try app.run("key('Return')")
    for touch in 0..<2 {
      try key.wait(for: "touch")
      try app.sees("Touch the security key.")
      if touch == 0 { try expectFit("slot-touch") }
      try key.say("touch")
    }
    try app.sees("The directory opens only with a security key or the recovery code.")
    try expectFit("slot-key")
    #expect(try opens(code))
    try opensAfterTheNextStart(key)
  }

  private func opensAfterTheNextStart(_ key: SoftwareKey) throws {
    try person.endEngine()
    try app.sees("The Vault Is Closed")
    try app.sees("The vault needs a touch of its security key. Open it with")
    app.keepPicture("keys-closed-800")
    try openByKey(key, seeing: "keys-opening")
    try app.misses("The Vault Is Closed")
    try app.sees("work, Ready")
    // The prompt has ended, so there is time to look at all windows.
    try app.misses(Self.pin)
    #expect(try person.run("token", "work").succeeded().hasPrefix("at_"))
    // Later changes are shown at once.
    try person.run("account", "rename", "work", "home").succeeded()
    try app.sees("home, Ready")
    try opensALockedApp(key)
  }

  /// Denies the touch once, and then types the PIN and touches the key.
  private func openByKey(_ key: SoftwareKey, seeing picture: String) throws {
    let button = "Open with Security Key"
    try app.press(button)
    try app.sees("PIN of the security key (8 tries left)")
    try app.press("Deny")
    try app.misses("PIN of the security key")
    try app.press(button)
    try touch(key, seeing: picture)
  }

  /// Types the PIN into the open prompt, and touches the key.
  private func touch(_ key: SoftwareKey, seeing picture: String) throws {
    try app.sees("Touch the security key to unlock the vault.")
    try app.run("prompt_takes_keys()")
    try app.run("type_secret('\(Self.pin)', 'PIN of the security key')")
    try app.hides(Self.pin)
    try app.press("Continue")
    try key.wait(for: "touch")
    app.keepPicture(picture)
    try key.say("touch")
  }

  /// The page of the lock has the same button.
  private func opensALockedApp(_ key: SoftwareKey) throws {
    try person.endEngine()
    try app.sees("The Vault Is Closed")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.sees("Open it with your security key. Then unlock it")
    app.keepPicture("keys-closed-locked")
    try openByKey(key, seeing: "keys-opening-locked")
    try typePassword("unlock the vault")
    try app.sees("home, Ready")
    // An unlock waits for an opening that runs.
    try person.endEngine()
    try app.press("Open with Security Key")
    try app.sees("Touch the security key to unlock the vault.")
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.press("Open with Security Key")
    try touch(key, seeing: "keys-opening-waiting")
    try typePassword("unlock the vault")
    try app.sees("home, Ready")
  }

  /// The recovery code on the screen.
  private func shownCode() throws -> String {
    try app.sees("Your Recovery Code")
    guard case .array(let texts) = try app.run("texts()") else { return "" }
    let words = texts.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return try #require(words.first { $0.split(separator: "-").count == 9 })
  }

  private func opens(_ code: String) throws -> Bool {
    try person.run("device-secret", "test", "--code-stdin", input: code + "\n").end == .exited(0)
  }

  @Test
  func aRecoveryCodeIsShownOnceTypedBackAndReplaced() throws {
    defer { bus.remove() }
    person.machine = try MachineWithTPM()
    try person.register()
    try person.endEngine()
    try person.machine?.plug(try SoftwareTPM(), for: person.user.user)
    try person.run("status").succeeded()
    try openPage("ADW_DEBUG_COLOR_SCHEME='prefer-dark', ADW_DEBUG_HIGH_CONTRAST='1'")
    try app.sees("It is made when the TPM or a security key is added")
    try expectFit("file-dark")
    try app.press("Add TPM")
    try app.run("press('Add Add')")
    try typePassword("change the slots of the machine key (add tpm)")
    let first = try shownCode()
    try expectFit("code-dark")
    #expect(try app.run("focused()") == .string("I Have Written It Down"))
    try app.run("key('Return')")
    // The code is no longer in the tree.
    try app.sees("Type the Code Again")
    try app.misses(first)
    try type(secret: first + "0")
    try app.run("key('Return')")
    try app.sees("This is not the code that was shown.", "alert")
    try expectFit("typing-dark")
    try app.press("Show the Code Again")
    #expect(try shownCode() == first)
    try app.run("key('Return')")
    try app.sees("Type the Code Again")
    try type(secret: first.lowercased().replacing("-", with: " "))
    try app.run("key('Return')")
    try app.sees("The directory opens only with the TPM of this computer or the recovery code.")
    try expectFit("tpm-dark")
    #expect(try opens(first))
    try replaceCode(first)
  }

  private func beginReplacement() throws -> String {
    try app.press("Replace recovery code")
    try app.run("press('Replace Replace')")
    try typePassword("change the slots of the machine key (add recovery)")
    return try shownCode()
  }

  private func replaceCode(_ first: String) throws {
    // A lock hides the code, and changes nothing.
    let lost = try beginReplacement()
    try app.run("key('ctrl+l')")
    try app.sees("The Vault Is Locked")
    try app.misses(lost)
    try app.press("Unlock")
    try typePassword("unlock the vault")
    try app.sees("There is one.")
    try app.misses(lost)
    #expect(try !opens(lost))

    let second = try beginReplacement()
    try app.run("key('Return')")
    try app.sees("Type the Code Again")
    try type(secret: second)
    try app.run("key('Return')")
    try app.run("point_at_toasts()")
    try typePassword("change the slots of the machine key (remove ")
    try app.sees("Slot removed")
    try app.sees("There is one.")
    #expect(try opens(second))
    #expect(try !opens(first))
    // The last code stays.
    try app.run("press('Remove slot')")
    try app.run("press('Remove Remove')")
    try typePassword("change the slots of the machine key (remove ")
    try app.sees("stays", "alert")
    try expectFit("replaced-dark")
  }
}
