import JSON
import System
import TestSupport
import Testing

/// An app that signs in at a real identity provider, on the provider's own pages.
@Suite(.serialized)
struct AppLoginTests {
  private func app(
    _ member: Member,
    account: Bool = false,
    variables: [String] = []
  ) throws -> AppProcess {
    var arguments = ["-", Someone.systemPassword]
    if !account {
      arguments += [
        "kind=oidc", "issuer=\(member.provider.issuer)", "client_id=\(IdentityProvider.client)",
        "scope=openid profile email read",
        "device_authorization_endpoint=\(member.provider.issuer)/device-authorization/",
        "revocation_endpoint=\(member.provider.issuer)/revoke_token/",
      ]
    }
    return try AppProcess(member, arguments, variables: variables)
  }

  /// The redirect addresses that the provider received.
  private func redirects(_ member: Member) throws -> [String] {
    try member.provider.requests().filter { $0.path == "/o/authorize/" }
      .compactMap { $0.query["redirect_uri"] }
  }

  private func noProgramListens(_ redirect: String) throws -> Bool {
    let port = try #require(redirect.split(separator: ":").last)
    let number = try #require(UInt16(port.prefix { $0.isNumber }))
    return eventually { (try? LoopbackSocket.connect(.ipv4, port: number)) == nil }
  }

  @Test
  func theMachinesBrowserSignsInAndTheCommandsFindTheLogin() throws {
    let member = try Member()
    let app = try app(member, variables: [try member.browser()])
    #expect(try app.run("restore") == "unauthenticated")
    try app.begin("browser")
    let step = try app.step()
    #expect(step.hasPrefix("opened \(member.provider.issuer)/authorize/?"), "\(step)")
    #expect(try app.outcome() == IdentityProvider.user)
    try app.state("authenticated")
    // The code was redeemed once, with the verifier that stayed in the vault.
    let redeemed = try member.provider.requests().filter { $0.grant != nil }
    #expect(redeemed.map(\.grant) == ["authorization_code"])
    #expect(redeemed.first?.form["code_verifier"]?.hasPrefix("sha256:") == true)
    let redirect = try #require(try redirects(member).first)
    #expect(redirect.hasPrefix("http://127.0.0.1:") && redirect.hasSuffix("/callback"))
    #expect(try noProgramListens(redirect))
    let page = try shell("cat \(member.home)/page")
    for part in ["You are signed in", IdentityProvider.user, ">me<", "The app has everything"] {
      #expect(page.contains(part), "\(page)")
    }
    // An app that runs on must reap the browser process.
    #expect(try eventually { try app.children.isEmpty })
    #expect(try member.run("token", "me").succeeded() == app.run("token") + "\n")
    #expect(try app.run("logout") == "true")
    try app.state("unauthenticated")
  }

  @Test
  func anAddressThatIsOpenedByHandSignsIn() throws {
    let member = try Member()
    let app = try app(member)
    try app.begin("by-hand")
    let step = try app.step().split(separator: " ").map(String.init)
    #expect(step[0] == "not-opened")
    // The listener accepts a redirect only from the same user. Root brings this one first.
    try member.visit(step[1])
    #expect(try app.step() == "refused it came from another user's program")
    try member.shell("\(try member.browser().dropFirst("BROWSER=".count)) '\(step[1])'").succeeded()
    #expect(try app.outcome() == IdentityProvider.user)
  }

  @Test
  func aDeviceCodeSignsIn() throws {
    let member = try Member()
    let app = try app(member)
    try app.begin("device")
    let step = try app.step().split(separator: " ").map(String.init)
    try member.visit(step[0], ["--user-code", step[1]]).succeeded()
    // This answer has no ID token, so there is no e-mail address.
    #expect(try app.outcome() == "")
    try app.state("authenticated")
    let who = try object(try member.run("whoami", "me", "--json").succeeded())
    #expect(try who.object("profile").string("email") == IdentityProvider.user)
    #expect(try member.standing("me") == "ready")
  }

  @Test
  func aDenialIsAnErrorAndTheNextLoginSignsIn() throws {
    let member = try Member(.toolkit, ["--consent"])
    let no = try app(member, variables: [try member.browser(["--deny"])])
    #expect(try no.run("browser").hasPrefix("failed providerRefused"))
    try no.state("error")
    #expect(try shell("cat \(member.home)/page").contains("You are not signed in"))
    #expect(try member.provider.count("token_requests") == 0)
    let yes = try app(member, variables: [try member.browser()])
    #expect(try yes.run("browser") == IdentityProvider.user)
  }

  @Test
  func whoGivesUpTheWaitLeavesNothingBehind() throws {
    let member = try Member()
    let app = try app(member, variables: [try member.browser()])
    try app.begin("give-up")
    let url = try app.step()
    #expect(try app.outcome().hasPrefix("failed cancelled, keepSession: "))
    try app.state("unauthenticated")
    let escaped = try #require(url.firstRange(of: "redirect_uri=")?.upperBound)
    let redirect = String(url[escaped...].prefix { $0 != "&" }).replacing("%3A", with: ":")
    #expect(try noProgramListens(redirect.replacing("%2F", with: "/")))
    #expect([.exited(4), .exited(9)].contains(try member.run("token", "me").end))
    // The vault has dropped the sign-in as well, and begins another one.
    #expect(try app.run("browser") == IdentityProvider.user)
  }

  @Test
  func anAccountKnowsWhereItsProviderSendsTheBrowser() throws {
    let member = try Member(settings: ["redirect_uri": "http://localhost/callback"])
    try member.login("me").succeeded()
    let app = try app(member, account: true, variables: [try member.browser()])
    #expect(try app.run("browser") == IdentityProvider.user)
    let redirects = try redirects(member)
    #expect(Set(redirects).count == 2)
    #expect(redirects.allSatisfy { $0.hasPrefix("http://localhost:") }, "\(redirects)")
  }
}
