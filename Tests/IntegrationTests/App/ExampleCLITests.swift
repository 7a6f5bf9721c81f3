import TestSupport
import Testing

/// The example program for a terminal, as a person runs it.
@Suite(.serialized)
struct ExampleCLITests {
  /// Runs the example at its own terminal.
  private func start(_ person: Someone, _ arguments: String...) throws -> TerminalSession {
    try IntegrationTests.shell(
      "install -m 755 \(BuiltPrograms.path("example-cli")) \(person.programs)/example-cli"
    )
    return try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + [person.programs + "/example-cli"] + arguments,
      environment: person.environment,
      columns: 160
    )
  }

  @Test
  func itSignsInByPasswordTellsWhoThisIsAndSignsOut() throws {
    let person = try Person()
    try person.register()
    try person.backend.clear()
    for _ in 0..<2 {
      let terminal = try start(person, person.backend.url)
      try terminal.expect("E-mail: ")
      try terminal.enter("me@example.org")
      try terminal.expect("Password: ")
      try terminal.enter("backend-password")
      try terminal.expect("signed in as me")
      try terminal.expect("signed out")
      let shown = try terminal.end()
      #expect(!shown.contains("backend-password") && !shown.contains("signed out here"))
    }
    let asked = ["/auth/login", "/auth/me", "/auth/logout"]
    #expect(try person.backend.requests().map(\.path) == asked + asked)
    // The other account of the same vault is signed in separately.
    #expect(try person.backend.count("sessions") == 1)
    try person.run("token", "me").succeeded()
  }

  @Test
  func aWrongPasswordAndABackendThatIsDownAreTold() throws {
    let person = try Person()
    try person.register()
    let wrong = try start(person, person.backend.url)
    try wrong.expect("E-mail: ")
    try wrong.enter("me@example.org")
    try wrong.expect("Password: ")
    try wrong.enter("wrong")
    try wrong.expect("error: ")
    try wrong.end(1)
    let offline = try start(person, "http://127.0.0.1:1")
    try offline.expect("E-mail: ")
    try offline.enter("me@example.org")
    try offline.expect("Password: ")
    try offline.enter("backend-password")
    try offline.expect("error: ")
    try offline.end(1)
    let plain = try start(person, "http://example.org")
    try plain.expect("error: ")
    try plain.end(1)
    let nothing = try start(person)
    try nothing.expect("usage: example-cli URL")
    try nothing.end()
    #expect(try person.backend.count("sessions") == 1)
  }

  @Test
  func itSignsInByACodeForAnotherDevice() throws {
    let member = try Member()
    let terminal = try start(
      member,
      member.provider.issuer,
      IdentityProvider.client,
      "scope=openid profile email",
      "device_authorization_endpoint=\(member.provider.issuer)/device-authorization/",
      "revocation_endpoint=\(member.provider.issuer)/revoke_token/"
    )
    try terminal.expect("Open ")
    let url = try terminal.expect("\r\n")
    try terminal.expect("Code: ")
    let code = try terminal.expect("\r\n")
    #expect(url.hasPrefix(member.provider.issuer + "/device"))
    try member.visit(url, ["--user-code", code]).succeeded()
    try terminal.expect("signed in as ")
    try terminal.expect("signed out")
    try terminal.end()
    #expect(try member.provider.count("live_refresh_tokens") == 0)
  }
}
