import Presence
import PresenceTerms
import Testing

@testable import TokenVault

/// Limits on prompts for a person who is asked repeatedly.
@Suite(.timeLimit(.minutes(10)))
struct PromptFloodTests {
  let bench: Bench

  init() throws { bench = try Bench() }

  /// A vault with a protected account whose token has expired.
  func open() async throws -> Vault {
    let vault = try await bench.open(promptLimit: PromptLimit())
    try await bench.signIn(vault)
    try await bench.protect(vault)
    bench.clock.advance(3600)
    return vault
  }

  enum Answer: Equatable {
    case prompt(String)
    case busy(String)
    case other

    /// The prompt that was opened.
    var prompt: String? { if case .prompt(let name) = self { name } else { nil } }
  }

  func ask(_ vault: Vault, _ caller: Caller) async -> Answer {
    switch await failure({ _ = try await vault.token(caller: caller) }) {
    case .presenceNeeded(let need): .prompt(need.prompt)
    case .tooManyPrompts(let wait): .busy("\(wait) s")
    default: .other
    }
  }

  /// Asks from these connections, one after the other.
  ///
  /// Each gets a prompt.
  func crowd(
    _ connections: Range<UInt64>,
    _ vault: Vault
  ) async throws -> [(UInt64, String)] {
    var prompts: [(UInt64, String)] = []
    for connection in connections {
      let answer = await ask(vault, caller(connection))
      prompts.append((connection, try #require(answer.prompt, "connection \(connection)")))
    }
    return prompts
  }

  /// The outcomes of 500 requests within ten seconds.
  func flood(
    _ vault: Vault,
    _ each: (Int) async -> Answer
  ) async -> (prompts: Int, busy: Int) {
    var (prompts, busy) = (0, 0)
    for number in 0..<500 {
      switch await each(number) {
      case .prompt: prompts += 1
      case .busy: busy += 1
      case .other: Issue.record("neither")
      }
      if number % 50 == 49 && number < 499 { bench.clock.advance(1) }
    }
    return (prompts, busy)
  }

  @Test
  func ofFiveHundredRequestsOnOneConnectionThreeAreAsked() async throws {
    let vault = try await open()
    let counts = await flood(vault) { _ in await ask(vault, caller()) }
    #expect(counts == (3, 497))
    // No reader and no PAM stack was used for the others.
    #expect(await vault.prompts.names.count == 3)
  }

  @Test
  func whoHangsUpAndComesAgainIsCountedAllTheSame() async throws {
    let vault = try await open()
    let counts = await flood(vault) { number in
      let caller = caller(UInt64(100 + number))
      let answer = await ask(vault, caller)
      await vault.disconnect(caller.connection)
      return answer
    }
    #expect(counts == (3, 497))
    #expect(await vault.prompts.isEmpty)
    // Refusals are counted, and the audit log gets at most one record for each caller.
    try await vault.flushCounts()
    let refusals = try await vault.events().filter { $0 == "refusal refused" }
    #expect(refusals.count <= 21)
  }

  @Test
  func aBackgroundCallCostsNoPrompt() async throws {
    let vault = try await open()
    for connection: UInt64 in 100..<200 {
      let need = try await need {
        _ = try await vault.token(caller: caller(connection, asking: .never))
      }
      #expect(need.prompt.isEmpty && need.methods.isEmpty)
      #expect(need.purpose == .refresh && need.account == "me")
    }
    #expect(await vault.prompts.isEmpty)
    #expect(bench.exchange.refreshes.isEmpty)
    // Permitted callers get as many prompts as before, and a passed prompt serves all of them.
    for _ in 0..<2 {
      guard case .prompt = await ask(vault, caller()) else {
        Issue.record("not asked")
        return
      }
    }
    try await bench.unlock(vault)
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(caller: caller(asking: .never)).accessToken == "at-2")
  }

  /// A status bar that polls, with a client that does not say when it shows prompts.
  @Test
  func aPromptThatIsNeverShownIsNotCounted() async throws {
    let vault = try await open()
    for number: UInt64 in 100..<140 {
      let prompt = await ask(vault, caller(number, asking: .unsaid)).prompt
      #expect(prompt?.isEmpty == false)
      await vault.disconnect(number)
    }
    for number: UInt64 in 200..<203 {
      #expect(await ask(vault, caller(number)).prompt?.isEmpty == false)
    }
  }

  /// Opening a prompt is work for the engine, and looks for a reader.
  @Test
  func promptsThatAreNeverShownAreOpenedOnlySoOften() async throws {
    let vault = try await open()
    let counts = await flood(vault) { number in
      let caller = caller(UInt64(100 + number), asking: .unsaid)
      let answer = await ask(vault, caller)
      await vault.disconnect(caller.connection)
      return answer
    }
    #expect((64...74).contains(counts.prompts))
    // This causes no wait for the person.
    #expect(await ask(vault, caller()).prompt != nil)
  }

  /// A client that shows prompts without saying so gets the same limit.
  @Test
  func aPromptThatIsShownCountsWhateverItsClientSaid() async throws {
    let vault = try await open()
    var shown = 0
    var busy = 0
    for number: UInt64 in 100..<120 {
      let caller = caller(number, asking: .unsaid)
      guard let prompt = await ask(vault, caller).prompt else {
        busy += 1
        continue
      }
      bench.check.plan([.failed(.timedOut)])
      let refusal = await failure {
        _ = try await vault.check(prompt, by: .password, caller: caller) { _ in }
      }
      if case .tooManyPrompts? = refusal { busy += 1 } else { shown += 1 }
      await vault.disconnect(number)
      bench.clock.advance(1)
    }
    #expect(shown <= 4 && busy >= 16, "\(shown) shown, \(busy) refused")
  }

  /// A prompt that was shown and left to its end is a refusal, as one that was cancelled is.
  @Test
  func aPromptThatIsLeftToExpireMakesTheNextOneWait() async throws {
    let vault = try await open()
    for number in 0..<3 {
      guard let prompt = await ask(vault, caller()).prompt else {
        #expect(number == 2)
        return
      }
      bench.check.plan([.failed(.timedOut)])
      _ = await failure {
        _ = try await vault.check(prompt, by: .password, caller: caller()) { _ in }
      }
      bench.clock.advance(PromptBook.lifetime + 1)
      await vault.sweep()
      #expect(await vault.prompts.isEmpty)
    }
    Issue.record("nobody had to wait")
  }

  /// A prompt that was only opened pays for no other prompt.
  @Test
  func aPromptThatWasNotShownIsNoneToJoin() async throws {
    let vault = try await open()
    _ = try #require(await ask(vault, caller(99, asking: .unsaid)).prompt)
    let counts = await flood(vault) { _ in await ask(vault, caller()) }
    #expect(counts == (3, 497))
  }

  @Test
  func aRefusalIsFollowedByAPauseThatGrows() async throws {
    let vault = try await open()
    var waits: [String] = []
    for connection: UInt64 in 10..<13 {
      guard case .prompt(let prompt) = await ask(vault, caller(connection)) else {
        Issue.record("not asked")
        return
      }
      // A wrong password does not count, because it has its own wait.
      bench.check.plan([.failed(.cancelled)])
      _ = await failure {
        _ = try await vault.check(prompt, by: .password, caller: caller(connection)) { _ in }
      }
      await vault.cancel(prompt, caller: caller(connection))
      switch await ask(vault, caller(connection)) {
      case .busy(let words): waits.append(words)
      // After a single cancel the next prompt opens at once.
      case .prompt(let next):
        waits.append("0 s")
        await vault.cancel(next, caller: caller(connection))
      case .other: Issue.record("neither asked nor refused")
      }
      bench.clock.advance(30)
    }
    #expect(
      waits == ["0 s", "5 s", "10 s"]
    )
  }

  @Test
  func whoPassesIsNeverKeptWaiting() async throws {
    let vault = try await open()
    for number in 0..<20 {
      bench.clock.advance(3600)
      // All at one moment, as in a script that does many things.
      for _ in 0..<2 {
        let need = try await need {
          _ = try await vault.testPresence(prompt: nil, caller: caller())
        }
        try await bench.pass(need, vault, caller())
        _ = try await vault.testPresence(prompt: need.prompt, caller: caller())
      }
      let need = try await need { _ = try await vault.token() }
      try await bench.pass(need, vault, caller())
      bench.exchange.plan(.tokens(access: "at-\(number)", refresh: "rt-\(number)"))
      #expect(try await vault.token(prompt: need.prompt).accessToken == "at-\(number)")
    }
  }
}
