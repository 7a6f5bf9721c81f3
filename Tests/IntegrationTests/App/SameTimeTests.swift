import Glibc
import JSON
import System
import TestSupport
import Testing

/// Two hundred commands at a time against one vault, for a minute: every verb, with and without a
/// terminal, an enrolled finger, an unknown finger, the password, and cancelled prompts.
@Suite(.serialized)
struct SameTimeTests {
  private static let marker = "MARKER/with+signs-5f21c0a7/"
  private static let accounts = (0..<8).map { "a\($0)" }

  @Test
  func twoHundredCommandsAtATimeDoEachOtherNoHarm() throws {
    let person = try Person(["--access-lifetime", "15", "--marker", Self.marker])
    for account in Self.accounts { try person.register(account) }
    try enroll(person)
    for account in Self.accounts.prefix(4) {
      let terminal = try person.terminal("presence", "enable", account)
      try terminal.expect("Touch the fingerprint reader")
      try person.touch()
      try terminal.end()
    }
    try person.backend.clear()

    let report = try mix(person, processes: 200, seconds: 60)
    let wrong = try report.wrong
    #expect(wrong == [], "a status or a text that is not documented")
    #expect(try report.strings("never_tried") == [])
    #expect(
      try report.strings("not_mixed") == [],
      "a verb of the help that the driver does not know"
    )
    // How many more there are depends on the machine. A slow one gets more time for these.
    #expect(try report.object.integer("total") > 600)

    // Every refresh token was sent once: none was lost, and none was taken for a stolen one.
    let sent = try person.backend.requests().filter { $0.path == "/auth/refresh" }
      .compactMap(\.refreshToken)
    #expect(sent.count > 20)
    #expect(Set(sent).count == sent.count)
    try isWhole(person)
  }

  private func enroll(_ person: Person) throws {
    let terminal = try person.terminal("fingers", "enroll", "right-index")
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    try terminal.expect("with right-index")
    for touch in 1...5 {
      try person.touch()
      if touch < 5 { try terminal.expect("\(touch) of 5") }
    }
    try terminal.end()
  }

  private struct Report {
    let object: JSONObject

    var wrong: [String] {
      get throws {
        try object.array("wrong").map { value in
          guard case .object(let one) = value else { return "?" }
          let status = (try? one.integer("status")).map(String.init) ?? "killed"
          return "\(try one.string("verb")): \(status): \(try one.string("text"))"
        }
      }
    }

    func strings(_ name: String) throws -> [String] {
      try object.array(name).map { value in
        guard case .string(let text) = value else { return "?" }
        return text
      }
    }
  }

  private func mix(_ person: Person, processes: Int, seconds: Int) throws -> Report {
    let drivers = BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers"
    // The person may not be allowed to read the source tree.
    try shell("install -m 755 \(drivers)/same-time.py \(drivers)/verbs.py \(person.base)")
    let outcome = try person.shell(
      """
      MARKER='\(Self.marker)' exec /usr/bin/python3 -B \(person.base)/same-time.py \
        \(person.programs)/thumblatch \(person.backend.url) \(person.base)/reader/s \
        '\(Person.systemPassword)' \(processes) \(seconds)
      """
    )
    let text = try outcome.succeeded()
    print("same time: \(text)")
    guard case .object(let object)? = try? JSONReader.read(Array(text.utf8)) else {
      throw SystemError("same-time", code: EBADMSG, subject: String(text.prefix(2000)))
    }
    return Report(object: object)
  }

  /// The audit log and the store are intact, and no file holds a refresh token in any form.
  private func isWhole(_ person: Person) throws {
    try person.run("audit", "verify").succeeded()
    let access = try person.run("token", try signedIn(person)).succeeded()
    try person.endEngine()
    let integrity = try python(
      """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1])
      print(store.execute("PRAGMA integrity_check").fetchone()[0])
      print(len(store.execute("PRAGMA foreign_key_check").fetchall()))
      """,
      person.state + "/vault.db"
    )
    #expect(integrity == "ok\n0\n")
    let control = String(access.dropLast())
    let found = try occurrences(of: [Self.marker, control], in: person.state)
    #expect(found[0] == 0, "a refresh token in plain")
    #expect(found[1] > 0, "the search finds what is there")
    try plant("rt_" + Self.marker + "x", in: person.base + "/planted")
    #expect(try occurrences(of: [Self.marker], in: person.base + "/planted")[0] >= 6)
  }

  /// An account that has a valid token now.
  private func signedIn(_ person: Person) throws -> String {
    let name = Self.accounts[7]
    try person.run(
      "login",
      name,
      "--provider",
      "dev",
      "--email",
      "\(name)@example.org",
      "--password-stdin",
      // Another account may have got this name by a rename.
      "--yes",
      input: "backend-password\n"
    ).succeeded()
    return name
  }
}
