import JSON
import System
import TestSupport
import Testing

// Sign-ins that wait for the browser.
extension DesktopSignInTests {
  /// Makes the desktop's browser a program that only keeps the address, and begins a sign-in.
  ///
  /// Returns the address once the browser has it.
  private func beginSignIn(of member: Member, _ app: AppWindows) throws -> String {
    try member.shell(
      """
      printf '#!/bin/sh\\nprintf %%s "$1" >~/new; mv ~/new ~/address\\n' >~/keep; chmod 700 ~/keep
      """
    ).succeeded()
    try setBrowser(member.home + "/keep", of: member)
    try choose("idp", app)
    try app.run("key('Return')")
    try app.sees("Sign in at idp in your browser.")
    let path = member.home + "/address"
    #expect(eventually { (try? member.shell("cat \(path)").text.hasPrefix("http")) == true })
    return try member.shell("cat \(path)").succeeded()
  }

  /// Goes through the provider's pages as the person.
  private func signIn(at address: String, of member: Member) throws {
    let browser = try member.browser().trimmingPrefix("BROWSER=")
    try member.shell("\(browser) '\(address)'").succeeded()
  }

  @Test
  func aLockedScreenHidesASignInThatGoesOn() throws {
    let member = try Member()
    let bus = try DesktopBus(logind: true)
    defer { bus.remove() }
    let app = try AppWindows(seating: member, by: bus)
    try app.run(
      "open(XDG_CONFIG_HOME='\(member.home)/.config', XDG_CONFIG_DIRS='\(member.base)/screen')"
    )
    try app.run("resize(800, 880)")
    let address = try beginSignIn(of: member, app)
    try bus.act("set_session('c1', LockedHint=True)")
    try app.sees("The Vault Is Locked")
    try app.misses("Sign in at idp")
    // The person has answered in the browser just before.
    try signIn(at: address, of: member)
    #expect(eventually { (try? member.standing("idp")) == "ready" })
    try app.misses("idp")
    try bus.act("set_session('c1', LockedHint=False)")
    try app.press("Unlock")
    try app.typePassword()
    try app.sees("Protect “idp”?")
    try app.sees("idp, Ready", "list item")
  }

  /// Any program of the machine and any web page can reach the port.
  @Test
  func anAnswerThatIsNotTrustedIsToldAndTheSignInGoesOn() throws {
    let member = try Member()
    let app = try open(of: member, "light", width: 800)
    let address = try beginSignIn(of: member, app)
    let redirect = try parameter("redirect_uri", of: address)
    let state = try parameter("state", of: address)
    let end = redirect.dropFirst("http://".count)
    let host = String(end.prefix { $0 != "/" })
    func get(_ target: String, _ state: String, header: String? = nil) throws {
      let url = "'http://\(host)\(target)?code=x&state=\(state)'"
      let named = header.map { "-H '\($0)' " } ?? ""
      _ = try member.shell("curl -s --noproxy '*' \(named)\(url)")
    }
    let path = String(end.dropFirst(host.count))
    for (refusal, act) in [
      ("An answer for another host", { try get(path, state, header: "Host: evil.example") }),
      ("An answer for another path", { try get("/other", state) }),
      ("The answer to another sign-in", { try get(path, "another-state") }),
      // The pages are visited by root.
      ("An answer of another user's program", { _ = try member.visit(address) }),
    ] as [(String, () throws -> Void)] {
      try act()
      try app.sees("\(refusal) was refused. The sign-in goes on.")
      app.keepPicture("sign-in-refused")
    }
    try app.expectNames()
    #expect(try app.run("overflowing()") == .array([]))
    try signIn(at: address, of: member)
    try app.sees("Protect “idp”?")
  }

  @Test
  func anAnswerWithoutACodeIsRefused() throws {
    let member = try Member()
    let app = try open(of: member, "light", width: 800)
    let address = try beginSignIn(of: member, app)
    let redirect = try parameter("redirect_uri", of: address)
    let state = try parameter("state", of: address)
    _ = try member.shell("curl -s --noproxy '*' '\(redirect)?state=\(state)'")
    try app.sees("The browser's answer was refused: ", "alert")
    try app.sees("Sign In at idp")
  }

  @Test
  func aPortThatAnotherProgramHasIsTold() throws {
    let member = try Member()
    // The provider itself listens there.
    let host = member.provider.issuer.dropFirst("http://".count).prefix { $0 != "/" }
    let redirect = "http://\(host)/callback"
    try member.configure(settings: ["redirect_uri": redirect])
    let app = try open(of: member, "dark", width: 360)
    try choose("idp", app)
    try app.run("key('Return')")
    try app.sees(
      "Another program has the port that the browser is sent to: \(redirect). End that program,",
      "alert"
    )
    try expectWhole(app, "port")
  }

  /// The value of a parameter in the query of an address.
  private func parameter(_ name: String, of address: String) throws -> String {
    let script = """
      import sys, urllib.parse as u
      print(u.parse_qs(u.urlsplit(sys.argv[2]).query)[sys.argv[1]][0], end="")
      """
    return try output(of: "/usr/bin/python3", ["-c", script, name, address]).0
  }
}
