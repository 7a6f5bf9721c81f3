import Glibc
import System
import TestSupport
import Testing

/// The secrets that remain in the memory of the engine, the helpers and the CLI: after each
/// operation, and in the middle of those that can be held there.
@Suite(.serialized)
struct MemoryTraceTests {
  private static let first = "rt_FIRST-6f0c81b7/with\\/slashes+5f21c0a7e9d84b36-\"end\""
  private static let second = "rt_SECOND-19ade3c5/with\\/slashes+91b2d3c4e5f60718-\"end\""
  private static let third = "rt_THIRD-73bb40d2/with\\/slashes+40ae7715c6d30f9b-\"end\""
  private static let typed = "provider \"Pass\\word\" 7c1e90ab/+ of me"
  private static let print = "print-5ce21d77-0b9f44aa83e1"
  private static let access = "at_CONTROL-7700aabbccddeeff"

  private func answer(
    _ path: String,
    _ refreshToken: String,
    _ access: String,
    hold: Bool = false
  ) -> DevBackendFault {
    let escaped = refreshToken.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return .init(
      path,
      .status(200),
      hold: hold,
      body: """
        {"access_token": "\(access)", "refresh_token": "\(escaped)", "token_type": "Bearer",
        "expires_in": 900, "user": {"id": "1", "email": "me@example.org", "name": "S"}}
        """
    )
  }

  /// Waits for a file.
  private func waits(until path: String) -> Bool {
    eventually { unsafe Glibc.access(path, F_OK) == 0 }
  }

  @Test
  func noSecretIsLeftInMemoryFromTheLoginToTheRemoval() throws {
    let person = try Person()
    try person.allowLongAnswers()
    let record = try MemoryRecord()
    var secrets = [
      "first token": Self.first, "second token": Self.second, "third token": Self.third,
      "provider password": Self.typed, "system password": Person.systemPassword,
      "print": Self.print,
    ]
    try signsIn(person, record, &secrets)
    try refreshes(person, record, &secrets)
    let (reached, go) = try person.haltPAM()
    let enroll = try givesThePassword(person, record, until: reached)
    try go()
    try enrollsAFinger(enroll, person, record)
    try turnsProtectionOn(person, record, &secrets)
    try refreshesWithAFinger(person, record)
    try usesTheFinger(person, record)
    try rekeys(person, record, &secrets, until: reached, go)
    try runsTheOtherVerbs(person, record)
    try expectsNoTrace(of: secrets, in: record)
  }

  /// The answer to the sign-in is held, so that the password is on its way.
  private func signsIn(
    _ person: Person,
    _ record: MemoryRecord,
    _ secrets: inout [String: String]
  ) throws {
    try person.backend.fail(answer("/auth/login", Self.first, Self.access + "1", hold: true))
    let login = try person.terminal("login", "me", "--provider", "dev", "--email", "me@example.org")
    try login.expect("Password of me@example.org at dev: ")
    try login.enter(Self.typed)
    try person.backend.waitForRequests("/auth/login")
    try record.keep(
      "login under way",
      of: person,
      running: "thumblatch-cli",
      "thumblatchd",
      "thumblatch-exchange"
    )
    secrets.merge(try keys(of: person.state, "login's ")) { $1 }
    try person.backend.release()
    try login.end()
    try record.keep("login", of: person, running: "thumblatchd")
  }

  /// The answer to the refresh is held.
  private func refreshes(
    _ person: Person,
    _ record: MemoryRecord,
    _ secrets: inout [String: String]
  ) throws {
    try person.backend.fail(answer("/auth/refresh", Self.second, Self.access + "2", hold: true))
    try person.expireTokens()
    let refresh = try person.start(["token", "me"])
    try person.backend.waitForRequests("/auth/refresh")
    try record.keep(
      "refresh under way",
      of: person,
      running: "thumblatch-cli",
      "thumblatchd",
      "thumblatch-exchange"
    )
    secrets.merge(try keys(of: person.state, "refresh's ")) { $1 }
    try person.backend.release()
    #expect(try refresh.text() == Self.access + "2\n")
    try record.keep("refresh", of: person, running: "thumblatchd")
  }

