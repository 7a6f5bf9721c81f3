import JSON
import System
import TestSupport
import Testing

/// A login of a real oidc-agent moves into the vault: django-oauth-toolkit rotates refresh tokens.
struct OIDCAgentImportTests {
  private static let client = "thumblatch-confidential"
  private static let clientSecret = "client-secret"
  /// Starts the agent, and waits until it listens, which is after its command has ended.
  private static let startAgent = """
    eval $(oidc-agent); trap 'kill $OIDCD_PID' EXIT
    timeout 120 sh -c 'until oidc-add --loaded >/dev/null 2>&1; do :; done'
    """

  /// A person whose oidc-agent has the account `work`, and its refresh token.
  private func signedIn() throws -> (Member, refresh: String) {
    let member = try Member(
      settings: ["client_id": Self.client, "client_secret": Self.clientSecret],
      certificate: "leaf.pem"
    )
    let first = try member.shell(
      """
      curl -s --cacert \(member.base)/ca.pem \(member.provider.issuer)/token/ \
        -d grant_type=password -d username=\(IdentityProvider.user) \
        -d password=\(IdentityProvider.password) -d client_id=\(Self.client) \
        -d client_secret=\(Self.clientSecret) \
        --data-urlencode 'scope=openid profile email read offline_access'
      """
    ).succeeded()
    let token = try object(first).string("refresh_token")
    let text = try member.shell(
      """
      exec 2>&1; export PW=agent-password
      \(Self.startAgent)
      oidc-gen --iss=\(member.provider.issuer) --cp=\(member.base)/ca.pem \
        --client-id=\(Self.client) --client-secret=\(Self.clientSecret) \
        --redirect-uri=http://localhost:4242 --scope='openid profile email read' \
        --rt=\(token) --flow=refresh --pw-env=PW --confirm-default work
      echo; oidc-gen --print work --pw-env=PW
      """
    ).succeeded()
    let start = try #require(text.firstRange(of: "{\n\t\"name\""), "\(text)").lowerBound
    let end = try #require(text[start...].firstIndex(of: "}"))
    return (member, try object(String(text[start...end])).string("refresh_token"))
  }

  /// Uses a refresh token as its first owner would, and returns the status.
  private func refresh(_ token: String, of member: Member) throws -> String {
    try member.shell(
      """
      curl -s --cacert \(member.base)/ca.pem -o /dev/null -w '%{http_code}' \
        \(member.provider.issuer)/token/ -d grant_type=refresh_token -d client_id=\(Self.client) \
        -d client_secret=\(Self.clientSecret) -d refresh_token=\(token)
      """
    ).succeeded()
  }

  @Test
  func theRecipeMovesALogin() throws {
    let (member, first) = try signedIn()
    let recipe = try ToolRecipe(
      "MOVE A LOGIN OF OIDC-AGENT",
      host: "idp.example.org",
      programs: member.programs
    )
    try member.provider.clear()
    let text = try member.shell(
      """
      set -eu; cd; exec 2>&1; export PATH=$HOME/typed:\(member.programs):$PATH PW=agent-password
      \(Self.startAgent)
      # This program types the password.
      mkdir typed; printf '#!/bin/sh\\nexec /usr/bin/oidc-gen "$@" --pw-env=PW\\n' >typed/oidc-gen
      chmod +x typed/oidc-gen
      thumblatch() { command thumblatch "$@" --provider idp --yes; }
      oidc-add work --pw-env=PW
      oidc-gen --print work >loaded
      \(recipe.script)
      if oidc-token work; then exit 9; fi
      ls -A ~/.oidc-agent ~/.config/oidc-agent || true
      """
    ).succeeded()
    // oidc-add has used the first token.
    let old = try object(member.shell("cat ~/loaded").succeeded()).string("refresh_token")
    #expect(old != first && text.contains("the login is removed from"), "\(text)")
    #expect(!text.contains(old) && !text.contains(Self.clientSecret), "\(text)")
    #expect(!text.split(separator: "\n").contains("work"), "\(text)")
    // One use of each token: by oidc-add, and by the vault.
    let sent = try member.provider.requests().filter { $0.path == "/o/token/" }.map(\.status)
    #expect(sent == [200, 200])
    #expect(try occurrences(of: [old, Self.clientSecret], in: member.state) == [0, 0])
    let token = try member.newerToken()
    #expect(!text.contains(token))
    #expect(try refresh(old, of: member) == "400")
  }

  /// oidc-agent names the certificate authority of the provider, so no file need be written.
  @Test
  func theCertificatesOfALoginAreMovedToo() throws {
    let (member, _) = try signedIn()
    let text = try member.shell(
      """
      exec 2>&1; export PATH=\(member.programs):$PATH PW=agent-password
      oidc-gen --print work --pw-env=PW | thumblatch import --from oidc-agent --yes
      cat ~/.config/thumblatch/providers.d/work.conf
      """
    ).succeeded()
    #expect(text.contains("  certificates: \(member.base)/ca.pem\n"), "\(text)")
    #expect(text.contains("\nca = work.pem\n"), "\(text)")
    _ = try member.newerToken()
  }

  /// The provider refuses a copy that was used since: oidc-agent keeps its file.
  @Test
  func aRefusedLoginStays() throws {
    let (member, old) = try signedIn()
    #expect(try refresh(old, of: member) == "200")
    let refused = try member.shell(
      """
      exec 2>&1; export PATH=\(member.programs):$PATH PW=agent-password
      oidc-gen --print work --pw-env=PW | thumblatch import --from oidc-agent --provider idp --yes
      echo "exit $?"; ls ~/.oidc-agent ~/.config/oidc-agent
      """
    ).text
    #expect(refused.contains("exit 8") && refused.contains("\nwork\n"), "\(refused)")
    #expect(!refused.contains(old))
    #expect(try member.run("status", "work").end == .exited(9))
  }
}
