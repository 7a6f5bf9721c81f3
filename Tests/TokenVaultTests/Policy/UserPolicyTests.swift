import Configuration
import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// A user tightens the machine's policy, and cannot loosen it in another way.
@Suite(.timeLimit(.minutes(10)))
struct UserPolicyTests {
  let bench: Bench
  private let administrator = Administrator()

  init() throws { bench = try Bench() }

  private func refusal(_ body: () async throws -> Void) async -> String {
    guard case .refused(let words)? = await failure(body) else { return "" }
    return words
  }

  private func isPresenceFailure(_ body: () async throws -> Void) async -> Bool {
    guard case .presenceFailed? = await failure(body) else { return false }
    return true
  }

  func isUnsafe(_ body: () async throws -> Void) async -> Bool {
    guard case .vaultUnsafe? = await failure(body) else { return false }
    return true
  }

  // MARK: - The effective rules

  @Test
  func aTighterWindowHoldsFromThenOnAndClosesTheOpenOne() async throws {
    let vault = try await bench.open()
    #expect(try await bench.unlock(vault).unlockedFor == 600)
    #expect(try await bench.setRule(vault, "window", "5"))
    #expect(try await vault.facts(for: caller()).unlockedFor == nil)
    #expect(try await bench.unlock(vault).unlockedFor == 300)
    let records = try await vault.auditPage(after: 0, since: nil, account: nil)
    let change = try #require(records.first { $0.event == "policy-changed" })
    #expect(change.outcome == "done" && change.method == "password")
    #expect(change.detail == "window: the default 10 min → 5 min")
    let lock = try #require(records.last { $0.event == "lock" })
    #expect(lock.detail == "the policy was changed")

    try await bench.setRule(vault, "window-limit", "1")
    #expect(
      await refusal { _ = try await vault.unlock([], seconds: 3601, prompt: nil, caller: caller()) }
        == "an unlock window is at most 1 h long (window-limit, your own rule: thumblatch policy)"
    )
    // Without the rule everything is as before.
    try await bench.setRule(vault, "window", nil)
    try await bench.setRule(vault, "window-limit", nil)
    #expect(try await bench.unlock(vault).unlockedFor == 600)
    #expect(try await bench.unlock(vault, seconds: 43_200).unlockedFor == 43_200)
    #expect(try await vault.verifyAuditLog().isWhole)
  }

  @Test
  func ofTheMachinesRuleAndOnesOwnTheStricterHoldsAlways() async throws {
    let vault = try await bench.open(rules: administrator)
    func window() async throws -> (own: String?, holds: String?) {
      let rules = try await vault.policyFacts().rules
      let rule = try #require(rules.first { $0.key == .window })
      let length = try #require(try await bench.unlock(vault).unlockedFor)
      #expect(rule.holds == "\(length / 60)")
      return (rule.own, rule.holds)
    }
    try await bench.setRule(vault, "window", "5")
    #expect(try await window() == ("5", "5"))
    administrator.write("[Policy]\nwindow = 3\n")
    #expect(try await window() == ("5", "3"))
    administrator.write("[Policy]\nwindow = 60\n")
    #expect(try await window() == ("5", "5"))
    administrator.write("")
    #expect(try await window() == ("5", "5"))
    // A rule equal to the machine's rule stays when the machine's rule goes.
    try await bench.setRule(vault, "window", "10")
    administrator.write("[Policy]\nwindow = 60\n")
    #expect(try await window() == ("10", "10"))
    try await bench.setRule(vault, "window", nil)
    #expect(try await window() == (nil, "60"))
  }

  @Test
  func aLaxerRuleOrOneNotForUsersIsRefusedWithoutAPrompt() async throws {
    administrator.write("[Policy]\nremote = deny\nwindow = 5\nwindow-limit = 2\n")
    let vault = try await bench.open(rules: administrator, locations: ScriptedPlaces())
    let events = try await vault.events()
    func says(_ key: String, _ value: String?) async -> String {
      await refusal { _ = try await vault.setRule(key, to: value, prompt: nil, caller: caller()) }
    }
    #expect(
      await says("window", "6")
        == "window = 6 is laxer than the machine's, 5 (window in \(Policy.file)):"
        + " a user may only tighten it"
    )
    #expect(await says("window-limit", "3").contains("(window-limit in \(Policy.file))"))
    #expect(await says("remote", "password").contains("(remote in \(Policy.file))"))
    for key in ["accounts", "store"] {
      for value in ["1", nil] {
        #expect(
          await says(key, value)
            == "\(key) can be set only by the machine's administrator (\(key) in \(Policy.file))"
        )
      }
    }
    for (key, value) in [("windows", "1"), ("window", "0"), ("window", "5m"), ("remote", "no")] {
      let failure = await failure {
        _ = try await vault.setRule(key, to: value, prompt: nil, caller: caller())
      }
      guard case .invalidArgument? = failure else {
        Issue.record("\(key) \(value): \(String(describing: failure))")
        continue
      }
    }
    administrator.write("[Policy]\nwindwo = 5\n")
    let broken = await failure {
      _ = try await vault.setRule("window", to: "1", prompt: nil, caller: caller())
    }
    guard case .misconfigured? = broken else {
      Issue.record("\(String(describing: broken))")
      return
    }
    #expect(try await vault.events() == events)
    #expect(try await vault.inspect { try $0.meta(Vault.ownRulesKey) } == nil)
  }

  @Test
  func aRuleThatIsAlreadySetOpensNoPrompt() async throws {
    let vault = try await bench.open()
    #expect(try await !vault.setRule("window", to: nil, prompt: nil, caller: caller()).changed)
    try await bench.setRule(vault, "window", "5")
    try await bench.unlock(vault)
    let (facts, changed) = try await vault.setRule(
      "window",
      to: "5",
      prompt: nil,
      caller: caller()
    )
    #expect(!changed && facts.rules.first { $0.key == .window }?.own == "5")
    // Nor does it lock anything.
    #expect(try await vault.facts(for: caller()).unlockedFor == 300)
  }

  @Test
  func aVaultOfOnesOwnSaysWhichRulesHaveNoEffectInIt() async throws {
    let vault = try await bench.open()
    let failure = await failure {
      _ = try await vault.setRule("remote", to: "deny", prompt: nil, caller: caller())
    }
    guard case .invalidArgument(let words)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(words.hasPrefix("remote has no effect in a private vault"))
    let facts = try await vault.policyFacts()
    #expect(facts.file == nil)
    #expect(
      facts.rules.filter { $0.holds == nil }.map(\.key) == [
        .remote, .desktop, .notify, .providers, .privateVaults, .journal, .store,
      ]
    )
    #expect(
      await refusal {
        _ = try await vault.setRule("window", to: "11", prompt: nil, caller: caller())
      } == "window = 11 is laxer than the default, 10: a user may only tighten it"
    )
  }

  // MARK: - The proof

  @Test
  func aChangeNeedsThePasswordGivenForThisVeryChange() async throws {
    let vault = try await bench.open()
    try await bench.enroll(vault)
    try await bench.unlock(vault)
    func set(_ value: String?, _ prompt: String?, _ who: Caller = caller()) async throws {
      _ = try await vault.setRule("window", to: value, prompt: prompt, caller: who)
    }
    let asked = try await need { try await set("5", nil) }
    #expect(asked.purpose == .policy && asked.methods == [.password] && asked.account == nil)
    #expect(asked.detail == "window: the default 10 min → 5 min")
    // No finger counts, even if one is on the reader.
    bench.check.plan([.matched])
    let finger = await isPresenceFailure {
      _ = try await vault.check(asked.prompt, by: .fingerprint, caller: caller()) { _ in }
    }
    let early = await isPresenceFailure { try await set("5", asked.prompt) }
    #expect(finger && early)
    // The proof does not count for another value, another purpose, or another connection with the
    // same request.
    let sameRequest = try await need { try await set("5", nil, caller(2)) }
    try await bench.pass(asked, vault, caller())
    let other = await isPresenceFailure { try await set("4", asked.prompt) }
    let joined = await isPresenceFailure { try await set("5", sameRequest.prompt, caller(2)) }
    let test = try await need {
      _ = try await vault.testPresence(prompt: nil, caller: caller())
    }
    try await bench.pass(test, vault, caller())
    let foreign = await isPresenceFailure { try await set("5", test.prompt) }
    #expect(other && joined && foreign)
    #expect(try await vault.policyFacts().rules.allSatisfy { $0.own == nil })
    #expect(try await !vault.events().contains("policy-changed done"))
    #expect(try await vault.facts(for: caller()).unlockedFor == 600)
  }

  @Test
  func aProofOfBeforeAnotherChangeIsNoneAnyMore() async throws {
    let vault = try await bench.open(rules: administrator)
    let asked = try await need {
      _ = try await vault.setRule("window", to: "5", prompt: nil, caller: caller(2))
    }
    try await bench.pass(asked, vault, caller(2))
    // The prompt showed "10 → 5", and now it would be "8 → 5".
    administrator.write("[Policy]\nwindow = 8\n")
    #expect(
      await isPresenceFailure {
        _ = try await vault.setRule("window", to: "5", prompt: asked.prompt, caller: caller(2))
      }
    )
    administrator.write("")
    // A change ends every earlier prompt, passed or not.
    let unlock = try await need {
      _ = try await vault.unlock([], seconds: nil, prompt: nil, caller: caller(3))
    }
    try await bench.pass(unlock, vault, caller(3))
    try await bench.setRule(vault, "window", "2")
    #expect(
      await isPresenceFailure {
        _ = try await vault.unlock([], seconds: nil, prompt: unlock.prompt, caller: caller(3))
      }
    )
    #expect(try await vault.facts(for: caller(3)).unlockedFor == nil)
  }

  // MARK: - From elsewhere

  @Test
  func remoteDenyTakesEffectAtOnceAndIsUndoneOnlyAtTheMachine() async throws {
    let locations = ScriptedPlaces()
    locations.seat(1, at: "session 1")
    locations.seat(4, at: "session 3", objection: "remote session")
    let vault = try await bench.open(rules: administrator, locations: locations)
    try await bench.unlock(vault, caller: caller(4))
    let open = try await need {
      _ = try await vault.testPresence(prompt: nil, caller: caller(4))
    }
    try await bench.setRule(vault, "remote", "deny")
    #expect(try await vault.facts(for: caller(4)).unlockedFor == nil)
    let late = await isPresenceFailure {
      _ = try await vault.check(open.prompt, by: .password, caller: caller(4)) { _ in }
    }
    #expect(late)
    let words =
      "no presence check is made from here (remote session): remote = deny, your own rule;"
      + " at this machine itself: thumblatch policy remote default"
    #expect(await refusal { _ = try await bench.unlock(vault, caller: caller(4)) } == words)
    let back = await refusal {
      _ = try await vault.setRule("remote", to: nil, prompt: nil, caller: caller(4))
    }
    #expect(back == words)
    #expect(try await bench.unlock(vault).unlockedFor == 600)
    // If the machine denies as well, the error names the machine.
    administrator.write("[Policy]\nremote = deny\n")
    let machine = await refusal { _ = try await bench.unlock(vault, caller: caller(4)) }
    #expect(machine.hasSuffix("remote = deny in \(Policy.file)"))
    administrator.write("")
    try await bench.setRule(vault, "remote", nil)
    #expect(try await bench.unlock(vault, caller: caller(4)).unlockedFor == 600)
  }
}

extension Bench {
  /// Sets a rule of the user's own, with the password.
  @discardableResult
  func setRule(
    _ vault: Vault,
    _ key: String,
    _ value: String?
  ) async throws -> Bool {
    let asked = try await need {
      _ = try await vault.setRule(key, to: value, prompt: nil, caller: caller())
    }
    #expect(asked.purpose == .policy && asked.methods == [.password])
    try await pass(asked, vault, caller())
    return try await vault.setRule(
      key,
      to: value,
      prompt: asked.prompt,
      caller: caller()
    ).changed
  }
}
