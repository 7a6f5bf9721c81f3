import Testing

@testable import TokenVault

/// The text in the prompt of an unlock window about an account that a program has named.
@Suite(.timeLimit(.minutes(10)))
struct SecretLabelTests {
  private func detail(_ vault: Vault, seconds: Int64? = nil) async throws -> String? {
    try await need {
      _ = try await vault.unlock(["me"], seconds: seconds, prompt: nil, caller: caller())
    }.detail
  }

  @Test
  func aStaticSecretIsShownWithItsLabel() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    for (label, shown) in [
      ("Mail", #"me ("Mail")"#), (#"x", me for 9 h"#, #"me ("x', me for 9 h")"#),
      ("\u{202e}x", #"me ("\u{202E}x")"#),
    ] {
      try await vault.put("ghp_1", StaticSecret(secret: shared(""), label: label))
      #expect(try await detail(vault) == shown)
    }
    try await vault.put("ghp_1")
    #expect(try await detail(vault, seconds: 60) == "me for 1 min")
    let long = StaticSecret(secret: shared(""), label: String(repeating: "x", count: 1000))
    try await vault.put("ghp_1", long)
    #expect(try await (detail(vault)?.count ?? 0) < 80)
  }

  @Test
  func anAccountThatSignsInIsShownByItsName() async throws {
    let bench = try Bench()
    let vault = try await bench.open()
    try await bench.signIn(vault)
    #expect(try await detail(vault) == "me")
  }
}
