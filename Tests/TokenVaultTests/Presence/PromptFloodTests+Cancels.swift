import Presence
import PresenceTerms
import Testing

@testable import TokenVault

// Cancels at the person's own terminal.
extension PromptFloodTests {
  /// Ctrl-C at the person's own command does not refuse another program's prompt.
  @Test(
    arguments: [
      ([34_817, 34_817, 34_817], ["0 s", "0 s", "0 s"]),
      ([nil, nil, nil], ["0 s", "5 s", "10 s"]),
      // Not a person, but a program that uses another terminal each time.
      ([34_817, 34_818, 34_819], ["0 s", "0 s", "5 s"]),
    ] as [([Int32?], [String])]
  )
  func aCancelAtTheSameTerminalCountsLess(_ terminals: [Int32?], _ expected: [String]) async throws
  {
    let vault = try await open()
    var waits: [String] = []
    for terminal in terminals {
      let caller = caller(10, terminal: terminal)
      let prompt = try #require(await ask(vault, caller).prompt)
      bench.check.plan([.failed(.cancelled)])
      _ = await failure {
        _ = try await vault.check(prompt, by: .password, caller: caller) { _ in }
      }
      await vault.cancel(prompt, caller: caller)
      switch await ask(vault, caller) {
      case .busy(let wait): waits.append(wait)
      case .prompt(let next):
        waits.append("0 s")
        await vault.cancel(next, caller: caller)
      case .other: Issue.record("neither asked nor refused")
      }
      bench.clock.advance(30)
    }
    #expect(waits == expected)
  }

  /// Each is another command at that terminal, and all of them are typed within a moment.
  @Test
  func aPersonMayCancelFiveCommandsInARow() async throws {
    let vault = try await open()
    for number: UInt64 in 10..<15 {
      let caller = caller(number, terminal: 34_817)
      let prompt = try #require(await ask(vault, caller).prompt, "command \(number)")
      bench.check.plan([.failed(.cancelled)])
      _ = await failure {
        _ = try await vault.check(prompt, by: .password, caller: caller) { _ in }
      }
      await vault.cancel(prompt, caller: caller)
    }
    #expect(await ask(vault, caller(15, terminal: 34_817)) == .busy("5 s"))
  }
}
