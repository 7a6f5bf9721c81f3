import Glibc
import Synchronization
import System
import TestSupport
import Testing

/// A person with a home directory, a virtual fingerprint reader and the programs.
///
/// Everything runs as a scratch user, whose system password real PAM checks.
class Someone {
  /// The system password.
  static let systemPassword = "system Pa55wörd"

  /// One user for a whole run, removed at its end.
  private static let shared = Result {
    let user = try ScratchUser(password: systemPassword)
    atexit { Someone.removeUser() }
    return user
  }

  let user: ScratchUser
  let base: String
  /// The machine of the commands, if it is another than this one.
  var machine: MachineWithTPM?
  /// The process that has read the last command to the reader.
  private var lastReader: Int32?

  var programs: String { base + "/bin" }
  var home: String { base + "/home" }
  var state: String { home + "/.local/state/thumblatch" }
  /// The socket of the private engine.
  var engineSocket: String { state + "/engine" }

  /// The directory of the programs that check the presence of this person.
  var checkPrograms: String { programs }
  /// The directory of the reader's socket.
  var readerDirectory: String { base + "/reader" }
  /// The system password.
  var systemPassword: String { Self.systemPassword }

  /// A person without a provider, as the given user or as the user of the whole run.
  init(as given: ScratchUser? = nil) throws {
    user = try given ?? Self.shared.get()
    base = try makeTemporaryDirectory()
    try Programs.install(in: programs)
    try IntegrationTests.shell(
      """
      umask 022; chmod 755 \(base)
      install -d -m 700 -o \(user.name) \(home) \(base)/reader
      echo FP_VIRTUAL_DEVICE=\(base)/reader/s >\(programs)/virtual-reader.conf
      """
    )
  }

  deinit {
    for process in processes(in: programs) { kill(process, SIGKILL) }
    _ = try? IntegrationTests.shell("rm -rf \(base)")
  }

  private static func removeUser() {
    if let user = try? shared.get() { user.remove() }
  }

  var environment: [String] {
    ["HOME=\(home)", "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TERM=xterm", "NO_COLOR=1"]
  }

  /// The arguments of setpriv(1) that run a program as this person.
  var become: [String] {
    ["--reuid=\(user.user)", "--regid=\(user.user)", "--clear-groups"]
  }

  /// The first words of a command line of this person.
  var running: [String] { (machine?.entering ?? []) + ["/usr/bin/setpriv"] + become }

  /// The output of a command without a terminal, and how it ended.
  struct Outcome {
    let text: String
    let end: ProcessEnd

    /// Fails the test unless the command was successful.
    @discardableResult
    func succeeded() throws -> String {
      try #require(end == .exited(0), "\(text)")
      return text
    }
  }

  /// Starts a command without a terminal.
  func start(
    _ arguments: [String],
    variables: [String] = [],
    input: Int32 = -1
  ) throws -> Run {
    try Run(
      "/usr/bin/setsid",
      running + [programs + "/thumblatch"] + arguments,
      environment: environment + variables,
      input: input
    )
  }

  /// Starts a command without a terminal, whose input is this text.
  func start(
    _ arguments: [String],
    variables: [String] = [],
    typing input: String
  ) throws -> Run {
    let (near, far) = try UnixSocket.pair()
    let theirs = Descriptor(owning: far)
    let ours = Descriptor(owning: near)
    try ours.write(input)
    return try start(arguments, variables: variables, input: theirs.number)
  }

  /// Runs a command without a terminal.
  @discardableResult
  func run(
    _ arguments: String...,
    variables: [String] = [],
    input: String = ""
  ) throws -> Outcome {
    try run(arguments, variables: variables, input: input)
  }

  /// Runs a command without a terminal.
  @discardableResult
  func run(
    _ arguments: [String],
    variables: [String] = [],
    input: String = ""
  ) throws -> Outcome {
    let run = try start(arguments, variables: variables, typing: input)
    return Outcome(text: try run.text(), end: try run.child.wait())
  }

  /// Runs a shell script as this person, without a terminal.
  func shell(_ script: String) throws -> Outcome {
    let (text, end) = try output(
      of: "/usr/bin/setsid",
      running + ["/bin/sh", "-c", script],
      environment: environment
    )
    return Outcome(text: text, end: end)
  }

  /// Starts a command at its own terminal.
  func terminal(_ arguments: String..., columns: UInt16 = 80) throws -> TerminalSession {
    try terminal(list: arguments, columns: columns)
  }

  /// Starts a command at its own terminal.
  func terminal(list arguments: [String], columns: UInt16 = 80) throws -> TerminalSession {
    try TerminalSession(
      running + [programs + "/thumblatch"] + arguments,
      environment: environment,
      columns: columns
    )
  }

