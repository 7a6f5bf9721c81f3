import Glibc
import System
import TestSupport
import Testing

/// The service of one test.
///
/// A program takes the role of the service manager: it binds the sockets as root, and starts the
/// engine on a connection and a helper for each connection.
final class ServiceBench {
  /// The users of a whole run, removed at its end.
  struct Users {
    /// The engine's user.
    let engine: ScratchUser
    /// Two people.
    let first: ScratchUser
    let second: ScratchUser
  }

  static let firstPassword = "first Pa55wörd"
  static let enginePassword = "engine Pa55word"
  static let secondPassword = "second Pa55wörd"

  /// The user of the helpers without a user of their own, as the service manager's stand-in has it.
  static let helperUser: UInt32 = 61999

  static let users = Result {
    let users = Users(
      engine: try ScratchUser(password: enginePassword),
      first: try ScratchUser(password: firstPassword),
      second: try ScratchUser(password: secondPassword)
    )
    atexit { ServiceBench.removeUsers() }
    return users
  }

  let base: String
  private let manager: Run
  /// The manager ends with its input.
  private let input: Descriptor
  private let desktop: (bus: DesktopBus, reader: VirtualReader)?

  var programs: String { base + "/bin" }
  var directory: String { base + "/run" }
  var state: String { base + "/state" }
  var socket: String { directory + "/io.thumblatch.Vault" }

  /// A service whose engine ends after this many idle seconds.
  ///
  /// `withSessions` gives both people a session at the machine, by a stand-in for logind. Without
  /// it the location of callers is unknown. `withOwnNames` gives the service a list of users that
  /// `rename` changes. `withoutPeerDescriptors` makes SO_PEERPIDFD fail for the engine, as before
  /// Linux 6.5. `hidingProcesses` hides the processes of others from the engine. `machine` is
  /// where the helpers look for a TPM.
  init(
    idle: Int = 600,
    withSessions: Bool = false,
    withOwnNames: Bool = false,
    withoutPeerDescriptors: Bool = false,
    hidingProcesses: Bool = false,
    in machine: MachineWithTPM? = nil
  ) throws {
    let users = try Self.users.get()
    base = try makeTemporaryDirectory()
    try Programs.install(in: base + "/bin")
    try shell(
      """
      umask 022; chmod 755 \(base)
      install -d -m 755 \(base)/run \(base)/machine \(base)/machine/providers.d
      install -d -m 700 -o \(users.engine.name) \(base)/state
      install -d -m 700 \(base)/reader
      echo FP_VIRTUAL_DEVICE=\(base)/reader/s >\(base)/bin/virtual-reader.conf
      """
    )
    desktop = try withSessions ? Self.seat(users) : nil
    let (near, far) = try UnixSocket.pair()
    input = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    // The whole directory: a mount on /etc/passwd itself is gone when another test adds a user,
    // which renames a file over it.
    if withOwnNames { try shell("cp -a /etc \(base)/etc") }
    let mounts =
      (withOwnNames ? "mount --bind \(base)/etc /etc; " : "")
      + (hidingProcesses ? "mount -t proc -o hidepid=2 proc /proc; " : "")
    let mounting = ["/usr/bin/unshare", "--mount", "/bin/sh", "-ec", mounts + "exec \"$0\" \"$@\""]
    let words = (machine?.entering ?? []) + (mounts.isEmpty ? [] : mounting) + ["/usr/bin/python3"]
    manager = try Run(
      words[0],
      Array(words.dropFirst()) + [
        BuiltPrograms.sourceDirectory + "/Tests/IntegrationTests/Drivers/service-manager.py",
        base + "/bin", base + "/run", base + "/state", users.engine.name, "\(idle)",
      ] + (desktop.map { ["--bus", $0.bus.address] } ?? [])
        + (withoutPeerDescriptors ? ["--without-peer-descriptors"] : []),
      environment: ["PATH=/usr/bin:/bin", "LANG=C.UTF-8"],
      input: theirs.number
    )
    try manager.waitForOutput()
  }

