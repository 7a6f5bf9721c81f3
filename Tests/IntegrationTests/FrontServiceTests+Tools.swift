import TestSupport
import Testing

extension FrontServiceTests {
  private static let terms =
    #"{"parameters":{"account":"work","issuer":"https://id.example.org","hosts":[],"pins":[],"#
    + #""any_host":true}}"# + "\0"
  private static let words = "terraform-credential get git.example.org"
  private static let calls =
    #"{"method":"io.thumblatch.Vault.RequestTerms","parameters":{"account":"work"}}"# + "\n"
    + #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"#
    + #""reason":"Terraform at git.example.org","account":"work","ask":false}}"# + "\n"

  private func tool(
    _ reply: String,
    way: String = "root",
    settings: String = ""
  ) throws -> (outcome: FrontFixture.Outcome, asked: String) {
    try front(
      Self.words,
      reply: reply,
      way: way,
      before: """
        mkdir thumblatch; chmod 755 thumblatch; umask 022
        printf "[git.example.org]\\naccount = work\\n\(settings)" >thumblatch/hosts.conf
        export HOME=/ XDG_CONFIG_HOME=$PWD
        """
    )
  }

  @Test
  func aToolIsAnsweredWithOneRoundTrip() throws {
    let (outcome, asked) = try tool(Self.terms + Self.reply())
    #expect(outcome == answered("{\"token\":\"of-the-service\"}\n"))
    #expect(asked == Self.calls)
    let settings = "min-ttl = 2m\\nscope = read \\naudience = x\\n"
    let wanted = try tool(Self.terms + Self.reply(), settings: settings)
    #expect(wanted.outcome == answered("{\"token\":\"of-the-service\"}\n"))
    #expect(wanted.asked.contains(#""minimum_lifetime":120,"scope":"read","audience":"x","#))
  }

  @Test(arguments: [
    terms.replacing("true", with: "false") + reply(), terms.replacing("any", with: "no") + reply(),
    terms.replacing(#""work""#, with: #""other""#) + reply(), terms + reply("other"),
    #"{"error":"io.thumblatch.Vault.NoSuchAccount","parameters":{}}"# + "\0" + reply(),
    terms.replacing(#"{"parameters""#, with: #"{"error":"x","parameters""#) + reply(),
    terms + #"{"error":"io.thumblatch.Vault.PresenceNeeded","parameters":{"prompt":"p"}}"# + "\0",
    terms, terms + terms, reply(), reply() + terms, "\0" + reply(), terms + reply() + "\0",
    terms.replacing("true", with: #""true""#) + reply(),
    terms.replacing("true", with: "true,\"any_host\":true") + reply(),
  ])
  func aReplyThatDoesNotAllowTheHostIsLeftToTheCommandProgram(_ reply: String) throws {
    let (outcome, asked) = try tool(reply)
    #expect(outcome.output == "cli\n" + Self.words.replacing(" ", with: "\n") + "\n", "\(reply)")
    #expect(asked == Self.calls)
  }

  @Test
  func aToolsServerThatIsNotRootIsToldNothing() throws {
    let (outcome, asked) = try tool(Self.terms + Self.reply(), way: "foreign")
    #expect(outcome.output.hasPrefix("cli\n") && (asked == "" || asked == "nothing\n"))
  }
}
