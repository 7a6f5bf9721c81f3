import PresenceTerms
import SecurityKey
import TestSupport
import Testing

@testable import TokenVault

/// A vault with a protected account, whose access token has expired, and a key.
struct KeyRig {
  let bench: Bench
  let vault: Vault
  let key: SoftwareKey

  init(_ options: [String] = []) async throws {
    bench = try Bench()
    vault = try await bench.open()
    try await bench.signIn(vault)
    try await bench.protect(vault)
    key = try SoftwareKey(state: bench.scratch.base + "/key", options)
  }

  /// Enrolls a key, with the password.
  func enroll(_ name: String = "blue", on key: SoftwareKey? = nil) async throws {
    let key = key ?? self.key
    let need = try await need {
      try await vault.enrollKey(name, pin: nil, prompt: nil, caller: caller()) {}
    }
    #expect(need.purpose == .enroll && need.methods == [.password])
    try await bench.pass(need, vault, caller())
    let before = bench.check.conversations.count
    async let done: Void = vault.enrollKey(
      name,
      pin: nil,
      prompt: need.prompt,
      caller: caller()
    ) {}
    let conversation = await bench.check.conversation(before + 1)
    let making = try #require(conversation.making)
    try key.say("touch")
    let made = try KeyRequest(.paths([key.path])).enroll(
      making.challenge,
      user: making.user,
      name: making.name,
      excluding: making.credentials,
      KeyVerification(isRequired: false)
    ) {}
    conversation.tell(.made(credential: made.identifier, publicKey: made.publicKey))
    try await done
  }

  /// Asks for a token, and starts the check by a key; `answer` says what its helper reports.
  func check(_ answer: (KeySigning) throws -> CheckEvent) async throws -> VaultFailure? {
    bench.clock.advance(3600)
    let need = try await need { _ = try await vault.token(caller: caller()) }
    #expect(need.methods == [.key, .password])
    let before = bench.check.conversations.count
    async let step: VaultFailure? = failure {
      let step = try await vault.check(need.prompt, by: .key, caller: caller()) { _ in }
      #expect(step == .passed)
    }
    let conversation = await bench.check.conversation(before + 1)
    conversation.tell(.ready)
    conversation.tell(try answer(try #require(conversation.signing)))
    let result = await step
    if result == nil {
      bench.exchange.plan(.tokens(access: "at-2", refresh: "rt-2", lifetime: 3600))
      #expect(
        try await vault.token(prompt: need.prompt, caller: caller()).accessToken == "at-2"
      )
    }
    return result
  }

  /// A touch of a key.
  func touched(
    _ signing: KeySigning,
    _ key: SoftwareKey? = nil,
    verifies: Bool = false
  ) throws -> KeyAnswer {
    let key = key ?? self.key
    try key.say("touch")
    let signed = try KeyRequest(.paths([key.path])).sign(
      signing.challenge,
      withAny: signing.credentials,
      KeyVerification(isRequired: verifies)
    ) {}
    return KeyAnswer(
      credential: signed.credential,
      authenticatorData: signed.authenticatorData,
      signature: signed.signature
    )
  }
}