  deinit {
    input.shutDown()
    _ = try? manager.child.wait()
    for process in processes(in: programs) { kill(process, SIGKILL) }
    desktop?.bus.remove()
    desktop?.reader.remove()
    _ = try? shell("rm -rf \(base)")
  }

  private static func seat(_ users: Users) throws -> (bus: DesktopBus, reader: VirtualReader) {
    let reader = try VirtualReader(.device)
    let bus = try DesktopBus(reader, logind: true, fprintd: false)
    let answer = try bus.run(
      "seat_users({\(users.first.user): 'first', \(users.second.user): 'second'})"
    )
    try #require(answer == "None", "\(answer)")
    return (bus, reader)
  }

  private static func removeUsers() {
    guard let users = try? users.get() else { return }
    for user in [users.engine, users.first, users.second] { user.remove() }
  }

  /// The address of the system bus on which logind knows the people's sessions.
  var bus: String? { desktop?.bus.address }

  /// The running engine.
  var engine: Int32? { processes(in: programs, named: "thumblatchd").first }

  /// The messages of the engine and its helpers for the administrator.
  var log: String { (try? shell("cat \(base)/log")) ?? "" }

  /// Ends the engine by a signal, and waits for its end.
  func endEngine(by signal: Int32 = SIGTERM) throws {
    guard let engine else { return }
    kill(engine, signal)
    try waitForEnd(engine)
  }

  /// Gives a uid to another user name, as far as the service can see.
  func rename(_ user: String, to name: String) throws {
    try shell(
      """
      sed 's/^\(user):/\(name):/' \(base)/etc/passwd >\(base)/changed
      ! cmp -s \(base)/changed \(base)/etc/passwd && cat \(base)/changed >\(base)/etc/passwd
      """
    )
  }

  /// Makes an event happen at logind, if the people have sessions there.
  func act(_ call: String) throws {
    let answer = try desktop?.bus.run(call)
    try #require(answer == "None", "\(call): \(answer ?? "no user is seated")")
  }

  /// A connection of root.
  func connect() throws -> EngineConnection {
    EngineConnection(
      try UnixSocket.connect(in: Directory(path: directory), name: "io.thumblatch.Vault")
    )
  }

  /// The directory of a user's vault.
  func vault(of user: ScratchUser) -> String { "\(state)/users/\(user.user)" }
}

/// A person whose vault the service keeps.
final class Customer: Someone {
  let bench: ServiceBench
  /// The socket that the person names as the vault's.
  var socket: String
  private let password: String

  /// One of the two people, with the provider `dev`.
  init(_ bench: ServiceBench, isSecond: Bool = false, backend: DevBackend? = nil) throws {
    let users = try ServiceBench.users.get()
    self.bench = bench
    socket = bench.socket
    password = isSecond ? ServiceBench.secondPassword : ServiceBench.firstPassword
    try super.init(as: isSecond ? users.second : users.first)
    guard let backend else { return }
    // The provider is on this machine. The vault connects to it only if the administrator has
    // configured it.
    try IntegrationTests.shell(
      """
      umask 022; cat >\(bench.base)/machine/providers.d/dev.conf <<'X'
      [Provider]
      kind = password-backend
      issuer = \(backend.url)
      X
      """
    )
    try run("provider", "add", "dev", "--kind", "password-backend", "--issuer", backend.url)
      .succeeded()
  }

  override var environment: [String] { super.environment + ["THUMBLATCH_SOCKET=\(socket)"] }
  override var state: String { bench.vault(of: user) }
  override var checkPrograms: String { bench.programs }
  override var readerDirectory: String { bench.base + "/reader" }
  override var systemPassword: String { password }
  override func endEngine() throws { try bench.endEngine() }

  /// Registers the account `me` and signs it in.
  func register(_ account: String = "me") throws {
    try run(registration(account), input: "backend-password\n").succeeded()
  }

  /// The command that registers an account.
  ///
  /// It reads the password from its input.
  func registration(_ account: String = "me") -> [String] {
    [
      "register", account, "--provider", "dev", "--email",
      "\(account)-\(user.name)@example.org", "--password-stdin",
    ]
  }
}
