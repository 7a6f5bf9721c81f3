import System
import TestSupport
import Testing

/// The option for the vault in the commands that the app shows.
struct CommandWordsTests {
  @Test(arguments: ["eo", "de"])
  func commandsAreForThePrivateVault(_ language: String) throws {
    let texts = try AppTexts().about("commands", in: language)
    let commands = texts.mapValues { Self.commands(in: $0.text) }
    let store = ["thumblatch --private store m7"]
    let login = ["thumblatch --private login m7"]
    #expect(commands["notice secret_expires -"] == store)
    #expect(commands["secret soon"] == store)
    #expect(
      commands["trouble if you restored it yourself, accept it: thumblatch recover"]
        == ["thumblatch --private recover"]
    )
    #expect(commands["trouble x7: thumblatch x"] == ["thumblatch x"])
    #expect(commands["finding of an action"] == login)
    #expect(commands["finding with two"] == login + ["thumblatch --private logout m7"])
    #expect(commands["finding unknown"] == ["thumblatch --private status"])
  }

  /// Each verb in a text of the app takes the option, except those without a vault of the caller.
  @Test
  func eachVerbInATextIsKnown() throws {
    let directory = try Directory(path: BuiltPrograms.sourceDirectory + "/Sources/Translations")
    let catalog = try directory.openForReading("thumblatch.pot").readAll(limit: 1 << 22)
    let text = String(decoding: catalog, as: UTF8.self)
    let verbs = Set(text.matches(of: /thumblatch ([a-z-]+)/).map(\.1))
    let known = try #require(try AppTexts().about("commands", in: "eo")["verbs"]).text
    // `host` and `service` use no vault of the caller, and `package` is no verb.
    #expect(verbs.subtracting(known.split(separator: " ")) == ["host", "package", "service"])
  }

  private static func commands(in text: String) -> [String] {
    text.matches(of: /thumblatch( --private)? [a-z]+( m7)?/).map { String($0.0) }
  }
}
