import Glibc
import SecretMemory
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

/// One user's load on the service does not reduce the share of another user.
@Suite(.serialized)
struct ServiceLimitTests {
  /// A person with an account whose token must be refreshed.
  ///
  /// Root plays the hostile user, with a provider that answers no request.
  private struct Scene {
    let backend: DevBackend
    let silent: DevBackend
    let bench: ServiceBench
    let person: Customer

    init() throws {
      backend = try DevBackend()
      silent = try DevBackend()
      bench = try ServiceBench()
      person = try Customer(bench, backend: backend)
      try person.register()
      try silent.fail(.init("*", count: 10_000, hold: true))
      // This starts a new engine.
      try person.expireTokens()
      try shell(
        """
        umask 022; cat >\(bench.base)/machine/providers.d/silent.conf <<'X'
        [Provider]
        kind = password-backend
        issuer = \(silent.url)
        X
        """
      )
      try person.run("status").succeeded()
    }

    var provider: VaultProvider {
      VaultProvider(
        name: "silent",
        settings: ["kind": "password-backend", "issuer": silent.url]
      )
    }

    /// The open requests: the silent provider answers none.
    func requests() throws -> Int { try silent.connections() }

    func engineFigure(_ name: String) throws -> Int {
      let engine = try #require(bench.engine)
      let line = try shell("grep ^\(name): /proc/\(engine)/status")
      return try #require(
        Int(line.split { $0 == " " || $0 == "\t" || $0 == "\n" }.dropFirst().first ?? "")
      )
    }
  }

  @Test
  func callsThatAreLeftBehindAreBounded() throws {
    let scene = try Scene()
    var number = 0
    let isFull = try eventually {
      number += 1
      let caller = try scene.bench.connect()
      let call = LoginCall(
        account: "a\(number)",
        provider: scene.provider,
        email: "a\(number)@example.org",
        password: try secret(password)
      )
      try caller.send(call)
      // The caller hangs up, and its call stays.
      guard try caller.socket.waitReadable(milliseconds: 2) else { return false }
      guard case .busy(let why, _)? = try caller.failure(of: LoginCall.self) else { return false }
      return why.contains("under way")
    }
    #expect(isFull, "\(number) calls")
    #expect(try eventually { try scene.requests() == 8 })
    #expect(try scene.engineFigure("Threads") < 40)
    #expect(try scene.person.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(try scene.requests() == 8)
  }

  @Test
  func whatIsOnlyLookedAtEndsWithItsCallerAndHoldsNoStop() throws {
    let scene = try Scene()
    var callers = try (0..<40).map { _ in
      let caller = try scene.bench.connect()
      try caller.send(TestProviderCall(provider: scene.provider))
      return caller
    }
    #expect(try eventually { try scene.requests() == 4 })
    for _ in 0..<20 { try scene.person.run("status").succeeded() }
    #expect(try scene.requests() == 4)
    #expect(try scene.person.run("token", "me").succeeded().hasPrefix("at_"))
    callers.removeFirst(20)
    // The other calls are still under way. Of some of them only the exchange helper is left.
    let begun = BootInstant.now
    try scene.bench.endEngine()
    // By themselves they last for half a minute.
    #expect(BootInstant.now.seconds(since: begun) < 22)
    for caller in callers { #expect(try caller.reply() == nil) }
  }

  @Test
  func whatWaitsAndWhatIsUnderWayTakesLittleMemory() throws {
    let scene = try Scene()
    let zeros = String(repeating: "0,", count: 32_000) + "0]}}"
    let waiting = #"{"method":"io.thumblatch.Vault.GetStatus","parameters":{"x":["# + zeros
    let test = try VarlinkCall(TestProviderCall(provider: scene.provider)).encoded(on: .vault)
    let slow = unsafe test.withUnsafeBytes { unsafe String(decoding: $0.dropLast(), as: UTF8.self) }
    try #require(slow.hasSuffix("}}}}"))
    let behind = Array(repeating: Array(waiting.utf8) + [0], count: 4).joined()
    // The large call is mostly a member that is never read.
    let large = Array((slow.dropLast(2) + #","x":["# + zeros.dropFirst(2000)).utf8) + [0] + behind
    let small = Array(slow.utf8) + [0] + behind
    for _ in 0..<3 { try scene.person.run("status").succeeded() }
    let before = try scene.engineFigure("VmRSS")
    let callers = try (0..<100).map { _ in
      let caller = try scene.bench.connect()
      try caller.socket.setNonblocking(true)
      return caller
    }
    var left = callers.indices.map { $0 % 5 == 0 ? large[...] : small[...] }
    var gone: Set<Int> = []
    var most = 0
    var looks = 0
    // Send as much as the engine accepts from each caller, and read the figures between sends.
    for _ in 0..<20 {
      for (index, caller) in callers.enumerated() where !gone.contains(index) {
        do {
          let sent = unsafe try left[index].withUnsafeBytes { bytes in
            unsafe try caller.socket.send(bytes)
          }
          left[index] = left[index].dropFirst(sent ?? 0)
        } catch {
          // A busy machine takes longer than the time limit of a half message.
          gone.insert(index)
        }
      }
      guard gone.count < 20 else { break }
      try scene.person.run("status").succeeded()
      most = max(most, try scene.engineFigure("VmRSS") - before)
      looks += 1
    }
    #expect(looks > 0)
    #expect(left.allSatisfy { $0.count < small.count })
    #expect(most < 16 * 1024, "\(most) KiB")
    #expect(try scene.person.run("token", "me").succeeded().hasPrefix("at_"))
  }

  @Test
  func anExchangeHelperThatWasNeverStartedSentNothing() throws {
    let scene = try Scene()
    let (bench, person) = (scene.bench, scene.person)
    try shell("touch \(bench.base)/drop")
    let refused = try person.run("token", "me")
    #expect(refused.end == .exited(5), "\(refused)")
    #expect(refused.text.contains("nothing was sent"), "\(refused)")
    #expect(try !person.run("status", "--json").succeeded().contains("uncertain"))
    try shell("rm \(bench.base)/drop")
    // There may be a pause before the next try.
    let isServed = try eventually { try person.run("token", "me").end == .exited(0) }
    #expect(isServed)
    #expect(try scene.backend.requests().filter { $0.path == "/auth/refresh" }.count == 1)
  }
}
