import System
import Testing
import VaultInterface

@testable import Commands

/// The names of MCP servers in a profile of Codex, which takes no dots.
struct ServerNameTests {
  private let home: ProviderHome

  init() throws { home = try ProviderHome() }

  /// The profile after a setup for an account.
  private func setUp(_ account: String, _ path: String = "mcp") throws -> String {
    let line = "setup codex \(account) --name work --mcp https://mcp.example.org/\(path) --yes"
    let play = try home.run(line) { stage in
      let call = try stage.expect(RequestTermsCall.self)
      try stage.fail(.noSuchAccount(account: call.account ?? ""))
    }
    #expect(play.code == .done, "\(play.talk)")
    return home.settings("codex/thumblatch-work.config.toml") ?? ""
  }

  /// The names of the servers, each with the account that its helper names.
  private func servers(_ profile: String) -> [String] {
    ProfileSection.all(of: profile).compactMap { section in
      let account = ["a.b", "a-b", "a.b.c", "a-b-2", "b"].first(where: section.isFor)
      return section.serverName.map { "\($0) of \(account ?? "none")" }
    }
  }

  @Test
  func accountsThatDifferInADotHaveServersOfTheirOwn() throws {
    #expect(try servers(setUp("a.b")) == ["a-b of a.b"])
    #expect(try servers(setUp("a-b")) == ["a-b of a.b", "a-b-2 of a-b"])
    #expect(try servers(setUp("b")) == ["a-b of a.b", "a-b-2 of a-b", "b of b"])
    // An account of that name gets another one.
    let all = try setUp("a-b-2")
    #expect(servers(all) == ["a-b of a.b", "a-b-2 of a-b", "b of b", "a-b-2-2 of a-b-2"])
    // Each keeps its name.
    for account in ["a.b", "a-b", "a-b-2"] {
      let again = try setUp(account, "other")
      #expect(servers(again).sorted() == servers(all).sorted(), "\(again)")
    }
    #expect(try home.run("setup --undo").code == .done)
    #expect(try Directory(path: home.path + "/codex").names() == [])
  }

  @Test
  func aNameOfAnotherAccountIsNoPartOfThis() throws {
    #expect(try servers(setUp("a.b.c")) == ["a-b-c of a.b.c"])
    #expect(try servers(setUp("a.b")) == ["a-b-c of a.b.c", "a-b of a.b"])
  }
}
