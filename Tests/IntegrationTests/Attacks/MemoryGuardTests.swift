import Glibc
import System
import TestSupport
import Testing
import VaultInterface

/// The memory of the programs stays hidden from other processes of the same user, and a crash leaks
/// nothing.
@Suite(.serialized)
struct MemoryGuardTests {
  private static let inside = BuiltPrograms.sourceDirectory + "/Tests/System/inside"
  private static let search = inside + "/memory.py"
  /// The search, and the module that it imports.
  private static let files = search + " " + inside + "/forms.py"
  /// Asks for everything that the runtime could report about a crash.
  private static let talkative = "enable=yes,color=no"
  private static let secret = "secret-of-a-crash-90b7c2ee41d5"

  /// The directories where the kernel may put a core file (core(5)), besides a process's own
  /// directory.
  private static func cores(in directory: String) throws -> [String] {
    let pattern = try shell("cat /proc/sys/kernel/core_pattern")
    var places = [directory]
    if pattern.hasPrefix("/"), let slash = pattern.lastIndex(of: "/") {
      places.append(String(pattern[..<slash]) + "/")
    }
    return try places.flatMap { place in
      try Directory(path: place).names().filter { $0.hasPrefix("core") }.map { place + "/" + $0 }
    }
  }

  /// A process that holds the secret unprotected, in a directory.
  private final class Unguarded {
    let child: ChildProcess
    private let pipe: Descriptor

    init(at directory: String, become: [String]) throws {
      try shell(
        """
        cd \(directory)
        install -m 755 \(MemoryGuardTests.files) .
        echo '{"planted": "\(MemoryGuardTests.secret)"}' >planted.json
        chmod 644 planted.json
        """
      )
      let (near, far) = try UnixSocket.pair()
      pipe = Descriptor(owning: near)
      let theirs = Descriptor(owning: far)
      let script = """
        cd \(directory); ulimit -c unlimited
        exec "$@" /usr/bin/python3 -B memory.py hold planted.json
        """
      child = try ChildProcess(
        path: "/bin/sh",
        arguments: ["-c", script, "sh"] + become,
        environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"],
        descriptors: [theirs.number, theirs.number, -1]
      )
      guard try pipe.waitReadable(milliseconds: 60_000) else {
        throw SystemError("memory.py", code: ETIMEDOUT)
      }
    }

    deinit {
      child.kill()
      _ = try? child.wait()
    }
  }

  @Test
  func aProcessWithoutGuardIsFoundTracedAndDumped() throws {
    let person = try Person()
    let place = person.base + "/reader"
    let unguarded = try Unguarded(at: place, become: ["/usr/bin/setpriv"] + person.become)
    let process = unguarded.child.identifier
    let seen = try trace(process, as: person)
    #expect(seen.first == "traced" && !seen.contains { $0.contains("not read") }, "\(seen)")
    let (text, end) = try output(
      of: "/usr/bin/python3",
      ["-B", Self.search, "scan", place + "/planted.json", "\(process)"]
    )
    #expect(end == .exited(1) && text.contains("\(process): planted"), "\(text)")
    unguarded.child.send(signal: SIGSEGV)
    #expect(try unguarded.child.wait() == .signalled(SIGSEGV))
    // If core files go to a program, the program chooses where they end up.
    if try !shell("cat /proc/sys/kernel/core_pattern").hasPrefix("|") {
      let cores = try Self.cores(in: place)
      try #require(!cores.isEmpty)
      #expect(try occurrences(of: [Self.secret], in: place)[0] > 2)
      try shell("rm -f \(cores.joined(separator: " "))")
    }
  }

  /// Attacks of a process of that person on another one.
  private func trace(_ process: Int32, as person: Person) throws -> [String] {
    try shell("install -m 755 \(Self.files) \(person.base)")
    let outcome = try person.shell("exec python3 -B \(person.base)/memory.py trace \(process)")
    return try outcome.succeeded().split(separator: "\n").map(String.init)
  }

