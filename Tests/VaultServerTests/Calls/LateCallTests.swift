import OAuth
import Presence
import PresenceTerms
import SecretMemory
import Storage
import Synchronization
import System
import TestSupport
import Testing
import Varlink
import VaultInterface

@testable import TokenVault
@testable import VaultServer

/// Calls that still run after the end of their connection.
@Suite(.timeLimit(.minutes(10)))
struct LateCallTests {
  private static let call =
    #"{"method":"io.thumblatch.Vault.TestPresence","parameters":{"ask":true}}"# + "\0"
  private static let info = #"{"method":"org.varlink.service.GetInfo"}"# + "\0"

  private let scratch: ScratchDirectory
  private let gate: Gate
  private let vaults: Vaults

  init() throws {
    let (scratch, gate) = (try ScratchDirectory(), try Gate())
    (self.scratch, self.gate) = (scratch, gate)
    let free = PromptLimit.Measure(burst: 1000, seconds: 1)
    vaults = Vaults(nil, of: ThisProcess.user) { _, _ in
      gate.pass()
      return try Vault(
        directory: try StateDirectory(path: scratch.path + "/state"),
        owner: ThisProcess.user,
        exchange: NoExchange(),
        check: NoReader(),
        clock: try StoppedClock(),
        promptLimit: PromptLimit(ofOne: free, ofAll: free, ofJoining: free, pauses: [0])
      )
    }
  }

  /// Serves the vaults on a thread of its own, until no client is left.
  private func serve() throws {
    let directory = try scratch.open()
    let listener = Holder(try UnixSocket.listen(in: directory, name: "socket"))
    try startThread { [vaults] in
      do {
        let server = try Server(
          vaults: vaults,
          listener: try listener.descriptor.duplicate(),
          signals: try TerminationSignals(),
          limits: .alone,
          idleSeconds: 1
        )
        try server.run()
      } catch {
        Issue.record("the server has ended: \(error)")
      }
    }
  }

  private func connect() throws -> Descriptor {
    try UnixSocket.connect(in: try scratch.open(), name: "socket")
  }

  /// Makes a call, and returns the text of its answer.
  private func answer(to call: String) async throws -> String {
    let client = try connect()
    try client.write(call)
    var bytes: [UInt8] = []
    repeat {
      // The server's tasks need the threads of the pool.
      while try !client.waitReadable(milliseconds: 0) { await Task.yield() }
      let next = try client.read(atMost: 4096)
      try #require(!next.isEmpty)
      bytes += next
    } while bytes.last != 0
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The client leaves while the vault is opened for its call.
  @Test
  func aCallThatOutlivesItsConnectionLeavesNoPrompt() async throws {
    try serve()
    do {
      let client = try connect()
      try client.write(Self.call)
      while !gate.isAwaited { await Task.yield() }
    }
    // The server learns that this client has left before it answers the next client.
    #expect(try await answer(to: Self.info).contains("thumblatchd"))
    gate.open()
    let vault = try await opened()
    while await !vault.prompts.isEmpty { await Task.yield() }
    // The same call of a client that stays has a prompt.
    let stays = try connect()
    try stays.write(Self.call)
    while await vault.prompts.isEmpty { await Task.yield() }
  }

  /// The vault, once no call runs in it.
  private func opened() async throws -> Vault {
    while true {
      let entry = vaults.state.withLock { $0.entries[ThisProcess.user] }
      if let entry, entry.calls == 0, case .open(let opened) = entry.phase { return opened.vault }
      try Task.checkCancellation()
      await Task.yield()
    }
  }
}

/// Makes a thread wait until the test lets it pass.
private final class Gate: Sendable {
  private let isThere: WakeEvent
  private let isOpen: WakeEvent

  init() throws {
    isThere = try WakeEvent()
    isOpen = try WakeEvent()
  }

  var isAwaited: Bool {
    (try? isThere.descriptor.waitReadable(milliseconds: 0)) == true
  }

  func pass() {
    isThere.signal()
    _ = try? isOpen.descriptor.waitReadable(milliseconds: -1)
  }

  func open() { isOpen.signal() }
}

/// Passes the socket to the server's thread.
private final class Holder: Sendable {
  let descriptor: Descriptor

  init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
}

/// No time passes, so no prompt ends by itself.
private struct StoppedClock: VaultClock {
  let bootIdentifier: BootIdentifier
  let wall = WallTime(seconds: 1_790_000_000)
  let boot = BootInstant(nanoseconds: 1_000_000_000_000)

  init() throws { bootIdentifier = try BootIdentifier.current() }

  /// Returns when the task is cancelled.
  func pause(milliseconds: Int64) async {
    let (never, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    continuation.finish()
  }
}

private struct NoExchange: TokenExchange {
  func perform(
    _ request: ProviderRequest,
    terms: ExchangeTerms,
    delivery: AnswerDelivery?
  ) async -> ExchangeReply { .notSent(reason: "a stub") }
}

private struct NoReader: PresenceChecker {
  func prepare() async -> (any PreparedCheck)? { nil }

  func start(
    _ attempt: PresenceAttempt,
    of caller: Caller
  ) async throws(PresenceFailure) -> any CheckConversation { throw .notAvailable("a stub") }

  func enroll(
    _ request: EnrollmentRequest
  ) async throws(PresenceFailure) -> any EnrollmentConversation { throw .notAvailable("a stub") }

  func delete(_ print: LoadedPrint) async -> PrintDeletion { .gone }

  func reader() async -> ReaderFacts {
    ReaderFacts(available: false, name: nil, driver: nil, reason: "a stub")
  }

  func desktopFingers(of caller: Caller) async -> DesktopFingers? { nil }
  func desktopView(of caller: Caller) async -> DesktopView { .seen(nil) }
}
