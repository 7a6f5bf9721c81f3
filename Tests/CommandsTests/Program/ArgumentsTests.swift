import Testing

@testable import Commands

struct ArgumentsTests {
  private func parse(_ line: String) throws(CommandError) -> Arguments.Request {
    try Arguments.parse(line.split(separator: " ").map(String.init), verbs: Program.verbs)
  }

  private func arguments(_ line: String) throws -> Arguments {
    guard case .run(let arguments) = try parse(line) else {
      throw CommandError(.bug, "not a run")
    }
    return arguments
  }

  private func failure(_ line: String) -> CommandError? {
    do {
      _ = try parse(line)
      return nil
    } catch { return error }
  }

  @Test(arguments: [
    "token me --min-ttl 30s", "token --min-ttl 30s me", "token --min-ttl=30s me",
    "--json token me --min-ttl 30s", "token --min-ttl 30s -- me",
  ])
  func optionsStandBeforeAndAfterTheAccount(_ line: String) throws {
    let arguments = try arguments(line)
    #expect(arguments.verb.name == "token")
    #expect(arguments.operands == ["me"])
    #expect(arguments.value("--min-ttl") == "30s")
    #expect(arguments.has("--json") == line.contains("--json"))
  }

  @Test
  func twoDashesEndTheOptions() throws {
    #expect(try arguments("unlock -- --json").operands == ["--json"])
    #expect(try !arguments("unlock -- --json").has("--json"))
  }

  @Test
  func theWordsOfACommandAreItsOwn() throws {
    let line = "exec me --name T -- --json -h -- token a --name"
    #expect(try arguments(line).command == ["--json", "-h", "--", "token", "a", "--name"])
    #expect(try arguments(line).operands == ["me"])
    #expect(try !arguments(line).has("--json"))
    #expect(try arguments("exec -- ls").operands == [])
    // No length is too long for a command.
    let long = String(repeating: "a", count: Arguments.maximumWord + 1)
    #expect(try arguments("exec -- \(long)").command == [long])
  }

  @Test(arguments: [
    ("exec", "CMD is missing"), ("exec me", "CMD is missing"), ("exec me --", "CMD is missing"),
    ("exec me ls", "too many arguments"), ("exec me ls -l", "unknown option: -l"),
  ])
  func aCommandFollowsTwoDashes(_ line: String, _ message: String) {
    let error = failure(line)
    #expect(error?.code == .usage && error?.message == message)
    #expect(error?.hint == "usage: thumblatch exec [ACCOUNT] [options] -- CMD [ARG...]")
  }

  @Test(arguments: [
    ("presence enable me", "presence enable"), ("fingers enroll right-index", "fingers enroll"),
    ("account list", "account list"), ("audit me --since 2h", "audit"),
    ("audit verify", "audit verify"),
    ("audit --json verify", "audit verify"), ("audit -- verify", "audit"),
    ("unlock a b c", "unlock"),
    ("logout me --local", "logout"), ("--private status", "status"),
  ])
  func verbsAreOneOrTwoWords(_ line: String, _ name: String) throws {
    #expect(try arguments(line).verb.name == name)
  }

  @Test(arguments: [
    ("tokne", "token"), ("presence enabel", "presence enable"), ("statsu", "status"),
    ("finger list", "fingers"), ("provider ad", "provider add"), ("logut", "logout"),
    ("fingers remove left-index", "fingers delete"), ("fingers rm", "fingers delete"),
    ("fingers add", "fingers enroll"), ("fingers ls", "fingers list"),
    ("account rm me", "account remove"), ("account delete me", "account remove"),
    ("provider delete dev", "provider remove"), ("provider ls", "provider list"),
    ("provider new dev", "provider add"), ("signin me", "login"),
    ("enroll", "fingers enroll, thumblatch keys enroll"), ("verify", "audit verify"),
    ("rename me", "account rename"),
  ])
  func anUnknownVerbNamesTheNearestOne(_ line: String, _ near: String) {
    let error = failure(line)
    #expect(error?.code == .usage)
    #expect(error?.hint == "did you mean: thumblatch \(near)")
  }

  @Test(arguments: [
    "rm", "ls", "frob", "go", "fingers frob", "account me", "provider x", "token -x", "request -x",
    "token --x", "token --foo", "login --pw", "login --user",
  ])
  func whatIsFarFromEverythingIsNotGuessedAt(_ line: String) {
    let error = failure(line)
    #expect(error?.code == .usage)
    #expect(error?.hint?.contains("did you mean") == false)
  }

