import Glibc
import JSON
import System
import TestSupport
import Testing

/// "Sign in" in a notice of the service, which is the login in the browser at a real identity
/// provider, and the prompt for a token with a scope and an audience.
@Suite(.serialized)
struct SignInNoticeTests {
  let provider: IdentityProvider
  let bench: ServiceBench
  let person: Customer
  let desk: Desk

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

  /// Starts an agent, and waits until the engine knows it.
  func startAgent(_ variables: String..., options: [String] = []) throws -> Run {
    let agent = try person.start(["agent"] + options, variables: desk.variables + variables)
    let notes = "\(bench.directory)/agents"
    try #require(
      eventually {
        (try? Directory(path: notes).names().contains { $0.contains(".") }) == true
      }
    )
    return agent
  }

  /// One touch is for one token, so the person sees its scope and its audience.
  @Test
  func aPromptShowsTheScopeAndTheAudienceOfTheToken() throws {
    try person.enroll()
    let socket = person.home + "/build.socket"
    let agent = try startAgent(
      options: ["--socket", socket, "--name", "build", "--account", "work"]
    )
    try awaitSocket(socket)
    person.socket = socket
    let run = try person.start([
      "token", "work", "--scope", "read", "--audience", "https://api.example.org",
    ])
    let shown = try desk.notification("Touch the fingerprint reader to use account 'work'")
    let detail = "(for https://api.example.org, scope read)"
    #expect(
      try shown.string("body")
        == "Touch the fingerprint reader to use account 'work' \(detail) (requested by restricted"
        + " socket \"build\")."
    )
    try desk.run("desk.click('Deny')")
    #expect(try run.text().contains("the presence check was cancelled"))
    #expect(try run.child.wait() == .exited(3))
    kill(agent.child.identifier, SIGTERM)
    _ = try agent.text()
    _ = try agent.child.wait()
  }

  @Test
  func theActionSignsInByTheBrowserAndTheAccountWorks() throws {
    let agent = try startAgent("BROWSER=\(person.base)/browser")
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
