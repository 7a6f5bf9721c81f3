import DesktopPrompt
import PresenceTerms
import VaultInterface

@testable import Commands

// Other tools: the hosts that get a token, and the helpers.
extension Situation {
  private static let forge = """
    [git.example.org]
    account = work
    scope = read write
    username = oauth2

    [http://localhost:3000]
    account = dev

    """

  static let hosts: [Situation] = [
    Situation("host list", "none").with(hosts: ""),
    Situation("host list", "two").with(hosts: forge),
    Situation("host list", "a fault in the file").with(hosts: "[a.org]\naccount = work\nx = y\n"),
    Situation("host list", "text that is not UTF-8").with(hosts: "[a.org]\naccount = \u{1}\n"),
    Situation("host add git.example.org work", "a new host") { try $0.knowTerms() }
      .with(hosts: ""),
    Situation(
      "host add a.org work",
      "an account that is not there",
      RequestTermsCall.self,
      fails: .noSuchAccount(account: "work")
    ).with(hosts: ""),
    Situation("host add a.org git", "a host that the secret is not for") { stage in
      try stage.knowTerms()
      try stage.knowAccount(StoredSecretTests.account())
    }.with(hosts: ""),
    Situation("host add a.org docs", "a host that is not the MCP server") { stage in
      try stage.knowTerms(resource: "https://mcp.example.org/mcp")
    }.with(hosts: ""),
    Situation("host add git.example.org work", "a host that is there").with(hosts: forge),
    Situation("host add *.example.org work", "a pattern").with(hosts: ""),
    Situation("host add http://example.org work", "plain http").with(hosts: ""),
    Situation("host add a.org work --min-ttl 90", "no unit").with(hosts: ""),
    Situation("host add a.org work --username a:b", "a user name with a colon").with(hosts: ""),
    Situation("host add a.org work --audience a\nb=c", "a line end").with(hosts: ""),
    Situation("host remove git.example.org", "a host that is there").with(hosts: forge),
    Situation("host remove a.org", "a host that is not there").with(hosts: forge),
  ]

  private static let git = "protocol=https\nhost=git.example.org\n"

  private static func token(_ line: String, _ what: String, input: String) -> Situation {
    Situation(line, what) { stage in
      if !line.hasPrefix("kube") { try stage.knowTerms() }
      _ = try stage.expect(AccessTokenCall.self)
      try stage.reply(
        AccessTokenReply(
          account: "work",
          accessToken: "at_1",
          tokenType: "Bearer",
          expiresAt: 1_763_717_400,
          shorterThanRequested: false
        )
      )
    }.with(hosts: forge).with(input: input)
  }

  private static func tool(_ line: String, _ what: String, input: String) -> Situation {
    Situation(line, what).with(hosts: forge).with(input: input)
  }

  /// The account of the host signs in.
  private static func serving(_ line: String, _ what: String, input: String) -> Situation {
    Situation(line, what) { stage in
      let count = line == "cargo-credential" ? 2 : 1
      for _ in 0..<count { try stage.knowAccount(VerbTests.account) }
    }.with(hosts: forge).with(input: input)
  }

  private static func cargo(_ kind: String, _ host: String) -> String {
    #"{"v":1,"kind":"\#(kind)","token":"t","registry":{"index-url":"sparse+https://\#(host)/index/"}}"#
      + "\n"
  }