  /// Puts a finger on the reader, or sends it another command, as soon as it is armed.
  ///
  /// Each command has its own connection, which the reader closes after it has read the command. A
  /// reader that closes earlier resets the connection (unix(7)), and the next reader gets the
  /// command. With `again` the command goes to another process than the last one. That one may
  /// still have the reader open, and would read the command without an effect.
  func reader(_ command: String, again: Bool = false) throws {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    while true {
      do {
        let directory = try Directory(path: readerDirectory)
        let reader = try UnixSocket.connect(in: directory, name: "s")
        let process = try reader.peerCredentials().process
        guard !again || process != lastReader else { throw SystemError("connect", code: EBUSY) }
        _ = unsafe try Array(command.utf8).withUnsafeBytes { unsafe try reader.send($0) }
        _ = try reader.readAll(limit: 64)
        lastReader = process
        return
      } catch {
        guard BootInstant.now < deadline else { throw error }
        pauseBriefly()
      }
    }
  }

  /// Puts a finger on the reader.
  func touch(_ finger: String = "right-index") throws { try reader("SCAN \(finger)") }

  /// Puts a finger on the reader after a miss: the process of the next check has to arm it first.
  func touchAgain(_ finger: String = "right-index") throws {
    try reader("SCAN \(finger)", again: true)
  }

  /// Enrolls a finger, as a person does at a terminal.
  func enroll(_ finger: String = "right-index") throws {
    let terminal = try terminal("fingers", "enroll", finger)
    try terminal.expect("Type the system password to enroll \(finger)")
    try terminal.expect("System password for")
    try terminal.enter(systemPassword)
    try terminal.expect("with \(finger)")
    for touch in 1...5 {
      try self.touch(finger)
      if touch < 5 { try terminal.expect("\(touch) of 5") }
    }
    let shown = try terminal.end()
    #expect(shown.contains("\(finger) is enrolled"))
    #expect(!shown.contains(systemPassword))
  }

  /// Whether a program has the reader open.
  var readerIsOpen: Bool {
    guard let directory = try? Directory(path: readerDirectory) else { return false }
    return (try? UnixSocket.connect(in: directory, name: "s")) != nil
  }

  /// Ends the engine, as its idle time does.
  func endEngine() throws {
    for process in processes(in: programs, named: "thumblatchd") {
      kill(process, SIGTERM)
      try waitForEnd(process)
    }
  }

  /// Makes the stored access tokens expire, between two engines.
  func expireTokens() throws {
    try changeStore("UPDATE access_tokens SET stored_at = stored_at - 9000, expires_at = 0")
    try IntegrationTests.shell("rm -f \(state)/tokens/*")
  }

  /// Changes the store between two engines.
  ///
  /// An app that watches its account may start the next engine too early: then the change is tried
  /// again.
  func changeStore(_ sql: String) throws {
    let deadline = BootInstant.now.advanced(bySeconds: 60)
    let change = """
      import sqlite3, sys
      try:
          store = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
          store.execute(sys.argv[2])
      except sqlite3.OperationalError as error:
          sys.exit(3 if "locked" in str(error) else str(error))
      """
    while true {
      try endEngine()
      let arguments = ["-c", change, state + "/vault.db", sql]
      let (text, end) = try output(of: "/usr/bin/python3", arguments)
      if end == .exited(0) { return }
      guard end == .exited(3), BootInstant.now < deadline else {
        throw SystemError("vault.db: \(end)", code: ECHILD, subject: text)
      }
    }
  }
}

extension Someone {
  /// Enrolls a finger by the commands.
  func enrollFinger(_ finger: String = "right-index") throws {
    let terminal = try terminal("fingers", "enroll", finger)
    try terminal.expect("System password for")
    try terminal.enter(Self.systemPassword)
    try terminal.expect("with \(finger)")
    for touch in 1...5 {
      try self.touch(finger)
      if touch < 5 { try terminal.expect("\(touch) of 5") }
    }
    try terminal.end()
  }
}

/// A person with a password backend, `dev`.
final class Person: Someone {
  let backend: DevBackend

  /// A person who has not signed in yet.
  ///
  /// `options` are the backend's.
  init(_ options: [String] = []) throws {
    backend = try DevBackend(options)
    try super.init()
    try run("provider", "add", "dev", "--kind", "password-backend", "--issuer", backend.url)
      .succeeded()
  }

  /// Registers the account `me` and signs it in.
  func register(_ account: String = "me") throws {
    try run(
      "register",
      account,
      "--provider",
      "dev",
      "--email",
      "\(account)@example.org",
      "--password-stdin",
      input: "backend-password\n"
    ).succeeded()
  }
}
