import Testing

@testable import ThumblatchKit

/// The state against a model that is written in another way: flat, without a type that excludes
/// combinations.
@Suite(.timeLimit(.minutes(10)))
struct StateModelTests {
  private struct Model {
    var user: User?
    var signedIn = false
    var needsLogin = false
    var reason: String?
    var protected = false
    var open = false
    var offline = false
    var authenticating = false
    var prompts: [PresencePrompt] = []
    var failure: AuthError?

    var state: AuthState {
      if !prompts.isEmpty { return .presencePrompt(prompts[0]) }
      if authenticating { return .authenticating }
      if let failure { return .error(failure) }
      guard let user else { return .unauthenticated }
      if needsLogin { return .loginRequired(user, reason: reason) }
      if protected && !open { return .locked(user) }
      return offline ? .offline(user) : .authenticated(user)
    }

    mutating func sees(_ seen: User, protected isProtected: Bool, open isOpen: Bool) {
      if !signedIn { offline = false }
      user = seen
      signedIn = true
      needsLogin = false
      protected = isProtected
      open = isOpen
    }

    mutating func needsLogin(of dead: User, reason why: String) {
      clear()
      user = dead
      needsLogin = true
      reason = why
    }

    mutating func clear() {
      user = nil
      signedIn = false
      needsLogin = false
      protected = false
      open = false
      offline = false
    }
  }

  private enum Event: CaseIterable {
    case sawNothing, sawSignedOut, sawDead, sawPlain, sawLocked, sawOpen
    case opened, closed, reachable, unreachable, signInEnded, signedOut
    case beginLogin, endLogin, beginPrompt, endPrompt, failed, dismissed, beginCall, endCall
  }

  private static let users = (0..<3).map { User(id: "u\($0)", issuer: "https://id.test") }

  private func snapshot(
    _ user: User,
    _ status: AccountSnapshot.Status,
    protected isProtected: Bool = false,
    open: Bool = false
  ) -> VaultSnapshot {
    VaultSnapshot(
      account: AccountSnapshot(
        name: "me",
        user: user,
        status: status,
        isProtected: isProtected
      ),
      isUnlocked: open
    )
  }

  private func beginPrompt(_ number: Int, _ facts: inout SessionFacts, _ model: inout Model) {
    guard model.prompts.count < 2, number % 4 == 0 else { return }
    let prompt = PresencePrompt(requester: "r", account: nil, purpose: "\(number)")
    facts.begin(prompt)
    model.prompts.append(prompt)
  }

  private func endPrompt(_ number: Int, _ facts: inout SessionFacts, _ model: inout Model) {
    guard !model.prompts.isEmpty else { return }
    let ended = model.prompts.remove(at: number % model.prompts.count)
    facts.end(ended)
  }

  private func apply(
    _ event: Event,
    _ number: Int,
    _ facts: inout SessionFacts,
    _ model: inout Model
  ) {
    let user = Self.users[number % 3]
    func enter(protected isProtected: Bool, open: Bool) {
      facts.saw(snapshot(user, .signedIn, protected: isProtected, open: open))
      model.sees(user, protected: isProtected, open: open)
    }
    switch event {
    case .sawNothing:
      facts.saw(VaultSnapshot(account: nil, isUnlocked: true))
      model.clear()
    case .sawSignedOut:
      facts.saw(snapshot(user, .signedOut, protected: true))
      model.clear()
    case .sawDead:
      facts.saw(snapshot(user, .loginRequired(reason: "\(number)"), protected: true))
      model.needsLogin(of: user, reason: "\(number)")
    case .sawPlain: enter(protected: false, open: number % 2 == 0)
    case .sawLocked: enter(protected: true, open: false)
    case .sawOpen: enter(protected: true, open: true)
    case .opened, .closed:
      facts.windowIs(open: event == .opened)
      if model.signedIn && model.protected { model.open = event == .opened }
    case .reachable, .unreachable:
      facts.providerIs(reachable: event == .reachable)
      if model.signedIn { model.offline = event == .unreachable }
    case .signInEnded:
      facts.signInEnded(reason: "\(number)")
      if let user = model.user { model.needsLogin(of: user, reason: "\(number)") }
    case .signedOut:
      facts.signedOut()
      model.clear()
      model.failure = nil
    case .beginLogin:
      #expect(facts.beginAuthenticating() == !model.authenticating)
      if !model.authenticating { model.failure = nil }
      model.authenticating = true
    case .endLogin:
      facts.endAuthenticating()
      model.authenticating = false
    case .beginPrompt: beginPrompt(number, &facts, &model)
    case .endPrompt: endPrompt(number, &facts, &model)
    case .failed:
      let error = AuthError(.busy, "\(number)")
      facts.failed(error)
      model.failure = error
    case .dismissed:
      facts.dismissFailure()
      model.failure = nil
    case .beginCall:
      facts.beginCall()
      model.failure = nil
    case .endCall: if facts.calls > 0 { facts.endCall() }
    }
  }

  @Test
  func aHundredThousandRandomEventsLeadWhereTheModelLeads() {
    var reached: Set<String> = []
    for seed in UInt64(0)..<100 {
      var random = SeededGenerator(seed: seed)
      var facts = SessionFacts()
      var model = Model()
      for number in 0..<1000 {
        guard let event = Event.allCases.randomElement(using: &random) else { return }
        apply(event, number, &facts, &model)
        guard facts.state == model.state else {
          Issue.record("seed \(seed), step \(number), \(event): \(facts.state) is \(model.state)")
          return
        }
        #expect(facts.isAuthenticated == model.signedIn)
        #expect(facts.isLocked == (model.signedIn && model.protected && !model.open))
        #expect(facts.isOffline == (model.signedIn && model.offline))
        reached.insert(name(of: facts.state))
      }
    }
    // Walks that reach only a few states would prove nothing.
    #expect(reached.count == 8)
  }

  private func name(of state: AuthState) -> String {
    switch state {
    case .unauthenticated: "unauthenticated"
    case .authenticating: "authenticating"
    case .authenticated: "authenticated"
    case .presencePrompt: "prompt"
    case .locked: "locked"
    case .loginRequired: "login required"
    case .offline: "offline"
    case .error: "error"
    }
  }
}

/// The same numbers for the same seed, by SplitMix64.
private struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