  @Test(arguments: [
    "presence", "token a b", "register", "provider show", "token --min-ttl",
    "token --min-ttl --json", "token --min-ttl 1s --min-ttl 2s", "token --json=yes", "token -x",
    "token --minttl 10s", "--min-ttl 5s token", "presence enable a b", "token --min-ttl=",
    "frob https://example.org", "doctor now", "release a b", "rekey me", "fingers remove x",
  ])
  func whatIsNotUnderstoodIsWrongUsage(_ line: String) {
    let error = failure(line)
    #expect(error?.code == .usage)
    #expect(error?.message.isEmpty == false)
  }

  @Test(arguments: [
    "login me hunter2", "login me --password hunter2", "login me --password=hunter2",
    "login --password hunter2 me", "login me --password --hunter2", "register me hunter2",
    "register me --password hunter2", "token me hunter2", "lock hunter2",
  ])
  func aPasswordAmongTheWordsIsNotRepeated(_ line: String) {
    let error = failure(line)
    #expect(error?.code == .usage)
    #expect(error.map { "\($0.message) \($0.hint ?? "")".contains("hunter2") } == false)
    if line.contains("--password") {
      #expect(error?.hint?.contains("--password-stdin") == true)
    }
  }

  @Test
  func anUnknownOptionNamesTheNearestOne() {
    #expect(failure("token --min-tll 3s")?.hint == "did you mean: --min-ttl")
    #expect(failure("token --jsno")?.hint == "did you mean: --json")
  }

  @Test
  func anArgumentOfAHundredKilobytesIsRefused() {
    #expect(throws: CommandError.self) {
      try Arguments.parse(["token", String(repeating: "a", count: 100_000)], verbs: Program.verbs)
    }
  }

  @Test
  func everyVerbHasHelpThatFitsEightyColumns() throws {
    for verb in Program.verbs {
      guard case .help(let found?) = try parse(verb.name + " -h") else {
        Issue.record("\(verb.name) has no help")
        continue
      }
      let text = Help.of(found, columns: 80)
      #expect(text.hasPrefix("usage: thumblatch \(verb.name)"))
      for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
      #expect(verb.summary.first?.isLowercase == true)
    }
    for columns in [80, 120] {
      for line in Help.overview(Program.verbs, columns: columns).split(separator: "\n") {
        #expect(line.count <= columns, "\(line)")
      }
    }
  }

  @Test
  func inANarrowTerminalAnExplanationStandsBelowItsName() throws {
    let texts = Program.verbs.map { Help.of($0, columns: 40) }
    for text in texts + [Help.overview(Program.verbs, columns: 40)] {
      for line in text.split(separator: "\n") where line.hasPrefix("  ") {
        #expect(line.count <= 40, "\(line)")
      }
    }
  }

  @Test(arguments: ["provider", "account", "presence", "fingers", "audit"])
  func aWordThatSeveralVerbsShareListsThem(_ word: String) throws {
    let verbs = Program.verbs.filter { $0.words[0] == word }
    let text: String
    switch try parse("\(word) -h") {
    case .helpOfSeveral(let found): text = Help.ofSeveral(found, columns: 80)
    case .help(let verb?): text = Help.of(verb, longer: Array(verbs.dropFirst()), columns: 80)
    default: text = ""
    }
    for verb in verbs { #expect(text.contains("  \(verb.synopsis)"), "\(verb.name)") }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    guard word != "audit" else { return }
    #expect(failure(word)?.message == "'\(word)' needs a subcommand")
    #expect(failure(word)?.hint == verbs.map(\.name).joined(separator: ", "))
  }

  @Test(arguments: ["", "--json", "--private", "--no-input", "--"])
  func withoutAnyWordTheStatusIsShown(_ line: String) throws {
    #expect(try arguments(line).verb.words == [])
    #expect(try arguments(line).has("--json") == line.contains("--json"))
  }

  @Test(arguments: ["--help", "-h", "help", "help --json", "--private -h"])
  func withoutAVerbTheListOfVerbsIsShown(_ line: String) throws {
    guard case .help(nil) = try parse(line) else {
      Issue.record("\(line) is not help")
      return
    }
  }

  @Test(arguments: ["--version", "version", "--version --json", "--json version"])
  func theVersionNeedsNoVerb(_ line: String) throws {
    guard case .version = try parse(line) else {
      Issue.record("\(line) is not the version")
      return
    }
  }

  @Test(arguments: ["help token", "token --help", "token -h", "help token --json"])
  func helpBeforeAVerbIsItsHelp(_ line: String) throws {
    guard case .help(let verb?) = try parse(line), verb.name == "token" else {
      Issue.record("\(line) is not the help of token")
      return
    }
  }

  @Test
  func helpBeforeTheFirstWordOfSeveralVerbsListsThem() throws {
    guard case .helpOfSeveral(let verbs) = try parse("help fingers") else {
      Issue.record("not the help of several")
      return
    }
    #expect(verbs.map(\.name) == ["fingers list", "fingers enroll", "fingers delete"])
    #expect(failure("help frob")?.message == "unknown verb: frob")
  }
}
