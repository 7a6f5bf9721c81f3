import Testing
import VaultInterface

@testable import Commands

// cargo's credential provider.
extension ToolVerbTests {
  @Test
  func cargoGetsAnswersLineByLine() throws {
    let requests = ["git.example.org", "evil.net"].map { host in
      #"{"v":1,"kind":"get","operation":"read","registry":{"index-url":"sparse+https://\#(host)/"}}"#
    }
    let more = [
      #"{"v":1,"kind":"logout","registry":{"index-url":"sparse+https://git.example.org"}}"#,
      // A request of a later cargo, which then asks its next provider.
      #"{"v":1,"kind":"renew","registry":{"index-url":"sparse+https://git.example.org"}}"#, "x",
    ]
    let play = try run(
      "cargo-credential --cargo-plugin",
      (requests + more).joined(separator: "\n")
    ) { stage in
      try Self.give(stage)
      try stage.knowAccount(VerbTests.account)
    }
    let lines = play.out.split(separator: "\n")
    #expect(play.code == .done && lines.count == 6 && lines.first == #"{"v":[1]}"#)
    for (line, part) in zip(
      lines.dropFirst(),
      [
        "Bearer at_1", "not-found", "host remove git.example.org",
        #"{"Err":{"kind":"operation-not-supported""#, #""kind":"other""#,
      ]
    ) { #expect(line.contains(part), "\(line)") }
  }
}
