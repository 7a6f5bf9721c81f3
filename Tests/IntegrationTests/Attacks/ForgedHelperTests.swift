import JSON
import System
import TestSupport
import Testing

/// A helper that lies to the engine: `Drivers/forged-helper.py` in the place of the installed one.
///
/// A lie ends with a documented exit status, in bounded time and memory, and changes no file.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ForgedHelperTests {
  /// A lie in the answer to a method, and the end of a command that gets it.
  struct Lie: CustomStringConvertible {
    let method: String
    /// JSON, as the helper reads it.
    let text: String
    let status: Int32
    let message: String

    init(_ method: String, _ text: String, _ status: Int32, _ message: String) {
      (self.method, self.text, self.status, self.message) = (method, text, status, message)
    }

    var description: String { "\(method) \(text)" }
  }

  static let nonsense = "the program for the TPM gave an answer that makes no sense"
  private static let silent = "the TPM did not answer in time"
  private static let ended = "the program for the TPM ended without an answer"
  /// The most KiB by which a lie may increase the memory of an engine.
  private static let mostGrowth = 16_384

  /// `count` bytes in base64, as a member of an answer.
  static func member(_ name: String, _ count: Int) throws -> String {
    let zeros = try shell("head -c \(count) /dev/zero | base64 --wrap=0")
    return #"{"\#(name)": "\#(zeros)"}"#
  }

  /// The lies that any method can have in its answer.
  static func words(_ method: String) -> [Lie] {
    ["endless", "empty", "bytes", "deep", "error", "replay", "extra", "flood"]
      .map { Lie(method, #""\#($0)""#, 5, nonsense) }
      + ["close", "half"].map { Lie(method, #""\#($0)""#, 5, ended) }
  }

  /// A person with an account, whose helper is forged.
  func person(_ program: String = "thumblatch-secret") throws -> Person {
    let person = try Person()
    try shell(
      """
      cd \(person.programs)
      rm \(program)
      install -m 755 \
        \(BuiltPrograms.sourceDirectory)/Tests/IntegrationTests/Drivers/forged-helper.py \(program)
      """
    )
    try person.register()
    return person
  }

  /// Begins to add a slot at a terminal, until the code is typed back.
  func add(_ kind: String, _ person: Person) throws -> TerminalSession {
    let terminal = try person.terminal("device-secret", "add", kind, columns: 200)
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    try terminal.expect("shown only now:")
    let code = try terminal.expect("Write it down").filter { !$0.isWhitespace }
    try terminal.expect("The recovery code again: ")
    try terminal.enter(code)
    return terminal
  }

  /// Makes the helper lie, or tell the truth again.
  func tell(_ lie: Lie?, _ person: Person) throws {
    let file = person.home + "/lie"
    guard let lie else {
      try shell("rm -f \(file)")
      return
    }
    // The helper runs as the person.
    try shell(
      """
      cat >\(file) <<'END'
      ["\(lie.method)", \(lie.text)]
      END
      chmod 644 \(file)
      """
    )
  }

  /// The digests of all files from which the vault is opened, while no engine runs.
  private func digests(_ person: Person) throws -> String {
    try person.endEngine()
    return try shell(
      """
      cd \(person.state)
      find . -path './machine-key/*' -o -name 'device-secret*' -o -name vault.db | sort \
        | xargs sha256sum
      """
    )
  }

  /// The greatest memory of the engine so far, in KiB.
  private func peak(_ person: Person) throws -> Int {
    var most = 0
    for engine in processes(in: person.programs, named: "thumblatchd") {
      // A child that was forked in between may have ended.
      let text = try? shell("sed -n 's/^VmHWM:[^0-9]*\\([0-9]*\\) kB/\\1/p' /proc/\(engine)/status")
      most = max(most, text.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
    }
    return most
  }

  /// Requires that each lie ends as expected, and that the vault opens after it.
  private func demandEnds(_ lies: [Lie], _ words: [String], _ person: Person) throws {
    // A stored token would need no engine.
    try person.expireTokens()
    #expect(try person.run(words).end == .exited(0))
    let usual = try peak(person)
    #expect(usual > 0)
    for lie in lies {
      try person.expireTokens()
      let before = try digests(person)
      try tell(lie, person)
      let outcome = try person.run(words)
      #expect(try peak(person) < usual + Self.mostGrowth, "\(lie)")
      #expect(outcome.end == .exited(lie.status), "\(lie): \(outcome.text)")
      #expect(outcome.text.contains(lie.message), "\(lie): \(outcome.text)")
      // Its text is short, and has no control character.
      #expect(outcome.text.utf8.count < 8192, "\(lie)")
      #expect(outcome.text.utf8.allSatisfy { $0 >= 32 || $0 == 10 }, "\(lie)")
      #expect(try digests(person) == before, "\(lie)")
      try tell(nil, person)
    }
    #expect(try person.run(words).end == .exited(0))
  }

  @Test
  func aLieAboutTheSecretOfASlotOpensNoVault() throws {
    let person = try person()
    #expect(try add("tpm", person).end().contains("re-encrypted 1 vault"))
    let damaged = "slot of the machine key is damaged"
    var lies = Self.words("OpenSecret")
    lies += ["drip", "nothing"].map { Lie("OpenSecret", #""\#($0)""#, 5, Self.silent) }
    lies += try [0, 31, 33, 40_000].map { count in
      Lie("OpenSecret", try Self.member("secret", count), 5, Self.nonsense)
    }
    lies += [
      Lie("OpenSecret", try Self.member("secret", 32), 6, damaged),
      Lie("OpenSecret", #"{"secret": null}"#, 5, Self.nonsense),
      Lie("OpenSecret", #"{"secret": "@"}"#, 5, Self.nonsense),
      Lie("OpenSecret", #"{"outcome": "perhaps"}"#, 5, Self.nonsense),
      Lie("OpenSecret", #"{"outcome": "failed"}"#, 5, Self.nonsense),
      Lie("OpenSecret", #"{"outcome": "failed", "reason": "none"}"#, 5, Self.nonsense),
      Lie(
        "OpenSecret",
        #"{"outcome": "failed", "reason": "unexpected", "detail": "\#(Self.longDetail)"}"#,
        5,
        "unexpected TPM error"
      ),
    ]
    try demandEnds(lies, ["token", "me"], person)
  }

  /// A long text with characters that would change a terminal.
  private static let longDetail = String(repeating: #"x\u001b[31m\n\u202e"#, count: 2000)

  @Test
  func aLieAboutTheCounterOpensNoVault() throws {
    let person = try person()
    #expect(try add("tpm", person).end().contains("re-encrypted 1 vault"))
    let gone = "counter was removed or replaced"
    var lies = Self.words("ReadCounter")
    for text in [
      #"{"index": 5}"#, #"{"index": -1}"#, #"{"index": 1.5}"#, #"{"value": -1}"#,
      #"{"value": 9223372036854775808}"#, #"{"value": "7"}"#, #"{"value": null}"#,
    ] { lies.append(Lie("ReadCounter", text, 5, Self.nonsense)) }
    lies += [
      Lie("ReadCounter", #"{"value": 0}"#, 6, gone),
      Lie("ReadCounter", #"{"value": 9223372036854775807}"#, 6, "counter has gone on since"),
      Lie("ReadCounter", #"{"outcome": "failed", "reason": "no_counter"}"#, 6, gone),
    ]
    try demandEnds(lies, ["token", "me"], person)
  }

  @Test
  func aLieAboutANewSlotLeavesTheVaultAsItWas() throws {
    let person = try person()
    var lies = Self.words("SealSecret")
    for (name, count) in [
      ("parent_name", 0), ("parent_name", 33), ("parent_name", 300), ("private_part", 0),
      ("private_part", 601), ("public_part", 0), ("public_part", 40_000),
    ] { lies.append(Lie("SealSecret", try Self.member(name, count), 5, Self.nonsense)) }
    let other = "did not open what it had just sealed"
    lies.append(Lie("OpenSecret", try Self.member("secret", 32), 5, other))
    for lie in lies {
      // An engine counts its prompts, so each lie gets a new engine.
      try person.endEngine()
      try tell(lie, person)
      let shown = try add("tpm", person).end(lie.status)
      #expect(shown.contains(lie.message), "\(lie)")
      try tell(nil, person)
      let status = try person.run("device-secret", "status", "--json").succeeded()
      #expect(status.contains(#""tier":"file""#), "\(lie): \(status)")
      #expect(try shell("find \(person.state) -name 'machine-key*'") == "", "\(lie)")
    }
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
  }

  /// The ledger must not name the index of another program, or an index without a counter.
  @Test(arguments: [#"{"index": 25165824}"#, #"{"index": 7}"#, #""replay""#, #""extra""#])
  func aLieAboutANewCounterLeavesTheVaultWithoutOne(_ text: String) throws {
    let person = try person()
    try tell(Lie("DefineCounter", text, 0, Self.nonsense), person)
    #expect(try add("tpm", person).end().contains(Self.nonsense))
    try tell(nil, person)
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    let status = try person.run("device-secret", "status", "--json").succeeded()
    #expect(status.contains(#""tier":"tpm""#) && status.contains(#""counter":"none""#), "\(status)")
  }

  @Test
  func aLieOfASecurityKeyMakesAndOpensNoSlot() throws {
    let person = try person()
    let nonsense = "the program for the key gave an answer that makes no sense"
    for text in [#""touches""#, #""endless""#, try Self.member("secret", 31)] {
      try person.endEngine()
      try tell(Lie("MakeKeySecret", text, 5, nonsense), person)
      let shown = try add("fido2", person).end(5)
      #expect(shown.contains(nonsense), "\(text)")
      #expect(shown.ranges(of: KeySlotStoryTests.touch).count <= 2, "\(text)")
    }
    try tell(nil, person)
    #expect(try add("fido2", person).end().contains("re-encrypted 1 vault"))
    let lies = try [
      #""touches""#, #""endless""#, #""empty""#, #"{"place": -1}"#, #"{"place": 1}"#,
      Self.member("secret", 31), Self.member("secret", 0),
    ].map { Lie("OpenKeySecret", $0, 5, nonsense) }
    for lie in lies {
      try person.endEngine()
      try tell(lie, person)
      let terminal = try person.terminal("status", columns: 200)
      let shown = try terminal.end(lie.status)
      #expect(shown.contains(lie.message), "\(lie): \(shown)")
      #expect(shown.ranges(of: KeySlotStoryTests.toOpen).count <= 1, "\(lie)")
    }
    try tell(nil, person)
    try person.endEngine()
    try person.terminal("status", columns: 200).end()
  }

  @Test(arguments: ["readies", "asks"])
  func eventsOfACheckWithoutAnEndEndIt(_ lie: String) throws {
    let person = try person("thumblatch-presence")
    #expect(try person.run("status").end == .exited(0))
    let usual = try peak(person)
    #expect(usual > 0)
    try tell(Lie("Check", #""\#(lie)""#, 3, ""), person)
    let terminal = try person.terminal("presence", "test", columns: 200)
    if lie == "asks" {
      // One question of a check is shown, and the check ends.
      try terminal.expect("Password: ")
      try terminal.enter("an answer")
    } else {
      try terminal.expect("the presence check cannot be made")
    }
    try terminal.expect("gave an answer that makes no sense")
    if lie == "asks" { try terminal.type("\u{3}") }
    try terminal.end(lie == "asks" ? 130 : 3)
    #expect(try peak(person) < usual + Self.mostGrowth)
  }
}
