import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// Hosts in `hosts.conf` that an account's token is not for.
struct HostTermsTests {
  private static let git = "protocol=https\nhost=git.example.org\n"

  private func run(
    _ line: String,
    _ input: String,
    script: @escaping @Sendable (Stage) throws -> Void
  ) throws -> Play {
    let home = try ProviderHome()
    try home.writeHosts("[git.example.org]\naccount = work\n")
    return try home.run(line, input: Array(input.utf8), script: script)
  }

  /// An entry of the file may be older than the account.
  @Test(arguments: [
    ("git-credential get", Self.git), ("docker-credential get", "git.example.org"),
    ("bazel-credential get", #"{"uri":"https://git.example.org/x"}"#),
    ("terraform-credential get git.example.org", ""),
    (
      "cargo-credential",
      #"{"v":1,"kind":"get","operation":"read","registry":{"index-url":"sparse+https://git.example.org/"}}"#
    ),
  ])
  func noToolGetsTheSecretOfAnotherHost(_ line: String, _ input: String) throws {
    let play = try run(line, input) { stage in
      #expect(try stage.knowTerms(issuer: "https://b.org", hosts: ["c.org"]).account == "work")
      try stage.knowAccount(StoredSecretTests.account())
      try stage.expectEnd()
    }
    #expect((play.out + play.talk).contains("it is for https://b.org"), "\(play)")
  }

  @Test(arguments: ["https://git.example.org", "https://api.example.org"])
  func aSecretGoesToItsHosts(_ issuer: String) throws {
    let play = try run("git-credential get", Self.git) { stage in
      try stage.knowTerms(issuer: issuer, hosts: ["git.example.org"])
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "at_1")
    }
    #expect(play.code == .done && play.out.contains("at_1"))
  }

  /// With one call less than for an engine that does not say so.
  @Test
  func aTokenOfALoginGoesToEachHostThatTheUserNamed() throws {
    let play = try run("git-credential get", Self.git) { stage in
      try stage.knowTerms(issuer: "https://b.org", anyHost: true)
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "at_1")
    }
    #expect(play.code == .done && play.out.contains("at_1"))
  }

  @Test
  func aTokenForOneResourceGoesToItsHostOnly() throws {
    for (resource, isHome) in [
      ("https://git.example.org/mcp", true), ("https://mcp.example.org/mcp", false),
    ] {
      let play = try run("git-credential get", Self.git) { stage in
        try stage.knowTerms(resource: resource)
        guard isHome else { return try stage.expectEnd() }
        _ = try stage.expect(AccessTokenCall.self)
        try stage.reply(token: "at_1")
      }
      #expect(play.code == (isHome ? .done : .refused), "\(play.talk)")
    }
  }
}
