import Glibc
import PresenceTerms
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

/// The spare exchange helper, which is started ahead of its request.
struct SpareExchangeHelperTests {
  private static let path = "/auth/refresh"
  static let program = "thumblatch-exchange"

  /// A vault with one account, after whose sign-in a spare exchange helper waits.
  func waiting() throws -> (DevBackend, TestVault, token: String, spare: Int32) {
    let backend = try DevBackend()
    let vault = try TestVault()
    try vault.start()
    let caller = try vault.connect()
    let helpers = { vault.running(Self.program) }
    let spare = try waiting(backend, among: helpers) { proceed in
      try caller.send(registration("me", at: backend))
      try proceed()
      _ = try caller.result(of: RegisterCall.self)
    }
    try backend.clear()
    return (backend, vault, try caller.token(), spare)
  }

  /// A vault of the service, after whose sign-in a spare exchange helper waits.
  private func waitingInService() throws -> (DevBackend, Customer, token: String, spare: Int32) {
    let backend = try DevBackend()
    let bench = try ServiceBench()
    let person = try Customer(bench, backend: backend)
    let spare = try waiting(after: person, backend)
    return (backend, person, try person.run("token", "me").succeeded(), spare)
  }

  /// The exchange helper that waits after a person has registered at the service.
  private func waiting(after person: Customer, _ backend: DevBackend) throws -> Int32 {
    let helpers = { processes(in: person.bench.programs, named: Self.program) }
    return try waiting(backend, among: helpers) { proceed in
      let run = try person.start(person.registration(), typing: "backend-password\n")
      try proceed()
      let text = try run.text()
      #expect(try run.child.wait() == .exited(0), "\(text)")
    }
  }

  /// The exchange helper that waits after a registration: another one than that which has served
  /// it.
  ///
  /// `register` calls its argument while the call is under way, because the provider holds its
  /// answer until then.
  private func waiting(
    _ backend: DevBackend,
    among exchangeHelpers: @escaping () -> [Int32],
    _ register: (_ proceed: () throws -> Void) throws -> Void
  ) throws -> Int32 {
    try backend.fail(.init("/auth/register", hold: true))
    var used: [Int32] = []
    try register {
      try backend.waitForRequests("/auth/register")
      used = [try alone(among: exchangeHelpers)]
      try backend.release()
    }
    for helper in used { try waitForEnd(helper) }
    return try alone(among: exchangeHelpers, otherThan: used)
  }

  /// The one exchange helper that runs.
  private func alone(
    among exchangeHelpers: @escaping () -> [Int32],
    otherThan used: [Int32] = []
  ) throws -> Int32 {
    var found: [Int32] = []
    let isThere = eventually {
      found = exchangeHelpers()
      return found.count == 1 && !used.contains(found[0])
    }
    try #require(isThere, "\(found) run")
    return found[0]
  }

  private func spare(of vault: TestVault, otherThan used: [Int32] = []) throws -> Int32 {
    try alone(among: { vault.running(Self.program) }, otherThan: used)
  }

  /// Makes the provider hold a refresh, and returns the exchange helper that sent it.
  private func exchangeHelper(
    of vault: TestVault,
    _ backend: DevBackend,
    replacing token: String
  ) throws -> (exchangeHelper: Int32, next: String) {
    try backend.fail(.init(Self.path, hold: true))
    let caller = try vault.connect()
    try caller.send(AccessTokenCall(account: "me", rejected: token))
    try backend.waitForRequests(Self.path)
    // A helper that was killed for this may not have gone yet.
    let exchangeHelper = try spare(of: vault)
    try backend.release()
    return (exchangeHelper, try caller.result(of: AccessTokenCall.self).accessToken)
  }

  @Test
  func itServesOneRequestAndAnotherOneTakesItsPlace() throws {
    let (backend, vault, token, spare) = try waiting()
    // It holds neither the store nor a slot before its request.
    let open = try Directory(path: "/proc/\(spare)/fd").names().compactMap { number in
      linkTarget("/proc/\(spare)/fd/\(number)")
    }
    #expect(!open.isEmpty && !open.contains { $0.hasPrefix(vault.state) }, "\(open)")
    let (first, next) = try exchangeHelper(of: vault, backend, replacing: token)
    #expect(first == spare)
    try waitForEnd(first)
    let other = try self.spare(of: vault, otherThan: [first])
    try backend.clear()
    #expect(try exchangeHelper(of: vault, backend, replacing: next).exchangeHelper == other)
  }

  @Test(arguments: [SIGKILL, SIGTERM, SIGSTOP])
  func oneThatHasDiedOrHangsIsReplacedBeforeAnythingIsInDoubt(_ signal: Int32) throws {
    let (backend, vault, token, spare) = try waiting()
    // The signal takes effect when the process next runs.
    if signal == SIGSTOP {
      halt(spare)
    } else {
      kill(spare, signal)
      try waitForEnd(spare)
    }
    let (exchangeHelper, next) = try exchangeHelper(of: vault, backend, replacing: token)
    #expect(exchangeHelper != spare)
    #expect(next != token)
    #expect(try backend.requests().filter { $0.path == Self.path }.count == 1)
    #expect(try vault.connect().state() == .ready)
    try waitForEnd(spare)
  }

