import JSON
import System
import TestSupport
import Testing

/// No network, or a server that is not running.
///
/// Neither counts as an answer of the provider.
@Suite(.serialized)
struct OfflineTests {
  /// Each verb that asks a provider, with its input.
  private func verbs(_ member: Member, _ token: String) -> [(words: [String], input: String)] {
    let login = [
      "login", "work", "--password", "--email", IdentityProvider.user, "--password-stdin",
    ]
    return [
      (["request", "work", member.provider.issuer + "/userinfo/"], ""), (["whoami", "work"], ""),
      (["provider", "test", "idp"], ""), (["token", "work", "--rejected"], token),
      (login, IdentityProvider.password + "\n"),
    ]
  }

  @Test
  func aServerThatIsNotRunningIsToldByTheSameWordsTheSameExitCodeAndTheSameReason() throws {
    let member = try Member()
    try member.signIn().succeeded()
    try member.expireTokens()
    let old = try member.run("token", "work").succeeded()
    try member.provider.call("offline")
    for (words, input) in verbs(member, old) {
      let run = try member.run(words + ["--json"], input: input)
      #expect(run.end == .exited(5), "\(words): \(run.text)")
      let error = try object(run.text).object("error")
      #expect(try error.string("reason") == "not-answering", "\(words): \(run.text)")
      let message = try error.string("message")
      #expect(message.contains("is not answering") && !message.contains("network"), "\(message)")
      #expect(try error.string("hint").contains("try again later"))
    }
    #expect(try member.standing() == "ready")
    // The local data is erased, so there is nothing to retry.
    let left = try member.run("logout", "work", "--json")
    #expect(left.end == .exited(12))
    let out = try object(left.text)
    #expect(try !out.boolean("offline") && !out.boolean("revoked") && out.boolean("erased"))
    #expect(try out.string("reason").contains("is not answering"))
  }

  @Test
  func withoutANetworkEveryVerbSaysSo() throws {
    let member = try Member()
    try member.signIn().succeeded()
    try member.expireTokens()
    let old = try member.run("token", "work").succeeded()
    // The next engine starts without any network, not even loopback.
    try member.endEngine()
    for (words, input) in verbs(member, old) {
      let (near, far) = try UnixSocket.pair()
      let theirs = Descriptor(owning: far)
      let run: Run
      do {
        let ours = Descriptor(owning: near)
        try ours.write(input)
        run = try Run(
          "/usr/bin/unshare",
          ["--net", "/usr/bin/setpriv"] + member.become + [member.programs + "/thumblatch"]
            + words + ["--json"],
          environment: member.environment,
          input: theirs.number
        )
      }
      let text = try run.text()
      #expect(try run.child.wait() == .exited(5), "\(words): \(text)")
      let error = try object(text).object("error")
      #expect(try error.string("reason") == "offline", "\(words): \(text)")
      let message = try error.string("message")
      #expect(message.hasPrefix("no network: ") && message.contains("cannot be reached from here"))
    }
    let left = try member.run("logout", "work", "--json")
    #expect(left.end == .exited(12))
    let out = try object(left.text)
    #expect(try out.boolean("offline") && !out.boolean("revoked") && out.boolean("erased"))
    #expect(try out.string("reason").hasPrefix("no network: "))
    try member.endEngine()
  }
}
