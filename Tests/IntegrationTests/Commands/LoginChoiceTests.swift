import System
import TestSupport
import Testing

/// `login` without an account, with the engine and a backend.
@Suite(.serialized)
struct LoginChoiceTests {
  @Test
  func aLoginWithoutAnAccountFindsTheProvider() throws {
    let person = try Person()
    try person.register()
    let password = "backend-password\n"
    let words = ["login", "--email", "me@example.org", "--password-stdin"]
    let signedIn = try person.run(words, input: password).succeeded()
    #expect(signedIn.contains("dev is a new account at dev"))
    #expect(try person.run("token", "dev").succeeded().hasPrefix("at_"))
    let again = try person.run(words, input: password)
    #expect(again.end == .exited(2) && again.text.contains("thumblatch login dev"))

    let second = ["provider", "add", "other", "--kind", "password-backend", "--issuer"]
    try person.run(second + [person.backend.url]).succeeded()
    let refused = try person.run(words, input: password)
    #expect(refused.end == .exited(7) && refused.text.contains("(dev, other)"))
    let terminal = try person.terminal("login", "--email", "me@example.org")
    try terminal.expect("Number or name: ")
    try terminal.enter("2")
    try terminal.expect("Password of me@example.org at other: ")
    try terminal.enter("backend-password")
    try terminal.expect("signed in: other is me@example.org at other")
    try terminal.end()
  }
}
