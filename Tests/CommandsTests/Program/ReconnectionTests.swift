import Glibc
import System
import TestSupport
import Testing
import VaultClient
import VaultInterface

@testable import Commands

/// A waiting call whose engine is killed.
struct ReconnectionTests {
  private static let account = VerbTests.account
  private static let token = AccessTokenReply(
    account: "me",
    accessToken: "at-1",
    tokenType: "Bearer",
    shorterThanRequested: false
  )

  /// Runs a verb against engines that come one after the other, each with its own script.
  ///
  /// - Returns: the error of the verb, and how many engines it connected to.
  private func run(
    _ words: [String],
    _ engines: [@Sendable (Stage) throws -> Void]
  ) throws -> (failure: CommandError?, connections: Int) {
    let terminal = try PseudoTerminal(columns: 80)
    let served = Served(engines, terminal)
    let null = unsafe open("/dev/null", O_WRONLY)
    defer { close(null) }
    var failure: CommandError?
    do throws(CommandError) {
      guard case .run(let arguments) = try Arguments.parse(words, verbs: Program.verbs) else {
        throw CommandError(.usage, "no verb")
      }
      let session = Session(
        arguments: arguments,
        output: Output(json: false, out: null, error: null) { _ in nil },
        interrupt: nil,
        environment: { _ in nil },
        openTerminal: { nil },
        connect: { () throws(VaultClientError) in try served.connect() }
      )
      defer { session.hangUp() }
      try arguments.verb.run(session)
    } catch {
      failure = error
    }
    for problem in served.problems() { Issue.record("a script failed: \(problem)") }
    return (failure, served.count)
  }

  /// The engines of a run.
  private final class Served {
    private let engines: [@Sendable (Stage) throws -> Void]
    private let terminal: PseudoTerminal
    private var threads: [BackgroundThread] = []

    init(_ engines: [@Sendable (Stage) throws -> Void], _ terminal: PseudoTerminal) {
      self.engines = engines
      self.terminal = terminal
    }

    var count: Int { threads.count }

    func connect() throws(VaultClientError) -> VaultClient.Connection {
      guard count < engines.count, let (client, engine) = try? UnixSocket.pair(),
        let (key, unused) = try? UnixSocket.pair()
      else { throw .disconnected }
      close(unused)
      let stage = Stage(terminal: terminal, engine: engine, interruptKey: key)
      let script = engines[count]
      threads.append(BackgroundThread { try script(stage) })
      return try Connection(Descriptor(owning: client))
    }

    func problems() -> [any Error] { threads.compactMap { $0.join() } }
  }

  private static let killed: @Sendable (Stage) throws -> Void = { stage in
    _ = try stage.expect(AccessTokenCall.self)
    stage.hangUp()
  }

  @Test(arguments: [1, 2, 4])
  func aTokenOutlivesEnginesThatAreKilledOneAfterTheOther(_ kills: Int) throws {
    let engines = [@Sendable (Stage) throws -> Void](repeating: Self.killed, count: kills)
    let (failure, connections) = try run(
      ["token", "me"],
      engines + [
        { stage in
          _ = try stage.expect(AccessTokenCall.self)
          try stage.reply(Self.token)
        }
      ]
    )
    #expect(failure == nil)
    #expect(connections == kills + 1)
  }

  /// The next engine is asked for the same records; `AuditFollowTests` checks that none is shown
  /// twice.
  @Test
  func followingTheAuditLogOutlivesAnEngine() throws {
    let record = VaultAuditRecord(number: 1, time: 0, event: "lock", outcome: "done")
    let (failure, connections) = try run(
      ["audit", "--follow"],
      [
        { stage in
          _ = try stage.expect(AuditCall.self)
          try stage.reply(AuditReply(record: record), continues: true)
          stage.hangUp()
        },
        { stage in
          #expect(try stage.expect(AuditCall.self) == AuditCall(follow: true))
          try stage.reply(AuditReply())
        },
      ]
    )
    #expect(failure == nil)
    #expect(connections == 2)
  }

  @Test
  func anEngineThatAlwaysDiesIsGivenUpAfterAFewTries() throws {
    let engines = [@Sendable (Stage) throws -> Void](repeating: Self.killed, count: 20)
    let (failure, connections) = try run(["token", "me"], engines)
    #expect(failure?.code == .unavailable)
    #expect(failure?.hint == "the request may have been carried out; try again")
    #expect((3...8).contains(connections))
  }

  /// The engine may have carried it out before it died, so it must not be sent again.
  @Test
  func whatMustNotHappenTwiceIsSentOnce() throws {
    let (failure, connections) = try run(
      ["account", "rename", "me", "work"],
      [
        { stage in
          _ = try stage.expect(RenameAccountCall.self)
          stage.hangUp()
        },
        { stage in try stage.expectEnd() },
      ]
    )
    #expect(failure?.code == .unavailable)
    #expect(connections == 1)
    // The message does not claim that nothing has happened.
    let hint = failure?.hint ?? ""
    #expect(hint.contains("may have taken effect") && hint.contains("thumblatch status"), "\(hint)")
  }
}
