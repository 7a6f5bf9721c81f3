import Glibc
import JSON
import PresenceTerms
import System
import TestSupport
import Testing
import VaultInterface

/// The audit log through the real programs.
@Suite(.serialized)
struct AuditStoryTests {
  /// The output of the command line for a test's vault.
  func command(
    _ vault: TestVault,
    _ arguments: String...
  ) throws -> (text: String, end: ProcessEnd) {
    try output(
      of: vault.programs + "/thumblatch-cli",
      arguments,
      environment: [
        "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC", "THUMBLATCH_STATE_DIR=\(vault.state)",
      ]
    )
  }

  private func object(_ text: String) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else {
      Issue.record("no JSON object: \(text)")
      return [:]
    }
    return object
  }

  /// The refusals in the audit log: the caller, and the recorded text.
  private func refusals(_ vault: TestVault) throws -> [String] {
    try object(command(vault, "audit", "--json").text).array("records").compactMap { record in
      guard case .object(let record) = record, try record.string("event") == "refusal" else {
        return nil
      }
      let requester = try? record.string("requester")
      return "\(try record.string("detail")) | \(requester ?? "-")"
    }
  }

  @Test
  func theCommandSaysThatTheAuditLogIsIntactOrWhichRecordIsBad() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let caller = try vault.connect()
    try caller.register("me", at: backend)
    let token = try caller.token()
    #expect(try caller.token(rejected: token) != token)
    let whole = try command(vault, "audit", "verify")
    #expect(whole.end == .exited(0), "\(whole.text)")
    #expect(
      whole.text.wholeMatch(
        of: /The audit log is intact: 5 records, from 2[-0-9: ]+ to 2[-0-9: ]+\.\n/
      )
        != nil,
      "\(whole.text)"
    )
    let facts = try object(command(vault, "audit", "verify", "--json").text)
    #expect(try facts.boolean("whole"))
    #expect(try facts.integer("records") == 5)
    #expect(facts["bad"] == .null)
    try vault.stopEngine()
    try vault.edit("UPDATE audit SET requester = 'nobody' WHERE number = 3")
    try vault.start()
    let bad = try command(vault, "audit", "verify")
    #expect(bad.end == .exited(6))
    #expect(
      bad.text.hasPrefix("thumblatch: error: the audit log is not intact: record 3 (2"),
      "\(bad.text)"
    )
    #expect(bad.text.contains(") was altered\nhint: "))
    let json = try command(vault, "audit", "verify", "--json")
    #expect(json.end == .exited(6))
    let found = try object(json.text)
    #expect(
      found.members.map(\.name) == [
        "whole", "records", "first", "last", "first_time", "last_time", "bad", "bad_time",
        "problem", "head", "error",
      ]
    )
    #expect(try found.integer("bad") == 3)
    #expect(try found.string("problem") == "altered")
    #expect(try found.object("error").string("code") == "vault-unsafe")
    // The vault is not closed by it.
    #expect(try vault.connect().token().hasPrefix("at_"))
  }

  @Test
  func theAuditLogBeginsWhereSinceSays() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    try vault.connect().register("me", at: backend)
    try vault.stopEngine()
    // Times are part of the sealed data, but reading does not check the seal.
    let before = WallTime.now.seconds / 86_400 * 86_400 - 40 * 86_400 + 34_200
    try vault.edit("UPDATE audit SET time = \(before) WHERE number = 1")
    try vault.start()
    // `date -u -d @N +FORMAT`, with 09:30 as the time of day.
    func date(_ format: String, plus seconds: Int64 = 0) throws -> String {
      try String(shell("date -u -d @\(before + seconds) '+\(format)'").dropLast())
    }
    for (since, count) in [
      ("2h", 1), ("90s", 1), ("41d", 2), (try date("%FT%TZ"), 2),
      (try date("%FT10:30:00+01:00"), 2),
      (try date("%FT%TZ", plus: 1), 1), (try date("%F %T"), 2), (try date("%F %T", plus: 1), 1),
      (try date("%FT%H:%M"), 2), (try date("%F"), 2), (try date("%F", plus: 86_400), 1),
      ("2099-01-01", 0),
    ] {
      let run = try command(vault, "audit", "--since", since)
      #expect(run.end == .exited(0), "\(since): \(run.text)")
      #expect(run.text.split(separator: "\n").count == count, "\(since): \(run.text)")
    }
    for since in [
      "soon", "2025-13-01", "2025-02-30 10:00:00", "-2h", "2025-11-21T09", "2025-11-21 24:00", "",
    ] {
      #expect(try command(vault, "audit", "--since", since).end == .exited(2), "\(since)")
    }
  }

  @Test
  func refusalsAreCountedAndSurviveTheEnd() throws {
    let vault = try TestVault()
    try vault.start()
    let caller = try vault.connect()
    for _ in 0..<7 {
      _ = try caller.failure(CheckCall(prompt: "p\(1)", presenceMethod: .fingerprint))
    }
    // Few prompts are allowed on one connection. Further requests are answered with busy.
    for _ in 0..<40 { _ = try caller.failure(TestPresenceCall(prompt: nil)) }
    // Another user at the socket, as if the directory had been opened, and a caller whose process
    // has ended.
    try shell("chmod 711 \(vault.base) \(vault.state); chmod 666 \(vault.state)/engine")
    try python(
      """
      import os, socket, sys
      def connect():
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1])
        return connection
      def ended(connection):
        try: assert connection.recv(100) == b""
        except ConnectionResetError: pass
      read, write = os.pipe()
      if os.fork() == 0:
        connection = connect()
        if os.fork() == 0:
          assert os.read(read, 1) == b"x"
          connection.sendall(b'{"method":"io.thumblatch.Vault.GetStatus"}\\0')
          ended(connection)
        os._exit(0)
      os.wait()
      os.write(write, b"x")
      os.setgid(65534); os.setuid(65534)
      for _ in range(3): ended(connect())
      """,
      vault.state + "/engine"
    )
    try shell("chmod 755 \(vault.base); chmod 700 \(vault.state); chmod 600 \(vault.state)/engine")
    // A new caller is served after them.
    _ = try vault.connect().call(GetStatusCall())
    try vault.stopEngine()
    try vault.start()
    let counted = try refusals(vault)
    #expect(counted.contains("3 × wrong user | user 65534"), "\(counted)")
    #expect(counted.contains("1 × dead caller | user \(getuid())"), "\(counted)")
    #expect(
      counted.contains { $0.hasPrefix("7 × denied | ") && $0.contains(", PID ") },
      "\(counted)"
    )
    #expect(counted.contains { $0.contains(" × busy | ") && $0.contains(", PID ") }, "\(counted)")
    #expect(try command(vault, "audit", "verify").end == .exited(0))
  }

  /// Names that a process gives itself, as Python writes bytes.
  private static let hostileNames = """
    [bytes([97, code, 98]) for code in list(range(1, 32)) + [127]] + [name.encode() for name in [
      "a\\u0080b", "a\\u0085b", "a\\u009b31m", "a\\u202ab", "a\\u202bb", "a\\u202cb", "a\\u202db",
      "a\\u202eb", "a\\u2066b", "a\\u2067b", "a\\u2068b", "a\\u2069b", "a\\u200eb", "a\\u200fb",
      "a\\u061cb", "a\\u200bb", "a\\u200db", "a\\ufeffb", "a\\u2028b", "a\\u2029b", "a\\U000e0041b",
      "a\\ue000b", "a\\ufe0fb", "a\\u3164b", "a\\u0300\\u0300\\u0300\\u0300\\u0300", "a\\uffffb",
      "\\x1b[2J", "\\x1b]0;x\\x07", "\\x1bc", "\\r\\nroot", "a) S 1 (b", "((()))", '"\\\\', "', PID 1",
      "   ", "thumblatch-cli", "thumblatch", "%s%n%x", "$(id)", "😀😀😀", "-", "a, PID 1, b",
    ]] + [b"\\xff\\xfe", b"\\xc3\\x28", b"\\xed\\xa0\\x80", b"\\xf5\\x80\\x80\\x80", b"\\xc0\\x80", b"a" * 4096]
    """

  /// The text of prompts about a process that renames itself three times, from the first name on.
  ///
  /// Each time the process requests a prompt, and a call that is recorded.
  private func renamed(_ vault: TestVault, from first: Int) throws -> JSONValue {
    let said = try python(
      """
      import ctypes, json, socket, sys
      first = int(sys.argv[3])
      names = (\(Self.hostileNames))[first:first + 3]
      connection = socket.socket(socket.AF_UNIX)
      connection.connect(sys.argv[1])
      stream = connection.makefile("rb")
      def call(method, **parameters):
        message = {"method": "io.thumblatch.Vault." + method, "parameters": parameters}
        connection.sendall(json.dumps(message).encode() + b"\\0")
        answer = b""
        while not answer.endswith(b"\\0"): answer += stream.read(1)
        return json.loads(answer[:-1].decode("utf-8"))["parameters"]
      token, prompts = sys.argv[2], []
      for name in names:
        assert ctypes.CDLL(None).prctl(15, name, 0, 0, 0) == 0
        need = call("TestPresence")
        assert "requester" in need, (name, need)
        prompts.append(need["requester"])
        call("Cancel", prompt=need["prompt"])
        token = call("AccessToken", account="me", rejected=token)["access_token"]
      print(json.dumps(prompts))
      """,
      vault.state + "/engine",
      try vault.connect().token(),
      "\(first)"
    )
    return try JSONReader.read(Array(said.utf8))
  }

  @Test
  func hostileNamesAreOneHarmlessLineEach() throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    try vault.connect().register("me", at: backend)
    var prompts: [JSONValue] = []
    while case .array(let more) = try renamed(vault, from: prompts.count), !more.isEmpty {
      prompts += more
      // The same prompt appears at most three times in a row. The next engine asks again.
      try vault.stopEngine()
      try vault.start()
    }
    #expect(prompts.count >= 50)
    for case .string(let prompt) in prompts {
      #expect(isHarmless(prompt), "\(prompt.debugDescription)")
      #expect(prompt.utf8.count < 100 && prompt.contains(", PID "))
    }
    let text = try command(vault, "audit").text
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // Two records of the registration, three of each refresh, and the end of the last line.
    #expect(lines.count == 2 + 3 * prompts.count + 1)
    #expect(lines.allSatisfy { isHarmless(String($0)) && $0.utf8.count < 600 })
    #expect(lines.dropLast().allSatisfy { $0.hasPrefix("2") })
    let json = try command(vault, "audit", "--json").text
    #expect(try object(json).array("records").count == 2 + 3 * prompts.count)
    #expect(json.split(separator: "\n").count == 1 && isHarmless(String(json.dropLast())))
    #expect(try command(vault, "audit", "verify").end == .exited(0))
  }

  /// Whether a terminal shows the text in one line, from left to right, without another effect.
  private func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
        .unassigned:
        false
      default: true
      }
    }
  }
}
