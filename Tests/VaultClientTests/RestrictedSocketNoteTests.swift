import Glibc
import System
import TestSupport
import Testing
import VaultInterface

@testable import VaultClient

/// The notes by which agents tell of their restricted sockets.
struct RestrictedSocketNoteTests {
  private let scratch: ScratchDirectory
  private var notes: String { scratch.path + "/thumblatch-sockets" }

  init() throws { scratch = try ScratchDirectory() }

  private func environment(_ name: String) -> String? {
    ["XDG_RUNTIME_DIR": scratch.path, "HOME": scratch.path][name]
  }

  private func note(_ name: String = "build", rule: String? = nil) -> RestrictedSocketNote {
    RestrictedSocketNote(
      path: "/run/\(name)",
      restriction: RestrictCall(name: name, accounts: ["work", "home"], scope: "read", rule: rule)
    )
  }

  private func all(of vault: VaultLocation = .service) -> [RestrictedSocketNote] {
    RestrictedSocketNote.all(of: vault, environment: environment)
  }

  @Test(arguments: [.service, .privateVault, .socket(path: "/run/x")] as [VaultLocation])
  func aNoteIsReadUntilItIsRemoved(vault: VaultLocation) throws {
    #expect(all(of: vault) == [])
    try note().write(of: vault, environment: environment)
    #expect(all(of: vault) == [note()])
    #expect(try Directory(path: notes).descriptor.status().mode & 0o777 == 0o700)
    for other in [.service, .privateVault, .socket(path: "/run/y")] as [VaultLocation]
    where other != vault {
      #expect(all(of: other) == [])
    }
    // A process has one note.
    try note("ci", rule: "strict").write(of: vault, environment: environment)
    #expect(all(of: vault) == [note("ci", rule: "strict")])
    RestrictedSocketNote.remove(environment: environment)
    #expect(all(of: vault) == [])
    #expect(try Directory(path: notes).names() == [])
  }

  @Test
  func theNoteOfAProcessThatHasEndedIsNotReadAndThenRemoved() throws {
    try note().write(of: .service, environment: environment)
    let directory = try Directory(path: notes)
    let name = try #require(try directory.names().first)
    let child = try ChildProcess(
      path: "/bin/sleep",
      arguments: ["600"],
      environment: [],
      descriptors: []
    )
    let started = try #require(ProcessFacts(process: child.identifier)?.started)
    let process = child.identifier
    let other = ProcessNote(user: ThisProcess.user, process: process, started: started)
    try directory.rename(name, to: other.name)
    #expect(all().map(\.path) == [note().path])
    #expect(all().map(\.restriction) == [note().restriction])
    #expect(all().map(\.agent) == [other])
    child.send(signal: SIGKILL)
    _ = try child.wait()
    #expect(all() == [])
    try note("next").write(of: .service, environment: environment)
    #expect(try directory.names() == [name])
  }

  @Test(arguments: [
    "", "{}", "[]", "{\"vault\":\"/run/thumblatch\"}",
    "{\"vault\":\"/run/thumblatch\",\"path\":\"/x\",\"restriction\":{}}",
    "{\"vault\":\"/run/thumblatch\",\"path\":1,\"restriction\":{\"name\":\"a\",\"accounts\":[]}}",
    String(repeating: "[", count: 70_000),
  ])
  func whatIsNoNoteIsPassedOver(text: String) throws {
    try note().write(of: .service, environment: environment)
    let directory = try Directory(path: notes)
    let name = try #require(try directory.names().first)
    _ = try directory.unlink(name)
    try directory.create(name).write(text)
    #expect(all() == [])
    _ = try directory.unlink(name)
    // A pipe does not make the reader wait.
    #expect(unsafe mkfifo(notes + "/" + name, 0o600) == 0)
    #expect(all() == [])
  }

  @Test
  func withoutADirectoryOfTheSessionNothingIsNoted() throws {
    for value in [nil, "", "relative"] as [String?] {
      let environment: (String) -> String? = { name in
        name == "XDG_RUNTIME_DIR" ? value : self.environment(name)
      }
      try note().write(of: .service, environment: environment)
      RestrictedSocketNote.remove(environment: environment)
      #expect(RestrictedSocketNote.all(of: .service, environment: environment) == [])
    }
    #expect(try Directory(path: scratch.path).names() == [])
  }
}
