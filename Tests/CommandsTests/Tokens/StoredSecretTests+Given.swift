import PresenceTerms
import TestSupport
import Testing
import VaultInterface

@testable import Commands

// The stored secrets that tools get.
extension StoredSecretTests {
  /// With another user's name, the server would refuse the password, and git would have it erased.
  @Test(arguments: [
    ("ann", "scheme = basic\n", true), ("Ann", "scheme = basic\n", true),
    ("", "scheme = basic\n", true), ("eve", "scheme = basic\n", false), ("eve", "", true),
  ])
  func gitGetsThePasswordOfTheUserThatItAsksFor(
    _ user: String,
    _ scheme: String,
    _ isGiven: Bool
  ) throws {
    let request = "protocol=https\nhost=git.example.org\nusername=\(user)\n\n"
    let (play, _) = try run("git-credential get", request, hosts: Self.hosts + scheme) { stage in
      guard isGiven else { return try stage.expectEnd() }
      try stage.knowTerms()
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "at")
    }
    #expect(play.code == .done && play.talk == "")
    #expect(play.out == (isGiven ? "username=ann\npassword=at\n" : ""))
  }

  @Test
  func aPasswordWithoutAUserNameGoesToBazelBesideTheUsualOne() throws {
    let (play, _) = try run(
      "bazel-credential get",
      #"{"uri":"https://git.example.org/x"}"#,
      hosts: "[git.example.org]\naccount = git\nscheme = basic\n"
    ) { stage in
      try stage.knowTerms()
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(token: "at")
    }
    #expect(play.out.contains(#"["Basic b2F1dGgyOmF0"]"#), "\(play.out)")
  }

  /// The tool may go on without a secret, or ask for one.
  @Test(arguments: [
    ("docker-credential get", "git.example.org", "credentials not found in native keychain\n"),
    ("terraform-credential get git.example.org", "", "{}\n"),
    (
      "cargo-credential",
      #"{"v":1,"kind":"get","registry":{"index-url":"sparse+https://git.example.org/"}}"#,
      #"{"Err":{"kind":"not-found""#
    ),
  ])
  func aToolIsToldThatThereIsNoSecret(_ line: String, _ input: String, _ part: String) throws {
    // An expired secret is still there.
    for (state, why) in [
      (AccountState.signedOut, "it no longer has a secret"),
      (.loginRequired, "its secret has expired"),
    ] {
      let (play, _) = try run(line, input) { stage in
        try stage.knowTerms()
        _ = try stage.expect(AccessTokenCall.self)
        try stage.fail(.loginRequired(account: "git", message: why))
        try stage.knowAccount(Self.account(state))
      }
      let isGone = state == .signedOut
      #expect(play.out.contains(part) == isGone, "\(play)")
      #expect((play.out + play.talk).contains("login required") != isGone, "\(play)")
    }
  }

  /// A host has one secret, and docker stores three then.
  @Test(arguments: [
    "https://index.docker.io/v1/access-token", "https://index.docker.io/v1/refresh-token",
    "index.docker.io/v1/refresh-token",
  ])
  func noTokenOfAWebLoginAtDockerHubIsKept(_ server: String) throws {
    let entry = "[index.docker.io]\naccount = git\n"
    for (action, input, code, part) in [
      (
        "store", #"{"ServerURL":"\#(server)","Username":"ann","Secret":"hunter2"}"#, 1,
        "use docker login -u NAME\n"
      ),
      ("get", server, 1, "credentials not found in native keychain\n"), ("erase", server, 0, ""),
    ] as [(String, String, Int32, String)] {
      let (play, hosts) = try run("docker-credential \(action)", input, hosts: entry) { stage in
        try stage.expectEnd()
      }
      #expect(play.code.rawValue == code && play.out.hasSuffix(part), "\(play)")
      #expect(play.talk == "" && hosts == entry)
    }
  }

  /// The vault keeps at most 32 KiB, and a message has at most 64 KiB.
  @Test(arguments: [33_000, 66_000, 1_000_000])
  func aSecretThatIsTooLongIsRefusedBeforeAnyCall(_ count: Int) throws {
    let secret = String(repeating: "x", count: count)
    for (line, input, code) in [
      ("git-credential store", Self.approved.replacing("hunter2", with: secret), 2),
      (
        "docker-credential store",
        #"{"ServerURL":"git.example.org","Username":"ann","Secret":"\#(secret)"}"#, 1
      ),
      (
        "cargo-credential",
        #"{"v":1,"kind":"login","token":"\#(secret)","registry":"#
          + #"{"index-url":"sparse+https://git.example.org/"}}"#, 0
      ),
      ("terraform-credential store git.example.org", #"{"token":"\#(secret)"}"#, 2),
    ] as [(String, String, Int32)] {
      let (play, hosts) = try run(line, input) { try $0.expectEnd() }
      let isLine = line.hasPrefix("git") && count > 65_535
      let said =
        isLine ? "a line is longer than 65535 bytes" : "the secret is longer than 32768 bytes"
      #expect(play.code.rawValue == code && (play.out + play.talk).contains(said), "\(line)")
      #expect(hosts == Self.hosts && (play.out + play.talk).utf8.count < 1000, "\(line)")
    }
  }

  /// podman logout --all erases all secrets in the list.
  @Test
  func dockersListEndsWithItsSecret() throws {
    let input = #"{"ServerURL":"git.example.org","Username":"ann","Secret":"hunter2"}"#
    let (docker, listed) = try run("docker-credential store", input) { stage in
      try stage.knowAccount(Self.account(.loginRequired))
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: Self.provider))
      _ = try Self.takeSecret(stage, "git")
    }
    #expect(docker.code == .done && listed.hasSuffix("scheme = basic\nstored-by = docker\n"))
    let (git, hosts) = try run("git-credential store", Self.approved, hosts: listed) { stage in
      try stage.knowAccount(Self.account(.loginRequired))
      _ = try stage.expect(AccountProviderCall.self)
      try stage.reply(AccountProviderReply(account: "git", provider: Self.provider))
      _ = try Self.takeSecret(stage, "git")
    }
    #expect(git.code == .done && hosts == Self.hosts + "scheme = basic\n")
    for (hosts, isListed) in [(listed, true), (hosts, false)] {
      let list = try run("docker-credential list", "unused", hosts: hosts) { try $0.expectEnd() }
      #expect(list.play.out.contains("git.example.org") == isListed)
    }
  }

  /// Git takes no such password from a helper, and a stored one would keep git from asking.
  @Test(arguments: ["\r", "\u{1B}", "\u{7F}", "\t"])
  func aPasswordThatGitTakesFromNoHelperIsNotStored(_ character: String) throws {
    let input = Self.approved.replacing("hunter2", with: "hunter\(character)2")
    let (play, hosts) = try run("git-credential store", input, hosts: "") { try $0.expectEnd() }
    #expect(play.code == .done && hosts == "", "\(play.talk)")
    #expect(play.talk.contains("is not stored") && !play.talk.contains("hunter"))
  }
}
