import JSON
import System
import TestSupport
import Testing

/// No network here, which is no word of the provider's.
@Suite(.serialized)
struct OfflineTests {
  @Test
  func everyVerbTellsItByTheSameWordsTheSameExitCodeAndTheSameReason() throws {
    let member = try Member()
    try member.signIn().succeeded()
    try member.expireTokens()
    let old = try member.run("token", "work").succeeded()
    try member.provider.call("offline")
    let login = [
      "login", "work", "--password", "--email", IdentityProvider.user, "--password-stdin",
    ]
    for (words, input) in [
      (["request", "work", member.provider.issuer + "/userinfo/"], ""), (["whoami", "work"], ""),
      (["provider", "test", "idp"], ""), (["token", "work", "--rejected"], old),
      (login, IdentityProvider.password + "\n"),
    ] {
      let run = try member.run(words + ["--json"], input: input)
      #expect(run.end == .exited(5), "\(words): \(run.text)")
      let error = try object(run.text).object("error")
      #expect(try error.string("reason") == "offline", "\(words): \(run.text)")
      let message = try error.string("message")
      #expect(message.hasPrefix("no network: ") && message.contains("cannot be reached from here"))
    }
    #expect(["ready", "expired"].contains(try member.standing()))
    // Here all is erased; there is nothing to try again.
    let out = try object(try member.run("logout", "work", "--json").succeeded())
    #expect(try out.boolean("offline") && !out.boolean("revoked") && out.boolean("erased"))
    #expect(try out.string("reason").hasPrefix("no network: "))
  }
}