  /// The account of the host keeps no secret.
  private static func without(_ line: String, input: String) -> Situation {
    Situation(line, "the account keeps no secret") { stage in
      try stage.knowTerms()
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "work", message: "it no longer has a secret"))
      try stage.knowAccount(StoredSecretTests.account(.signedOut))
    }.with(hosts: forge).with(input: input)
  }

  static let tools: [Situation] = [
    token("git-credential get", "git before 2.46", input: git),
    token("git-credential get", "git that sends tokens", input: "capability[]=authtype\n" + git),
    tool("git-credential get", "a host that is not named", input: "protocol=https\nhost=a.org\n"),
    tool("git-credential get", "no host", input: "protocol=https\n"),
    tool("git-credential get", "not of the form", input: "x\n"),
    Situation("git-credential get", "the secret of another host") { stage in
      try stage.knowTerms(issuer: "https://b.org")
      try stage.knowAccount(StoredSecretTests.account())
    }.with(hosts: forge).with(input: git),
    Situation("git-credential get", "the stored password is of no use") { stage in
      try stage.knowTerms()
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(.loginRequired(account: "git", message: "it no longer has a secret"))
      try stage.knowAccount(StoredSecretTests.account(.signedOut))
    }.with(hosts: forge).with(input: git),
    Situation("git-credential get", "the account is gone") { stage in
      _ = try stage.expect(RequestTermsCall.self)
      try stage.fail(.noSuchAccount(account: "work"))
    }.with(hosts: forge).with(input: git),
    without("docker-credential get", input: "git.example.org"),
    without("cargo-credential", input: cargo("get", "git.example.org")),
    without("terraform-credential get git.example.org", input: ""),
    tool(
      "docker-credential store",
      "a web login at Docker Hub",
      input: #"{"ServerURL":"https://index.docker.io/v1/access-token","Username":"u","Secret":"s"}"#
    ),
    Situation("kube-credential git", "a cluster without https") { stage in
      try stage.knowTerms()
      try stage.knowAccount(StoredSecretTests.account())
    }.with(environment: [
      "KUBERNETES_EXEC_INFO":
        #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","#
        + #""spec":{"cluster":{"server":"http://10.0.0.1:8080"}}}"#
    ]),
    Situation("git-credential get", "a person calls it").with(hosts: forge),
    tool("git-credential capability", "its capabilities", input: ""),
    Situation("git-credential get", "a check is needed, and there is no desktop") { stage in
      try stage.knowTerms()
      // The first call is made without a prompt.
      for _ in 0..<2 {
        _ = try stage.expect(AccessTokenCall.self)
        try stage.needPresence()
      }
      try stage.expectEnd()
    }.with(hosts: forge).with(input: git).withoutTerminal(.noServer(reason: "it ended")),
    token("docker-credential get", "a registry", input: "git.example.org"),
    tool("docker-credential get", "a registry that is not named", input: "a.org"),
    serving(
      "docker-credential erase",
      "a registry that gets tokens",
      input: "git.example.org"
    ),
    Situation("docker-credential list", "one of docker login, and two others")
      .with(hosts: forge + "\n[a.org]\naccount = a\nusername = ann\nstored-by = docker\n")
      .with(input: "unused"),
    tool("docker-credential frob", "an action of no kind", input: ""),
    token("kube-credential work", "no variable", input: ""),
    Situation("kube-credential work", "a variable of another version").with(environment: [
      "KUBERNETES_EXEC_INFO":
        #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1"}"#
    ]),
    token("cargo-credential", "a registry", input: cargo("get", "git.example.org")),
    serving(
      "cargo-credential",
      "what cargo does not get",
      input: cargo("get", "a.org") + cargo("logout", "git.example.org")
        + cargo("login", "git.example.org") + cargo("login", "ftp://x") + cargo("renew", "a.org")
        + cargo("get", "a.org").replacing("sparse+", with: "") + "x\n"
    ),
    token(
      "bazel-credential get",
      "a host",
      input: #"{"uri":"https://git.example.org/x"}"#
    ),
    tool("bazel-credential get", "a host that is not named", input: #"{"uri":"https://a.org"}"#),
    tool("bazel-credential put", "another command", input: ""),
    token("terraform-credential get git.example.org", "a host", input: ""),
    tool("terraform-credential get a.org", "a host that is not named", input: ""),
    serving("terraform-credential forget git.example.org", "a host that gets tokens", input: ""),
    tool("terraform-credential frob a.org", "an action of no kind", input: ""),
  ]
}
