import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Checks of users at several locations.
extension CallerLocationTests {
  @Test
  func aCheckIsSharedWithinOnePlaceOnly() async throws {
    let desks = try await Desks()
    let (bench, vault) = (desks.bench, desks.vault)
    func prompt(_ connection: UInt64) async throws -> String {
      try await need { _ = try await vault.token(caller: caller(connection)) }.prompt
    }
    let (first, second, third) = (try await prompt(1), try await prompt(2), try await prompt(3))
    let begun = bench.check.conversations.count
    async let leader = vault.check(first, by: .fingerprint, caller: caller(1)) { _ in }
    let reader = await bench.check.conversation(begun + 1)
    let notice = Box<CheckNotice>()
    async let joinedWaiter = vault.check(second, by: .fingerprint, caller: caller(2)) {
      notice.put($0)
    }
    while notice.value == nil { await Task.yield() }
    #expect(notice.value == .waiting)
    let stranger = await failure {
      _ = try await vault.check(third, by: .fingerprint, caller: caller(3)) { _ in }
    }
    guard case .busy? = stranger else {
      Issue.record("\(String(describing: stranger))")
      return
    }
    reader.tell(.ready)
    reader.tell(.matched)
    #expect(try await leader == .passed)
    #expect(try await joinedWaiter == .passed)
    #expect(bench.check.conversations.count == begun + 1)
    // It answers no prompt that was shown elsewhere.
    let again = await failure {
      _ = try await vault.token(prompt: third, caller: caller(3))
    }
    guard case .presenceFailed? = again else {
      Issue.record("\(String(describing: again))")
      return
    }
    bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    #expect(try await vault.token(prompt: first, caller: caller(1)).accessToken == "at-2")
    #expect(try await vault.token(prompt: second, caller: caller(2)).accessToken == "at-2")
  }

  @Test
  func whoChoosesThePasswordWhileThePlaceIsLookedAtGetsIt() async throws {
    let desks = try await Desks()
    let vault = desks.vault
    let need = try await need { _ = try await vault.token(caller: caller(1)) }
    // The call for the password cancels the check by finger.
    let finger = Task {
      while !Task.isCancelled { await Task.yield() }
      return await failure {
        _ = try await vault.check(need.prompt, by: .fingerprint, caller: caller(1)) { _ in }
      }
    }
    finger.cancel()
    guard case .presenceFailed(.cancelled, let methods)? = await finger.value else {
      Issue.record("\(String(describing: await finger.value))")
      return
    }
    #expect(methods.contains(.password))
  }

  @Test
  func noSecurityKeyCountsFromAfarEither() async throws {
    let desks = try await Desks()
    try await desks.vault.inspect { store in
      let row = SecurityKeyRow(
        id: [UInt8](repeating: 1, count: 16),
        owner: ThisProcess.user,
        name: "blue",
        sealed: [1],
        enrolledAt: 1
      )
      try store.transaction { try store.insert(row) }
    }
    let far = try await need { _ = try await desks.vault.token(caller: caller(4)) }
    #expect(far.methods == [.password])
    #expect(far.reason == "no finger or security key counts from here: remote session")
    let near = try await need { _ = try await desks.vault.token(caller: caller(1)) }
    #expect(near.methods == [.fingerprint, .key, .password] && near.reason == nil)
  }

