import Glibc
import JSON
import System
import TestSupport
import Testing

/// A private vault whose machine key a security key opens: the built programs and the real
/// libfido2.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct KeySlotStoryTests {
  static let touch = "Touch the security key."
  static let toOpen = "Touch the security key to open the vault."

  /// A person with an account, at whose machine this key is plugged in.
  func person(_ key: SoftwareKey) throws -> Person {
    let person = try Person()
    try person.plug(key)
    try person.register()
    return person
  }

  /// Adds the key at a terminal; returns the recovery code.
  @discardableResult
  func addKey(_ key: SoftwareKey, pin: String? = nil, _ person: Person) throws -> String {
    let terminal = try person.terminal("device-secret", "add", "fido2", columns: 200)
    if let pin {
      try terminal.expect("PIN of the security key (8 tries left): ")
      try terminal.enter(pin)
    }
    try terminal.expect("change the slots of the machine key (add fido2)")
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    try terminal.expect("shown only now:")
    let shown = try terminal.expect("Write it down")
    let code = shown.filter { !$0.isWhitespace }
    try terminal.expect("The recovery code again: ")
    try terminal.enter(code)
    for _ in 0..<2 {
      try terminal.expect(Self.touch)
      try key.say("touch")
    }
    let end = try terminal.end()
    #expect(!end.contains(Person.systemPassword))
    #expect(terminal.screen.contains("re-encrypted 1 vault"))
    return code
  }

  /// Makes a call that opens the vault by a touch.
  func open(_ key: SoftwareKey, _ person: Person, _ words: String..., says: String) throws {
    let terminal = try person.terminal(list: words)
    try terminal.expect(Self.toOpen)
    try key.say("touch")
    try terminal.expect(says)
    try terminal.end()
  }

  func tier(_ person: Someone) throws -> String? {
    let text = try person.run("device-secret", "status", "--json").succeeded()
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else { return nil }
    return try object.string("tier")
  }

  @Test
  func aTouchOrTheCodeOpensTheVaultAndNothingElseDoes() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key")
    let person = try person(key)
    #expect(try person.run("device-secret", "add", "fido2", "--no-input").end == .exited(7))
    #expect(try tier(person) == "file")
    let code = try addKey(key, person)
    #expect(try tier(person) == "security_key")
    let status = try person.run("device-secret", "status").succeeded()
    #expect(status.contains("only with a security key or the recovery code"))
    #expect(try person.run("status").succeeded().contains("security key (or the recovery code)"))
    #expect(try shell("grep -rlF -e \(code) \(person.state) || true") == "")

    // The next engine needs a touch, once.
    try person.endEngine()
    try person.expireTokens()
    for words in [["token", "me", "--no-input"], ["token", "me"], ["status"], ["whoami"]] {
      let outcome = try person.run(words)
      #expect(outcome.end == .exited(7), "\(words): \(outcome.text)")
      #expect(outcome.text.contains("needs a touch of its security key"))
      #expect(outcome.text.contains("thumblatch recover --code"))
    }
    let doctor = try person.run("doctor").text
    #expect(doctor.contains("needs a touch of its security key"))
    try open(key, person, "token", "me", says: "at_")
    #expect(try person.run("account", "list").succeeded().contains("me"))
    let found = try person.run("doctor").text
    #expect(found.contains("the vault needs a security key or the recovery code"), "\(found)")

    // The last slots stay.
    let slots = try person.run("device-secret", "status").succeeded().split(separator: "\n")
    let own = try #require(
      slots.first { $0.contains("security key") && $0.first?.isHexDigit == true }
    )
    let remove = try person.terminal("device-secret", "remove", String(own.prefix(16)))
    try remove.expect("System password for")
    try remove.enter(Person.systemPassword)
    try remove.expect("stays")
    _ = try remove.end(11)

    // Without the key there is the code.
    try person.endEngine()
    let opened = try person.run("recover", "--code-stdin", input: code + "\n").succeeded()
    #expect(opened.contains("the machine key is open"))
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(try person.run("audit", "verify").succeeded().contains("intact"))
  }

  @Test
  func theSamePINOpensItEachTime() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key", pin: "8261")
    let person = try person(key)
    try addKey(key, pin: "8261", person)
    try person.endEngine()
    try person.expireTokens()
    let terminal = try person.terminal("token", "me")
    try terminal.expect("PIN of the security key (8 tries left): ")
    try terminal.enter("0000")
    try terminal.expect("Wrong PIN. PIN of the security key (7 tries left): ")
    try terminal.enter("8261")
    try terminal.expect(Self.toOpen)
    try key.say("touch")
    try terminal.expect("at_")
    #expect(try !terminal.end().contains("8261"))
  }

  @Test
  func eachFaultOfTheKeyIsToldAndChangesNothing() throws {
    let directory = try makeTemporaryDirectory()
    defer { removeTemporaryDirectory(directory) }
    let key = try SoftwareKey(state: directory + "/key")
    let other = try SoftwareKey(state: directory + "/other")
    let person = try person(key)
    let code = try addKey(key, person)
    try person.endEngine()
    func fails(
      _ exit: Int32,
      _ text: String,
      _ during: (TerminalSession) throws -> Void = { _ in }
    ) throws {
      let terminal = try person.terminal("account", "list", columns: 240)
      try during(terminal)
      _ = try terminal.end(exit)
      #expect(terminal.screen.contains(text), "\(terminal.screen)")
    }
    // A forged answer, another key, and no touch.
    try key.say("forge")
    try fails(6, "gave another secret than that of its slot") { terminal in
      try terminal.expect(Self.toOpen)
      try key.say("touch")
    }
    try person.plug(other)
    try fails(6, "opens no slot: it is another one, or was reset")
    try person.plug(key)
    // Ctrl-C ends the light of the key, which has signed for its slot and with the forged answer.
    for _ in 0..<2 { try key.wait(for: "signed") }
    let terminal = try person.terminal("account", "list")
    try terminal.expect(Self.toOpen)
    try key.wait(for: "touch")
    try terminal.type("\u{3}")
    _ = try terminal.end(130)
    try key.wait(for: "cancelled")
    try open(key, person, "account", "list", says: "ready")
    // Pulled out during the touch, then not plugged in.
    try person.endEngine()
    try fails(5, "was unplugged, or does not answer") { terminal in
      try terminal.expect(Self.toOpen)
      try key.say("unplug")
    }
    try person.plugReader(beside: nil)
    try fails(5, "no security key is plugged in")
    // Its credentials are gone after a reset.
    let again = try SoftwareKey(state: directory + "/key")
    try person.plug(again)
    try open(again, person, "account", "list", says: "ready")
    try person.endEngine()
    try again.say("reset")
    try again.wait(for: "reset")
    try fails(6, "thumblatch recover --code")
    let opened = try person.run("recover", "--code-stdin", input: code + "\n").succeeded()
    #expect(opened.contains("add fido2"))
    #expect(try person.run("audit", "verify").succeeded().contains("intact"))
  }
}
