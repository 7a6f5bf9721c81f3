import JSON
import System
import TestSupport
import Testing

/// Many processes need a token of one account at the same moment.
///
/// The provider rotates, and revokes everything if a refresh token is used twice.
@Suite(.serialized)
struct ProviderRaceTests {
  private static let many = 64

  private func member() throws -> Member {
    // The answer is delayed until all of them have arrived.
    let settings = ["timeout": "60s"]
    let member = try Member(.toolkit, ["--refresh", "protect"], settings: settings)
    try member.signIn().succeeded()
    return member
  }

  /// Starts all of them while the provider holds its answer, so that they meet.
  private func race(_ member: Member, fault: JSONObject) throws -> [Someone.Outcome] {
    try member.expireTokens()
    try member.provider.clear()
    let held = JSONObject(fault.members.map { ($0.name, $0.value) } + [("hold", true)])
    try member.provider.fail(held.at(grant: "refresh_token"))
    let runs = try (0..<Self.many).map { _ in try member.start(["token", "work"]) }
    try member.provider.waitForRequests()
    // A caller that comes seconds after a failure may try again, and would not be part of the race.
    #expect(try eventually { try callers(member) >= Self.many })
    try member.provider.release()
    return try runs.map { run in
      Someone.Outcome(text: try run.text(), end: try run.child.wait())
    }
  }

  @Test
  func sixtyFourProcessesCauseOneRequestAndGetTheSameToken() throws {
    let member = try member()
    for _ in 0..<2 {
      let outcomes = try race(member, fault: [:])
      #expect(outcomes.allSatisfy { $0.end == .exited(0) })
      #expect(Set(outcomes.map(\.text)).count == 1)
      #expect(try member.provider.refreshes().count == 1)
      #expect(try member.provider.count("live_refresh_tokens") == 1)
    }
    try member.run("whoami", "work").succeeded()
  }

  @Test
  func sixtyFourProcessesShareOneFailure() throws {
    let member = try member()
    let outcomes = try race(member, fault: ["status": 503])
    #expect(outcomes.allSatisfy { $0.end == .exited(5) }, "\(outcomes.map(\.text))")
    #expect(try member.provider.refreshes().count == 1, "tried again for each")
    try member.forgetRetryWait()
    try member.run("token", "work").succeeded()
    #expect(try member.provider.count("live_refresh_tokens") == 1)
  }

  @Test
  func sixtyFourProcessesUnderProtectionCauseOnePrompt() throws {
    let member = try member()
    try enroll(member)
    let enable = try member.terminal("presence", "enable", "work")
    try enable.expect(
      "Touch the fingerprint reader to turn on presence protection for account 'work'"
    )
    try member.touch()
    try enable.end()
    try member.run("lock").succeeded()
    try member.expireTokens()
    try member.provider.clear()
    let begun = try checks(member)

    var terminals = [try member.terminal("token", "work")]
    #expect(eventually { member.readerIsOpen })
    // A check lasts 30 s. On a slow machine some callers come after it has ended, and need none.
    let deadline = BootInstant.now.advanced(bySeconds: 20)
    for _ in 1..<Self.many { terminals.append(try member.terminal("token", "work")) }
    // Armed, or joined: a call that comes after the touch has its own prompt.
    let prompted = try terminals.count { terminal in
      try ["Touch the fingerprint reader to use account 'work'", "still waiting"].allSatisfy {
        let left = max(0, deadline.nanoseconds - BootInstant.now.nanoseconds)
        return try terminal.shows($0, withinMilliseconds: Int32(left / 1_000_000))
      }
    }
    #expect(prompted > 1, "no caller joined")
    try member.touch()
    let screens = try terminals.map { try $0.end() }
    let token = try member.run("token", "work").succeeded().dropLast()
    #expect(screens.allSatisfy { $0.hasSuffix(token + "\r\n") }, "\(screens)")
    #expect(try member.provider.refreshes().count == 1)
    #expect(try checks(member) == begun + 1, "one finger was asked for more than once")
    #expect(try member.provider.count("live_refresh_tokens") == 1)
  }

  private func enroll(_ member: Member) throws {
    let terminal = try member.terminal("fingers", "enroll", "right-index")
    try terminal.expect("System password for")
    try terminal.enter(Someone.systemPassword)
    try terminal.expect("with right-index")
    for touch in 1...5 {
      try member.touch()
      if touch < 5 { try terminal.expect("\(touch) of 5") }
    }
    try terminal.end()
  }

  /// How many callers are connected.
  ///
  /// The engine holds a descriptor of each caller's process.
  private func callers(_ member: Member) throws -> Int {
    let engines = processes(in: member.programs, named: "thumblatchd")
    return try engines.reduce(0) { count, engine in
      let directory = "/proc/\(engine)/fd"
      return try Directory(path: directory).names().count { name in
        linkTarget("\(directory)/\(name)")?.contains("pidfd") == true
      } + count
    }
  }

  /// How many presence checks have passed so far, by the audit log.
  private func checks(_ member: Member) throws -> Int {
    let trail = try object(try member.run("audit", "--json").succeeded()).array("records")
    return try trail.count { record in
      guard case .object(let record) = record else { return false }
      return try record.string("event") == "presence-check"
        && record.string("outcome") == "done"
    }
  }
}
