import System
import Testing
import VaultInterface

@testable import Commands

/// The names of Codex profiles, which have no dots.
struct ProfileNameTests {
  private let home: ProviderHome
  private static let first = "codex/thumblatch-a-b.config.toml"
  private static let second = "codex/thumblatch-a-b-2.config.toml"

  init() throws { home = try ProviderHome() }

  /// Sets an account up.
  ///
  /// - Returns: the name of the profile in the command that is shown.
  @discardableResult
  private func setUp(_ account: String, _ options: String = "") throws -> String {
    let line = "setup codex \(account) --url https://\(account).example.org --yes \(options)"
    let play = try home.run(line) { stage in
      let call = try stage.expect(RequestTermsCall.self)
      try stage.fail(.noSuchAccount(account: call.account ?? ""))
    }
    #expect(play.code == .done, "\(play.talk)")
    let name = play.talk.split(separator: "codex -p ").last ?? ""
    return String(name.prefix { !$0.isWhitespace })
  }

  private func names() throws -> [String] {
    try Directory(path: home.path + "/codex").names().sorted()
  }

  @Test
  func accountsThatDifferInADotHaveProfilesOfTheirOwn() throws {
    #expect(try setUp("a.b") == "thumblatch-a-b")
    let other = try #require(home.settings(Self.first))
    #expect(try setUp("a-b") == "thumblatch-a-b-2")
    #expect(home.settings(Self.first) == other)
    let own = try #require(home.settings(Self.second))
    #expect(own.contains(#"model_provider = "thumblatch-a-b-2""#) && own.contains(#""a-b""#))
    // A second setup gives each account the same name again.
    #expect(try setUp("a.b") == "thumblatch-a-b" && home.settings(Self.first) == other)
    #expect(try setUp("a-b") == "thumblatch-a-b-2" && home.settings(Self.second) == own)
    // Another account has that name itself.
    #expect(try setUp("a-b-2") == "thumblatch-a-b-2-2" && home.settings(Self.second) == own)
    #expect(try setUp("a-b-2") == "thumblatch-a-b-2-2")
    #expect(try names().count == 3)
    #expect(try home.run("setup --undo codex").code == .done)
    #expect(try names() == [])
  }

  @Test
  func undoPutsTheFileBackThatWasKeptForIt() throws {
    try setUp("a.b")
    try home.writeSettings("mine", Self.second)
    #expect(try setUp("a-b") == "thumblatch-a-b-2")
    #expect(home.settings(Self.second + ".before-thumblatch") == "mine")
    #expect(try home.run("setup --undo codex").code == .done)
    #expect(try names() == ["thumblatch-a-b-2.config.toml"])
    #expect(home.settings(Self.second) == "mine")
  }

  /// A file that a person has changed still belongs to its account.
  @Test
  func aChangedProfileIsStillThatOfItsAccount() throws {
    try setUp("a.b")
    let changed = try #require(home.settings(Self.first)) + "# mine\n"
    try home.writeSettings(changed, Self.first)
    #expect(try setUp("a-b") == "thumblatch-a-b-2")
    #expect(home.settings(Self.first) == changed)
    #expect(home.settings(Self.first + ".before-thumblatch") == nil)
  }

  /// Codex reads one profile, so accounts may share the one that the person names.
  @Test
  func aNameOfThePersonIsUsedAsItIs() throws {
    try setUp("a.b")
    #expect(try setUp("a-b", "--name a-b") == "thumblatch-a-b")
    #expect(home.settings(Self.second) == nil)
    #expect(try setUp("notes", "--name c") == "thumblatch-c")
    #expect(try setUp("c") == "thumblatch-c")
    #expect(try names().count == 2)
  }
}
