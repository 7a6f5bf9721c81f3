import TestSupport
import Testing
import Varlink
import VaultInterface

extension FrontServiceTests {
  private static let terms =
    #"{"parameters":{"account":"work","issuer":"https://id.example.org","hosts":[],"pins":[],"#
    + #""any_host":true}}"# + "\0"
  private static let words = "terraform-credential get git.example.org"
  private static let calls =
    #"{"method":"io.thumblatch.Vault.RequestTerms","parameters":{"account":"work"}}"# + "\n"
    + #"{"method":"io.thumblatch.Vault.AccessToken","parameters":{"#
    + #""account":"work","ask":false,"reason":"Terraform at git.example.org"}}"# + "\n"

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
    let members = #""minimum_lifetime":120,"scope":"read","audience":"x","ask":false"#
    #expect(wanted.asked.contains(members))
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
    terms.replacing(#""hosts":[]"#, with: #""hosts":["a]"#) + reply(),
    terms.replacing(#""hosts":[]"#, with: #""hosts":["a",]"#) + reply(),
    terms.replacing(#""pins""#, with: #""listeners":[x],"pins""#) + reply(),
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

  // The front writes and reads these messages by hand, because the generated types need a library.

  /// The calls that the front has sent, read as the engine reads them.
  private func calls(_ asked: String) throws -> [VarlinkCall] {
    try asked.split(separator: "\n").map { line in
      try unsafe Array(line.utf8).withUnsafeBytes { bytes in
        unsafe try VarlinkCall(decoding: bytes, on: .vault)
      }
    }
  }

  private func message(_ reply: some VarlinkRecord) throws -> String {
    let bytes = try VarlinkReply(reply).plainEncoded(on: .vault)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test
  func theGeneratedTypesReadAndWriteWhatTheFrontDoesByHand() throws {
    let token = AccessTokenReply(
      account: "work",
      accessToken: "of-the-service",
      tokenType: "Bearer",
      expiresAt: 1_790_000_000,
      shorterThanRequested: false,
      scope: "read",
      missingScope: "mail"
    )
    let plain = try front("token --helper work --min-ttl 360s", reply: message(token))
    #expect(plain.outcome.output == "of-the-service\n")
    let call = try #require(calls(plain.asked).first)
    #expect(
      try call.content()
        == AccessTokenCall(account: "work", minimumLifetime: 360, ask: false, helper: true)
    )
    let kubernetes = try front("kube-credential work", reply: message(token))
    #expect(
      try #require(calls(kubernetes.asked).first).content()
        == AccessTokenCall(
          account: "work",
          ask: false,
          reason: "kubernetes",
          helper: true
        )
    )

    let terms = RequestTermsReply(
      account: "work",
      issuer: "https://id.example.org",
      hosts: ["api.example.org", #"a "quoted\" one"#],
      ca: "-----BEGIN CERTIFICATE-----\n",
      pins: ["sha256//AAAA", "sha256//BBBB"],
      proxy: "http://localhost:3128",
      listeners: [998, 0],
      connectTimeout: 10,
      anyHost: true
    )
    let settings = "min-ttl = 2m\\nscope = read \\naudience = x\\n"
    let helped = try tool(message(terms) + message(token), settings: settings)
    #expect(helped.outcome.output == "{\"token\":\"of-the-service\"}\n")
    let both = try calls(helped.asked)
    try #require(both.count == 2)
    #expect(try both[0].content() == RequestTermsCall(account: "work"))
    let wanted: AccessTokenCall = try both[1].content()
    #expect(wanted.account == "work" && wanted.minimumLifetime == 120 && wanted.ask == false)
    #expect(wanted.scope == "read" && wanted.audience == "x")
    #expect(wanted.reason == "Terraform at git.example.org")
  }
}
