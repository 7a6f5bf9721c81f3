import JSON
import System
import TestSupport
import Testing

/// Programs with windows, and apps, on a machine whose administrator allows no private vaults.
@Suite(.serialized)
struct PrivateRuleStoryTests {
  private static let refusal =
    "private vaults are not allowed (private in /etc/thumblatch/thumblatch.conf:2)"

  private let person: Person

  init() throws {
    person = try Person()
    person.machine = try MachineWithTPM()
    try person.register()
    try person.endEngine()
    try forbidPrivateVaults()
  }

  /// Writes the rule into the `/etc` of the person's machine only.
  private func forbidPrivateVaults() throws {
    let files = person.base + "/etc"
    let entering = try #require(person.machine?.entering).joined(separator: " ")
    try shell(
      """
      umask 022; mkdir -p \(files)/thumblatch
      printf '[Policy]\\nprivate = never\\n' >\(files)/thumblatch/thumblatch.conf
      \(entering) mount -t overlay overlay -o lowerdir=\(files):/etc /etc
      """
    )
  }

  @Test
  func theDesktopAppUsesNoPrivateVault() throws {
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    let app = try AppWindows(seating: person, by: bus)
    try app.run("open()")
    try app.sees("The Vault Is Not Usable")
    try app.sees("Private vaults are not allowed")
    app.keepPicture("private-never")
    try app.misses("me, Ready")
    #expect(processes(in: person.programs, named: "thumblatchd").isEmpty)
    #expect(try app.run("quit()") == .integer(0))
  }

  @Test
  func anAppUsesNoPrivateVault() throws {
    let app = try AppProcess(person)
    #expect(try app.run("restore").contains(Self.refusal))
    #expect(try app.run("token").contains(Self.refusal))
    #expect(processes(in: person.programs, named: "thumblatchd").isEmpty)
  }
}