  @Test
  func noFingerCountsFromAfarAndThePersonIsToldWhy() async throws {
    let desks = try await Desks()
    let far = try await need { _ = try await desks.vault.token(caller: caller(4)) }
    #expect(far.methods == [.password])
    #expect(far.reason == "no finger counts from here: remote session")
    let near = try await need { _ = try await desks.vault.token(caller: caller(1)) }
    #expect(near.methods == [.fingerprint, .password] && near.reason == nil)
    let unknown = try await need { _ = try await desks.vault.token(caller: caller(9)) }
    #expect(unknown.methods == [.password])
    #expect(unknown.reason == "no finger counts from here: logind does not answer")
    let begun = desks.bench.check.conversations.count
    let asked = await failure {
      _ = try await desks.vault.check(far.prompt, by: .fingerprint, caller: caller(4)) { _ in }
    }
    #expect(
      asked
        == .presenceFailed(
          .notAvailable("no finger counts from here: remote session"),
          methods: [.password]
        )
    )
    #expect(desks.bench.check.conversations.count == begun)
    try await desks.bench.pass(far, desks.vault, caller(4))
    desks.bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2"))
    _ = try await desks.vault.token(prompt: far.prompt, caller: caller(4))
  }

  /// The location can change between the opening of the prompt and the arming of the reader.
  @Test
  func thePlaceIsLookedAtAgainBeforeTheReaderIsArmed() async throws {
    let desks = try await Desks()
    let begun = desks.bench.check.conversations.count
    func prompt() async throws -> String {
      try await need { _ = try await desks.vault.token(caller: caller(1)) }.prompt
    }
    func attempt(_ prompt: String, _ method: PresenceMethod = .fingerprint) async -> VaultFailure? {
      await failure {
        _ = try await desks.vault.check(prompt, by: method, caller: caller(1)) { _ in }
      }
    }
    let inactive = try await prompt()
    desks.locations.seat(1, at: "session 1", objection: "not active", isLocal: true)
    let objection = PresenceFailure.notAvailable("no finger counts from here: not active")
    #expect(await attempt(inactive) == .presenceFailed(objection, methods: [.password]))
    desks.locations.seat(1, at: "session 1")
    for method in PresenceMethod.allCases {
      let moved = try await prompt()
      desks.locations.seat(1, at: "session 2")
      let refusal = await attempt(moved, method)
      guard case .presenceFailed(let found, [])? = refusal, found.outcome == .denied else {
        Issue.record("a prompt went along")
        return
      }
      desks.locations.seat(1, at: "session 1")
    }
    #expect(desks.bench.check.conversations.count == begun)
  }

  @Test(arguments: [
    ("remote session", false), ("no session", false), ("logind does not answer", false),
    ("no seat", false), ("not active", true), ("its screen is locked", true),
  ])
  func withDenyOnlyWhoIsAtTheMachineIsAsked(_ objection: String, _ isLocal: Bool) async throws {
    let desks = try await Desks(policy: "[Policy]\nremote = deny\n")
    desks.locations.seat(4, at: "session 3", objection: objection, isLocal: isLocal)
    let answer = await failure { _ = try await desks.vault.token(caller: caller(4)) }
    if isLocal {
      guard case .presenceNeeded(let need)? = answer else {
        Issue.record("\(String(describing: answer))")
        return
      }
      #expect(need.methods == [.password])
    } else {
      #expect(
        answer
          == .refused(
            "no presence check is made from here (\(objection)):"
              + " remote = deny in /etc/thumblatch/thumblatch.conf"
          )
      )
      #expect(await desks.vault.prompts.isEmpty)
      // The same holds if the prompt was opened earlier.
      desks.locations.seat(4, at: "session 3")
      let need = try await need { _ = try await desks.vault.token(caller: caller(4)) }
      desks.locations.seat(4, at: "session 3", objection: objection, isLocal: false)
      let late = await failure {
        _ = try await desks.vault.check(need.prompt, by: .password, caller: caller(4)) { _ in }
      }
      guard case .refused? = late else {
        Issue.record("\(String(describing: late))")
        return
      }
    }
    // A call that needs no check continues.
    try await desks.bench.signIn(desks.vault, "open", refresh: "rt-open", lifetime: 1)
    desks.bench.exchange.plan(.tokens(access: "at-3", refresh: "rt-3"))
    #expect(try await desks.vault.token("open", caller: caller(4)).accessToken == "at-3")
  }
}
