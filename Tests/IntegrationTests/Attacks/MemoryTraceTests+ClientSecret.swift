import Glibc
import JSON
import System
import TestSupport
import Testing

/// The same for the client secret of a provider, with both methods of client authentication.
extension MemoryTraceTests {
  private static let clientSecret = "cs_FIRST-41d7b09e62f8.5c03a9~end"
  private static let otherSecret = "cs_SECOND-b82e6f1d07a4.9e51c3~end"

  @Test(arguments: ["post", "basic"])
  func noClientSecretIsLeftInMemoryOrInTheVaultsFiles(_ authentication: String) throws {
    let someone = try Someone()
    let provider = try HaltingProvider()
    let record = try MemoryRecord()
    let adding = try someone.terminal(
      list: provider.adding("--client-secret", "--set", "client_authentication=\(authentication)")
    )
    try adding.expect("Client secret: ")
    try adding.enter(Self.clientSecret)
    try adding.end()

    // A sign-in, first while the person is away, then while the code is redeemed.
    let login = try someone.terminal("login", "me", "--provider", "p", "--browser")
    let (redeemed, visit) = try redeem(login, at: provider, by: someone, record)
    try showed(Self.clientSecret, redeemed, authentication)
    #expect(try occurrences(of: [Self.clientSecret], in: someone.state) == [0])
    try provider.answer(refreshToken: "rt_FIRST", accessToken: "at_CONTROL-1-77de02")
    try login.end()
    _ = try visit.text()
    try record.keep("login", of: someone, running: "thumblatchd")

    // A refresh.
    try someone.expireTokens()
    let refresh = try someone.start(["token", "me"])
    try showed(Self.clientSecret, try provider.nextRequest(), authentication)
    try record.keep("refresh under way", of: someone, running: "thumblatchd", "thumblatch-exchange")
    try provider.answer(refreshToken: "rt_SECOND", accessToken: "at_CONTROL-2-77de02")
    #expect(try refresh.text() == "at_CONTROL-2-77de02\n")
    try record.keep("refresh", of: someone, running: "thumblatchd")

    // Another secret is applied to the account: the CLI holds both.
    let file = "\(someone.home)/.config/thumblatch/providers.d/p.conf"
    try someone.shell("sed -i s/\(Self.clientSecret)/\(Self.otherSecret)/ \(file)").succeeded()
    let apply = try someone.terminal("provider", "apply", "p", "me")
    try apply.expect("client_secret: (set)")
    try apply.expect("System password for")
    try record.keep("change asked", of: someone, running: "thumblatch-cli", "thumblatchd")
    try apply.enter(Someone.systemPassword)
    try apply.end()
    try record.keep("change", of: someone, running: "thumblatchd")
    for words in [["provider", "show", "p"], ["provider", "show", "p", "--json"], ["status"]] {
      #expect(try !someone.run(words).succeeded().contains("cs_"))
    }
    // The next engine opens the secret from its box.
    try someone.expireTokens()
    let again = try someone.start(["token", "me"])
    try showed(Self.otherSecret, try provider.nextRequest(), authentication)
    try record.keep("next engine", of: someone, running: "thumblatchd", "thumblatch-exchange")
    try provider.answer(refreshToken: "rt_THIRD", accessToken: "at_CONTROL-3-77de02")
    #expect(try again.text() == "at_CONTROL-3-77de02\n")

    let secrets = [Self.clientSecret, Self.otherSecret]
    #expect(try occurrences(of: secrets, in: someone.state) == [0, 0])
    let kept = try occurrences(of: secrets, in: someone.home + "/.config")
    #expect(kept[0] == 0 && kept[1] > 0)
    let places = try record.places(of: ["first": Self.clientSecret, "second": Self.otherSecret])
    #expect(places == [])
    let control = try record.places(of: ["access token": "at_CONTROL-2-77de02"])
    #expect(!control.isEmpty)
  }

  /// Expects that a request for tokens carries this secret only in this way.
  private func showed(
    _ secret: String,
    _ request: [String: String],
    _ authentication: String
  ) throws {
    if authentication == "post" {
      #expect(request["client_secret"] == secret && request["Authorization"] == "")
    } else {
      let pair = Base64.standard.text(Array("c:\(secret)".utf8))
      #expect(request["client_secret"] == nil && request["Authorization"] == "Basic " + pair)
    }
  }
}
