import JSON
import System
import TestSupport
import Testing

/// A user tightens the policy of their own vault, with a terminal, the system password of a real
/// user, and a finger on the reader that does not count for it.
@Suite(.serialized)
struct PolicyStoryTests {
  private func json(_ text: String) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else {
      Issue.record("no JSON object: \(text)")
      return [:]
    }
    return object
  }

  /// Types the text at the password prompt for a policy change, and returns what was shown.
  @discardableResult
  private func set(
    _ someone: Someone,
    _ words: [String],
    _ change: String,
    ending end: Int32 = 0,
    answer: (TerminalSession) throws -> Void
  ) throws -> String {
    let terminal = try someone.terminal(list: ["policy"] + words, columns: 200)
    try terminal.expect("Type the system password to change the policy (\(change))")
    try terminal.expect("System password for")
    try answer(terminal)
    let shown = try terminal.end(end)
    #expect(!shown.contains(Someone.systemPassword))
    return shown
  }

  /// Opens the window with a finger, and returns how many seconds it stays open.
  private func window(_ someone: Someone) throws -> Int64 {
    let terminal = try someone.terminal("unlock")
    try terminal.expect("Touch the fingerprint reader to unlock the vault")
    try someone.touch()
    try terminal.end()
    let before = WallTime.now.seconds
    let status = try someone.run("status", "--json").succeeded()
    let end = try json(status).string("unlocked_until")
    let seconds = try output(of: "/bin/date", ["-d", end, "+%s"]).0
    let left = try #require(Int64(seconds.split(whereSeparator: \.isWhitespace).first ?? ""))
    return left - before
  }

  @Test
  func aUserTightensTheWindowOnlyByPasswordAndItStays() throws {
    let someone = try Someone()
    try someone.enroll()
    #expect((540...600).contains(try window(someone)))

    // A finger on the reader is not even looked at, and a cancelled prompt changes nothing.
    try set(
      someone,
      ["window", "2m"],
      "window: the default 10 min → 2 min",
      ending: 130
    ) { terminal in
      #expect(!someone.readerIsOpen)
      try terminal.type("\u{3}")
    }
    #expect(try someone.run("status", "--json").succeeded().contains(#""unlocked":true"#))

    let shown = try set(someone, ["window", "2m"], "window: the default 10 min → 2 min") {
      terminal in
      try terminal.enter(Someone.systemPassword)
    }
    #expect(shown.contains("window is 2 min now"))
    #expect(try someone.run("status", "--json").succeeded().contains(#""unlocked":false"#))
    #expect((60...120).contains(try window(someone)))

    // Refused: a change without a prompt, an unknown rule, and a laxer value.
    let silent = try someone.run("policy", "window", "default", "--no-input")
    #expect(silent.end == .exited(7))
    #expect(silent.text.contains("window: 2 min → the default 10 min"))
    let laxer = try someone.run("policy", "window", "11m")
    #expect(laxer.end == .exited(11) && laxer.text.contains("laxer than the default, 10"))
    #expect(try someone.run("policy", "remote", "deny").end == .exited(2))
    #expect(try someone.run("policy", "store", "1").end == .exited(11))

    // The rule outlives the engine and the device secret.
    try someone.endEngine()
    let terminal = try someone.terminal("rekey")
    try terminal.expect("System password for")
    try terminal.enter(Someone.systemPassword)
    try terminal.end()
    try someone.endEngine()
    let rules = try someone.run("policy", "window", "--json").succeeded()
    #expect(rules.contains(#"{"key":"window","machine":10,"own":2,"holds":2,"for_users":true,"#))
    #expect((60...120).contains(try window(someone)))

    // A removal of the rule from the store is detected.
    try someone.changeStore("UPDATE meta SET value = x'00' WHERE key = 'own-rules'")
    #expect(try someone.run("policy").end == .exited(6))
    try someone.changeStore(
      "UPDATE meta SET value = CAST('[Policy]' || char(10) || 'window = 2' || char(10) AS BLOB)"
        + " WHERE key = 'own-rules'"
    )
    try set(someone, ["window", "default"], "window: 2 min → the default 10 min") { terminal in
      try terminal.enter(Someone.systemPassword)
    }
    #expect((540...600).contains(try window(someone)))
    let trail = try someone.run("audit").succeeded()
    #expect(trail.contains("policy-changed"))
    #expect(try someone.run("audit", "verify").end == .exited(0))
  }
}
