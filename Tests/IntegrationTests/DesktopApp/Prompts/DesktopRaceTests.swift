import TestSupport
import Testing

/// A reader and a security key, armed by one prompt of a program without a terminal.
@Suite(.serialized)
struct DesktopRaceTests {
  private static let both = "Touch the fingerprint reader or the security key to"

  private let person: Person
  private let key: SoftwareKey
  private let desk: Desk

  /// A person at a desktop, with a key, a finger and the protected account `me`.
  init() throws {
    person = try Person()
    try shell("install -m 755 \(BuiltPrograms.path("AppAtTerminal")) \(person.programs)/")
    key = try SoftwareKey(state: person.base + "/key")
    try person.plug(key)
    try person.plugReader(beside: key)
    try person.register()
    try person.enroll(key)
    try key.wait(for: "made")
    try person.enroll()
    let enable = try person.terminal("presence", "enable", "me", columns: 200)
    try enable.expect(Self.both + " turn on presence protection")
    try key.wait(for: "touch")
    try key.say("touch")
    try enable.end()
    try key.wait(for: "signed")
    desk = try Desk(of: person)
  }

  /// Starts a program that unlocks the account, and waits until both devices are armed.
  private func start(_ command: [String]) throws -> Run {
    try person.run("lock").succeeded()
    #expect(eventually { !person.readerIsOpen })
    let count = try desk.count()
    let run = try Run(
      "/usr/bin/setsid",
      ["/usr/bin/setpriv"] + person.become + [person.programs + "/" + command[0]]
        + command.dropFirst(),
      environment: person.environment + desk.variables
    )
    try desk.sees(Self.both + " unlock", above: count)
    try key.wait(for: "touch")
    return run
  }

  /// The library's own prompt, and the one of the command line.
  @Test(arguments: [
    ["AppAtTerminal", "desktop", "to show your mail"], ["thumblatch", "unlock", "me"],
  ])
  func aKeyOrAFingerAnswersOnePrompt(_ command: [String]) throws {
    let byKey = try start(command)
    try key.say("touch")
    try desk.expectEnd(of: byKey, 0, "unlocked", hiding: Someone.systemPassword)
    try key.wait(for: "signed")
    let byFinger = try start(command)
    try person.touch()
    try desk.expectEnd(of: byFinger, 0, "unlocked", hiding: Someone.systemPassword)
    // The light of the key ends with the prompt.
    try key.wait(for: "cancelled")
  }
}