  @Test
  func noProgramIsTracedOrReadByAnotherOfItsUser() throws {
    let person = try Person()
    try person.backend.fail(.init("/auth/login", hold: true))
    let login = try person.terminal("login", "me", "--provider", "dev", "--email", "me@x.org")
    try login.expect("Password of me@x.org at dev: ")
    try login.enter(Self.secret)
    try person.backend.waitForRequests("/auth/login")
    let prompt = try person.terminal("fingers", "enroll", "right-index")
    try prompt.expect("System password for")
    let names = ["thumblatch-cli", "thumblatchd", "thumblatch-exchange", "thumblatch-presence"]
    for name in names {
      let running = processes(in: person.programs, named: name)
      #expect(!running.isEmpty, "\(name)")
      for process in running {
        let seen = try trace(process, as: person)
        #expect(seen.count == 5 && seen.allSatisfy { $0.contains(" not ") || $0.hasPrefix("not ") })
        let limits = try shell("grep 'Max core' /proc/\(process)/limits")
        #expect(limits.split(separator: " ").filter { $0 == "0" }.count == 2, "\(limits)")
      }
    }
    try prompt.type("\u{3}")
    _ = try prompt.end(130)
    try person.backend.release()
    _ = try login.failed()
  }

  static let crashes = [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE]

  @Test(arguments: crashes)
  func anEngineOrExchangeHelperThatCrashesLeavesNothing(_ signal: Int32) throws {
    let backend = try DevBackend()
    let vault = try TestVault()
    let (near, far) = try UnixSocket.pair()
    let errors = Descriptor(owning: near)
    let engine: EngineProcess
    do {
      let theirs = Descriptor(owning: far)
      engine = try EngineProcess(
        vault.programs + "/thumblatchd",
        state: vault.state,
        backtrace: Self.talkative,
        errors: theirs.number
      )
    }
    try #require(engine.report == .listening)
    try backend.fail(.init("/auth/login", hold: true))
    let caller = try vault.connect()
    try caller.send(
      LoginCall(
        account: "me",
        provider: provider(backend.url),
        email: "me@example.org",
        password: try IntegrationTests.secret(Self.secret)
      )
    )
    try backend.waitForRequests("/auth/login")
    let exchangeHelper = try vault.exchangeHelper()
    let before = try Self.cores(in: "/")
    for process in [exchangeHelper, engine.identifier] {
      #expect(kill(process, signal) == 0)
      if process == exchangeHelper { try waitForEnd(exchangeHelper) }
    }
    #expect(engine.end() == .signalled(signal))
    let words = String(decoding: try errors.readAll(limit: 1 << 20), as: UTF8.self)
    // The static runtime prints this at its start if a backtrace is requested.
    let opening = "swift runtime: unable to locate swift-backtrace; disabling backtracing.\n"
    #expect(words == "" || words == opening, "\(words)")
    #expect(try Self.cores(in: "/") == before)
    #expect(try occurrences(of: [Self.secret], in: vault.state) == [0])
    try backend.release()
  }

  @Test(arguments: crashes)
  func aCommandThatCrashesLeavesNothing(_ signal: Int32) throws {
    let person = try Person()
    try person.backend.fail(.init("/auth/login", hold: true))
    let place = person.base + "/reader"
    let script = """
      cd \(place)
      exec \(person.programs)/thumblatch login me --provider dev --email me@example.org
      """
    let session = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + ["/bin/sh", "-c", script],
      environment: person.environment + ["SWIFT_BACKTRACE=" + Self.talkative],
      columns: 80
    )
    try session.expect("Password of me@example.org at dev: ")
    try session.enter(Self.secret)
    try person.backend.waitForRequests("/auth/login")
    let shown = session.screen
    let command = processes(in: person.programs, named: "thumblatch-cli")
    try #require(command.count == 1)
    #expect(kill(command[0], signal) == 0)
    try waitForEnd(command[0])
    let words = try session.failed().dropFirst(shown.count)
    #expect(words.split(whereSeparator: \.isWhitespace) == [])
    #expect(try Self.cores(in: place) == [])
    try person.backend.release()
  }
}