  /// Begins to enrol a finger, and leaves the password with PAM.
  private func givesThePassword(
    _ person: Person,
    _ record: MemoryRecord,
    until reached: String
  ) throws -> TerminalSession {
    let enroll = try person.terminal("fingers", "enroll", "right-index")
    try enroll.expect("System password for")
    try enroll.enter(Person.systemPassword)
    #expect(waits(until: reached))
    try record.keep(
      "password with PAM",
      of: person,
      running: "thumblatch-cli",
      "thumblatchd",
      "thumblatch-presence"
    )
    return enroll
  }

  private func enrollsAFinger(
    _ enroll: TerminalSession,
    _ person: Person,
    _ record: MemoryRecord
  ) throws {
    try enroll.expect("with right-index")
    try record.keep(
      "enrollment under way",
      of: person,
      running: "thumblatch-cli",
      "thumblatchd",
      "thumblatch-presence"
    )
    for touch in 1...5 {
      try person.touch(Self.print)
      if touch < 5 { try enroll.expect("\(touch) of 5") }
    }
    try enroll.end()
    try record.keep("enrollment", of: person, running: "thumblatchd")
  }

  private func turnsProtectionOn(
    _ person: Person,
    _ record: MemoryRecord,
    _ secrets: inout [String: String]
  ) throws {
    let enable = try person.terminal("presence", "enable", "me")
    try enable.expect("Touch the fingerprint reader")
    try record.keep(
      "finger awaited",
      of: person,
      running: "thumblatch-cli",
      "thumblatchd",
      "thumblatch-presence"
    )
    try person.touch(Self.print)
    try enable.end()
    #expect(eventually { processes(in: person.programs, named: "thumblatch-presence") == [] })
    try record.keep("protection", of: person, running: "thumblatchd")
    try person.run("lock").succeeded()
    secrets.merge(try keys(of: person.state, "protected ")) { $1 }
  }

  private func refreshesWithAFinger(_ person: Person, _ record: MemoryRecord) throws {
    try person.backend.fail(answer("/auth/refresh", Self.third, Self.access + "3"))
    try person.expireTokens()
    let token = try person.terminal("token", "me")
    try token.expect("Touch the fingerprint reader")
    try person.touch(Self.print)
    try token.expect(Self.access + "3")
    try token.end()
    try record.keep("refresh by a finger", of: person, running: "thumblatchd")
  }

  private func usesTheFinger(_ person: Person, _ record: MemoryRecord) throws {
    for words in [["presence", "test"], ["unlock"], ["presence", "disable", "me"]] {
      let terminal = try person.terminal(list: words)
      try terminal.expect("Touch the fingerprint reader")
      try person.touch(Self.print)
      try terminal.end()
      try record.keep(words.joined(separator: " "), of: person, running: "thumblatchd")
    }
  }

  private func rekeys(
    _ person: Person,
    _ record: MemoryRecord,
    _ secrets: inout [String: String],
    until reached: String,
    _ go: () throws -> Void
  ) throws {
    let rekey = try person.terminal("rekey")
    try rekey.expect("System password for")
    try rekey.enter(Person.systemPassword)
    #expect(waits(until: reached))
    try go()
    try rekey.end()
    secrets.merge(try keys(of: person.state, "new ")) { $1 }
    try record.keep("rekey", of: person, running: "thumblatchd")
  }

  /// The verbs that need no check, and the removal.
  private func runsTheOtherVerbs(_ person: Person, _ record: MemoryRecord) throws {
    for words in [
      ["status"], ["fingers", "list"], ["account", "list"], ["audit"], ["audit", "verify"],
      ["lock"], ["account", "rename", "me", "work"], ["logout", "work", "--local"],
      ["account", "remove", "work"],
    ] {
      try person.run(words + (words[0] == "logout" || words.contains("remove") ? ["--yes"] : []))
        .succeeded()
      try record.keep(words.joined(separator: " "), of: person, running: "thumblatchd")
    }
  }

  /// Copies that libraries make are out of reach until their process ends.
  ///
  /// The process ends with the check.
  private func expectsNoTrace(of secrets: [String: String], in record: MemoryRecord) throws {
    let bound: Set = [
      "password with PAM, thumblatch-presence: system password",
      "finger awaited, thumblatch-presence: print",
    ]
    let places = Set(try record.places(of: secrets))
    #expect(places.subtracting(bound) == [])
    let control = try record.places(of: ["access token": Self.access + "2"])
    #expect(control.contains("refresh, thumblatchd: access token"))
  }
}
