import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// A call that ends before its prompt is open does not use up the person's limit of prompts.
@Suite(.timeLimit(.minutes(10)))
struct UnshownPromptTests {
  private let bench: Bench
  private let locations = ScriptedPlaces()
  private let administrator = Administrator()

  init() throws {
    bench = try Bench()
    // Connections 1 to 9 are at the machine, all others come over the network.
    for connection: UInt64 in 1...9 { locations.seat(connection, at: "session 1") }
  }

  /// A vault with a protected account whose token has expired.
  private func open(policy: String = "") async throws -> Vault {
    administrator.write(policy)
    let vault = try await bench.open(
      rules: administrator,
      promptLimit: PromptLimit(),
      locations: locations
    )
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    return vault
  }

  private func ask(_ vault: Vault, _ caller: Caller) async -> VaultFailure? {
    await failure { _ = try await vault.token(caller: caller) }
  }

  /// How many of ten calls at the machine get a prompt, one after the other.
  private func prompts(_ vault: Vault, asking: Caller.Asking = .atOnce) async -> Int {
    var count = 0
    for _ in 0..<10 {
      if case .presenceNeeded? = await ask(vault, caller(9, asking: asking)) { count += 1 }
      await vault.disconnect(9)
    }
    return count
  }

  /// A loop in a terminal over the network must not prevent prompts for the person at the machine.
  @Test(arguments: [(Caller.Asking.atOnce, 3), (.unsaid, 10)])
  func aPromptThatIsRefusedByPolicy(_ asking: Caller.Asking, _ expected: Int) async throws {
    let vault = try await open(policy: "[Policy]\nremote = deny\n")
    for connection: UInt64 in 100..<300 {
      guard case .refused? = await ask(vault, caller(connection, asking: asking)) else {
        Issue.record("not refused")
        return
      }
    }
    #expect(await vault.prompts.isEmpty)
    #expect(await prompts(vault, asking: asking) == expected)
  }

  @Test
  func aPromptThatIsOneTooManyOnItsConnection() async throws {
    let vault = try await open()
    for _ in 0..<PromptBook.mostPerConnection {
      guard case .presenceNeeded? = await ask(vault, caller(1, asking: .unsaid)) else {
        Issue.record("not opened")
        return
      }
    }
    for asking in [Caller.Asking.atOnce, .unsaid] {
      for _ in 0..<100 {
        guard case .busy? = await ask(vault, caller(1, asking: asking)) else {
          Issue.record("not busy")
          return
        }
      }
    }
    #expect(await prompts(vault, asking: .unsaid) == 10)
    #expect(await prompts(vault) == 3)
  }

  @Test
  func aPromptWhoseFingersCannotBeRead() async throws {
    let vault = try await open()
    func rename(_ table: String, to name: String) async throws {
      _ = try await vault.inspect { try $0.database.run("ALTER TABLE \(table) RENAME TO \(name)") }
    }
    // The read of the fingers that the password has confirmed fails.
    try await rename("enrolled_sets", to: "hidden_sets")
    for _ in 0..<20 {
      switch await ask(vault, caller(1)) {
      case nil, .presenceNeeded?, .tooManyPrompts?: Issue.record("it was read, or counted")
      default: break
      }
    }
    try await rename("hidden_sets", to: "enrolled_sets")
    #expect(await prompts(vault) == 3)
  }

  @Test
  func aPromptWhoseCallerHangsUpBeforeItIsOpen() async throws {
    let vault = try await open()
    for connection: UInt64 in 2...6 { try await hangUp(vault, connection) }
    #expect(await vault.prompts.isEmpty)
    #expect(await prompts(vault) == 3)
  }

  /// Each look starts a helper, so a program that hangs up in time has its own limit.
  @Test
  func callersWhoHangUpAreLookedForOnlySoOften() async throws {
    let vault = try await open()
    for _ in 0..<64 { try await hangUp(vault, 2) }
    let looks = bench.check.desktopQuestions
    #expect(await ask(vault, caller(2)) == .tooManyPrompts(retryAfter: 1))
    #expect(bench.check.desktopQuestions == looks)
    bench.clock.advance(1)
    guard case .presenceNeeded? = await ask(vault, caller(2)) else {
      Issue.record("not asked")
      return
    }
  }

  /// Prompts in preparation each pay for themselves: only an open prompt can be joined.
  @Test
  func aPromptThatIsMadeReadyPaysForNoOther() async throws {
    let vault = try await open()
    bench.check.holdDesktop()
    let late = Task { await ask(vault, caller(2)) }
    await bench.check.untilHeld()
    bench.check.stopHolding()
    #expect(await prompts(vault) == 3)
    bench.check.release()
    // This prompt itself is too late.
    #expect(await late.value == .tooManyPrompts(retryAfter: 15))
    #expect(await vault.prompts.isEmpty)
  }

  /// Requests a token while the desktop's fingers are looked up, and hangs up before that ends.
  private func hangUp(_ vault: Vault, _ connection: UInt64) async throws {
    bench.check.holdDesktop()
    let gone = Task { await ask(vault, caller(connection)) }
    await bench.check.untilHeld()
    await vault.disconnect(connection)
    bench.check.release()
    #expect(await gone.value == .presenceFailed(.cancelled, methods: []))
  }
}