  /// The helper is no child of the engine there: only an answer shows that it runs.
  @Test(arguments: [SIGKILL, SIGSTOP])
  func oneOfTheServiceIsReplacedToo(_ signal: Int32) throws {
    let (backend, person, token, spare) = try waitingInService()
    try backend.clear()
    if signal == SIGSTOP { try #require(halt(spare)) } else { kill(spare, signal) }
    defer { kill(spare, SIGCONT) }
    // The stopped helper got no slot, which would stay locked for the second refresh.
    let second = try person.run("token", "me", "--rejected", input: token).succeeded()
    let third = try person.run("token", "me", "--rejected", input: second).succeeded()
    #expect(Set([token, second, third]).count == 3)
    #expect(try backend.requests().filter { $0.path == Self.path }.count == 2)
    #expect(try person.run("audit", "verify").succeeded().contains("intact"))
  }

  /// In this form the helper checks its own file when the engine asks it.
  @Test
  func oneOfTheServiceWhoseProgramWasReplacedEndsWhenItIsAsked() throws {
    let (backend, person, token, spare) = try waitingInService()
    try shell(
      """
      cd \(person.bench.programs)
      cp --preserve \(Self.program) new
      mv new \(Self.program)
      """
    )
    try backend.fail(.init(Self.path, hold: true))
    let refresh = try person.start(["token", "me", "--rejected"], typing: token)
    try backend.waitForRequests(Self.path)
    // Another helper has sent the request.
    #expect(!processes(in: person.bench.programs, named: Self.program).contains(spare))
    try backend.release()
    #expect(try refresh.text() != token)
    #expect(try refresh.child.wait() == .exited(0))
  }

  /// kill(2): signal 0 still finds a process that has ended and was not waited for.
  @Test
  func oneThatHasDiedIsNotLeftAsAZombie() throws {
    let (_, vault, _, spare) = try waiting()
    kill(spare, SIGKILL)
    #expect(eventually { kill(spare, 0) != 0 && errno == ESRCH })
    #expect(try vault.connect().state() == .ready)
  }

  @Test
  func oneWhoseProgramWasReplacedIsReplacedToo() throws {
    let (backend, vault, token, spare) = try waiting()
    try shell(
      """
      cd \(vault.programs)
      cp \(Self.program) new
      mv new \(Self.program)
      """
    )
    let (exchangeHelper, next) = try exchangeHelper(of: vault, backend, replacing: token)
    #expect(exchangeHelper != spare && next != token)
    try waitForEnd(spare)
  }

  @Test
  func itEndsWithItsEngine() throws {
    let (_, vault, _, spare) = try waiting()
    vault.killEngine()
    try waitForEnd(spare)
    #expect(vault.running(Self.program).isEmpty)
  }

  @Test
  func itDoesNotKeepAnEngineThatIsToldToEnd() throws {
    let (_, vault, _, spare) = try waiting()
    try vault.stopEngine()
    try waitForEnd(spare)
  }

  @Test
  func itMayNotBeDumpedAndDoesNotKeepAnIdleEngineAwake() throws {
    let backend = try DevBackend()
    let bench = try ServiceBench(idle: 1)
    let person = try Customer(bench, backend: backend)
    var processes: [Int32] = []
    do {
      // As long as a caller is connected, the engine is not idle.
      let caller = try bench.connect()
      let spare = try waiting(after: person, backend)
      #expect(try caller.call(GetInfoCall()).product == "thumblatchd")
      processes = [spare, try #require(bench.engine)]
      // proc(5): root owns the files of an undumpable process. The helper runs as another user.
      let owner = "stat -c %u /proc/\(processes[0])/environ"
      #expect(try eventually { try shell(owner) == "0\n" })
      #expect(try caller.call(GetInfoCall()).product == "thumblatchd")
    }
    for process in processes { try waitForEnd(process) }
    #expect(bench.log == "")
  }

  /// An exchange helper that receives the request, prints `lastWords`, and crashes.
  private func crashing(_ lastWords: String) throws -> (DevBackend, TestVault, token: String) {
    let (backend, vault, token, spare) = try waiting()
    try shell(
      """
      cd \(vault.programs)
      cat >new <<'END'
      #!/usr/bin/python3
      import os, socket
      engine = socket.socket(fileno=0)
      data = b""
      while b"Exchange" not in data or not data.endswith(b"\\0"):
          part = engine.recv(65536)
          if not part:
              raise SystemExit
          data += part
          if data.endswith(b"\\0") and b"Exchange" not in data:
              engine.sendall(b'{"error": "org.varlink.service.MethodNotFound"}\\0')
              data = b""
      engine.sendall(b'\(lastWords)')
      os.kill(os.getpid(), 9)
      END
      chmod 755 new
      mv \(Self.program) real
      mv new \(Self.program)
      """
    )
    kill(spare, SIGKILL)
    try waitForEnd(spare)
    return (backend, vault, token)
  }

  @Test
  func oneThatDiesBeforeItBeginsHasSentNothing() throws {
    let (backend, vault, token) = try crashing("")
    let caller = try vault.connect()
    let failure = try caller.failure(AccessTokenCall(account: "me", rejected: token))
    guard case .providerUnavailable(let message, _, _, _, _) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(message.contains("nothing was sent"))
    #expect(try caller.state() != .uncertain)
    // The next request may be sent at once, with the same refresh token.
    try shell("cd \(vault.programs); mv real \(Self.program)")
    #expect(eventually { (try? vault.connect().token()) != nil })
    #expect(try backend.requests().filter { $0.path == Self.path }.count == 1)
  }

  @Test
  func oneThatDiesAfterItHasBegunLeavesADoubt() throws {
    let begun = #"{"parameters": {"outcome": "begun"}, "continues": true}\0"#
    let (_, vault, token) = try crashing(begun)
    let caller = try vault.connect()
    #expect(try caller.failure(AccessTokenCall(account: "me", rejected: token)) != nil)
    #expect(try caller.state() == .uncertain)
  }
}
