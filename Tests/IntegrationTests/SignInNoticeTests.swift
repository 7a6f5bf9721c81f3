import Glibc
import JSON
import System
import TestSupport
import Testing

/// "Sign in" in a notice of the service: the login in the browser, at a real identity provider.
@Suite(.serialized)
struct SignInNoticeTests {
  private let provider: IdentityProvider
  private let bench: ServiceBench
  private let person: Customer
  private let desk: Desk

  /// A person at a desktop, with the account `work`.
  init() throws {
    provider = try IdentityProvider(.toolkit)
    bench = try ServiceBench(withSessions: true)
    person = try Customer(bench)
    let settings = """
      [Provider]
      kind = oidc
      issuer = \(provider.issuer)
      client_id = \(IdentityProvider.client)
      scope = openid profile email read
      password_grant = true
      refresh_scope = any
      """
    let own = person.home + "/.config/thumblatch/providers.d"
    // The service connects to this machine only if the administrator has configured that provider.
    try shell(
      """
      umask 022
      cat >\(bench.base)/machine/providers.d/idp.conf <<'X'
      \(settings)
      X
      install -d -o \(person.user.name) \(person.home)/.config \(person.home)/.config/thumblatch \(own)
      install -m 644 -o \(person.user.name) \(bench.base)/machine/providers.d/idp.conf \(own)/
      install -m 755 \(IdentityProvider.directory)/sign-in.py \(person.base)/sign-in.py
      cat >\(person.base)/browser <<'X'
      #!/bin/sh
      exec /usr/bin/python3 \(person.base)/sign-in.py "$1" >\(person.home)/page 2>&1
      X
      chmod 755 \(person.base)/browser
      """
    )
    try person.run(
      [
        "login", "work", "--provider", "idp", "--password", "--email", IdentityProvider.user,
        "--password-stdin",
      ],
      input: IdentityProvider.password + "\n"
    ).succeeded()
    desk = try Desk(of: person, bus: bench.bus)
  }

  @Test
  func theActionSignsInByTheBrowserAndTheAccountWorks() throws {
    let agent = try person.start(
      ["agent"],
      variables: desk.variables + ["BROWSER=\(person.base)/browser"]
    )
    let notes = "\(bench.directory)/agents"
    try #require(
      eventually {
        (try? Directory(path: notes).names().contains { $0.contains(".") }) == true
      }
    )
    try provider.call("revoke")
    try person.expireTokens()
    let refused = try person.run("token", "work")
    #expect(refused.end == .exited(4), "\(refused)")
    try desk.sees("tokens of account 'work' until you sign in again.")
    try desk.run("desk.click('Sign in')")
    #expect(eventually { (try? person.run("token", "work").end) == .exited(0) })
    try desk.run("desk.await_open(0)")
    // The new session is one of the provider, which accepts its token and refreshes it.
    let who = try person.run("whoami", "work").succeeded()
    #expect(who.contains(IdentityProvider.user), "\(who)")
    let old = try person.run("token", "work").succeeded()
    let new = try person.run(["token", "work", "--rejected"], input: old).succeeded()
    #expect(new != old)
    #expect(
      try desk.run("any('was not signed in' in each['body'] for each in desk.shown)")
        == .boolean(false)
    )
    kill(agent.child.identifier, SIGTERM)
    let said = try agent.text()
    #expect(try agent.child.wait() == .exited(0), "\(said)")
  }
}
