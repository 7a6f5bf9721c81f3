import System
import TestSupport
import Testing

/// The recipes of thumblatch-recipes(7), carried out as they stand there.
///
/// Debian 12 has no Bazel with the protocol and no Terraform: a script in the place of each reads
/// the file of the recipe, and calls the helper that it names as the tool does. skopeo reads
/// docker's file, and needs no daemon as docker does. Debian 12 has no varlinkctl: `VarlinkTools`
/// then sends what it sends.
@Suite(.serialized)
struct ToolRecipeTests {
  private let person: Person
  private let server: ToolServer

  init() throws {
    person = try Person()
    try person.register("work")
    server = try ToolServer(as: person)
  }

  /// Carries out a recipe and then a script.
  private func run(_ title: String, before: String = "", then script: String) throws -> String {
    let recipe = try ToolRecipe(
      title,
      host: server.host,
      programs: person.programs,
      socket: person.engineSocket
    )
    return try person.shell(
      """
      set -eu; export PATH=\(person.programs):$PATH
      export GIT_SSL_CAINFO=\(server.authority) GIT_CONFIG_NOSYSTEM=1
      cd ~
      exec 2>&1
      \(before)
      \(recipe.script)
      \(script)
      """
    ).succeeded()
  }

  @Test
  func git() throws {
    let path = "/git/app.git"
    let text = try run(
      "GIT",
      before: "git config --global url.https://\(server.host)\(path).insteadOf "
        + "https://\(server.host)/app.git",
      then: "git -C app status"
    )
    #expect(text.contains("No commits yet"), "\(text)")
    #expect(try server.log().contains { $0.hasPrefix("200 Basic oauth2 \(path)/info/refs") })
  }

  @Test
  func docker() throws {
    let text = try run(
      "DOCKER, PODMAN, SKOPEO",
      before: """
        mkdir certificates; cp \(server.authority) certificates/ca.crt
        docker() { skopeo inspect --cert-dir certificates docker://$2; }
        """,
      then: ""
    )
    #expect(text.contains("\"RepoTags\": ["), "\(text)")
    let manifest = "200 Basic oauth2accesstoken /v2/app/manifests/latest"
    #expect(try server.log().contains(manifest))
  }

  @Test
  func kubectl() throws {
    let text = try run(
      "KUBECTL",
      before: """
        kubectl config set-cluster k --server=https://\(server.host) \
          --certificate-authority=\(server.authority)
        kubectl config set-context c --cluster=k; kubectl config use-context c
        """,
      then: "kubectl get --raw /api"
    )
    #expect(text.contains("APIVersions"), "\(text)")
    #expect(try server.log().last == "200 Bearer - /api")
  }

  @Test
  func cargo() throws {
    let text = try run(
      "CARGO",
      then: person.vendoring(by: person.cargo(), server)
    )
    #expect(text.contains("Vendoring app v1.0.0") && !text.contains("at_"), "\(text)")
    #expect(try server.log().last == "200 Bearer - /crates/app/1.0.0/download")
  }

  @Test
  func bazel() throws {
    let text = try run(
      "BAZEL",
      then: """
        helper=$(sed 's/.*--credential_helper=[^=]*=//' ~/.bazelrc)
        host=$(sed 's/.*--credential_helper=\\([^=]*\\)=.*/\\1/' ~/.bazelrc)
        echo '{"uri":"https://'$host'/x"}' | $helper get
        """
    )
    #expect(text.contains("{\"headers\":{\"Authorization\":[\"Bearer at_"), "\(text)")
  }

  @Test
  func terraform() throws {
    let text = try run(
      "TERRAFORM, OPENTOFU",
      then: """
        name=$(sed -n 's/^credentials_helper "\\(.*\\)" {}$/\\1/p' ~/.terraformrc)
        ~/.terraform.d/plugins/terraform-credentials-$name get \(server.host)
        """
    )
    #expect(text.contains("{\"token\":\"at_"), "\(text)")
  }

  @Test
  func hosts() throws {
    let recipe = try ToolRecipe("HOSTS.CONF", host: "git.example.org", programs: person.programs)
    try person.shell(recipe.script).succeeded()
    let list = try person.run("host", "list").succeeded()
    #expect(list.contains("git.example.org:8443") && list.contains("work"), "\(list)")
  }

  @Test
  func varlink() throws {
    let tools = try VarlinkTools(for: person)
    let text = try run(
      "PYTHON, VARLINKCTL",
      before: tools.setting + "; thumblatch status",
      then: ""
    )
    let tokens = text.matches(of: /at_[A-Za-z0-9_-]+/).map { String($0.output) }
    #expect(tokens.count == 2 && Set(tokens).count == 1, "\(text)")
    #expect(try person.run("token", "work").succeeded() == tokens[0] + "\n")
  }

  /// There is no service manager of this person: a function in its place starts the unit.
  @Test
  func oidcAgent() throws {
    let text = try run(
      "OIDC-AGENT'S CLIENTS",
      before: """
        export XDG_RUNTIME_DIR=$HOME/run
        mkdir -m 700 $XDG_RUNTIME_DIR
        systemctl() {
          unit=~/.config/systemd/user/$4.service
          $(sed -n "s|%t|$XDG_RUNTIME_DIR|;s|^ExecStart=||p" $unit) >/dev/null 2>&1 &
          timeout 60 sh -c "until test -S $XDG_RUNTIME_DIR/$4; do :; done"
        }
        """,
      then: "kill $!"
    )
    #expect(text.hasSuffix(try person.run("token", "work").succeeded()), "\(text)")
  }

  @Test
  func eachSectionOfThePageIsCarriedOut() throws {
    let path = "\(BuiltPrograms.sourceDirectory)/Sources/Installed/usr/share/man/man7/"
    // The title of each section with a step of a recipe, and of one with another example.
    let program = #"""
      /^\.SH /{sub(/^\.SH (USE IT WITH )?/,"");s=$0} /^\.\\" (run|file)/{print s}
      /^\.EX/ && last !~ /^\.\\" (run|file)/{print "no step: " s} {last=$0}
      """#
    let page = try shell("awk '\(program)' \(path)thumblatch-recipes.7 | uniq")
    let titles = ToolRecipe.plain(page)
    #expect(
      titles.split(separator: "\n") == [
        "GIT", "DOCKER, PODMAN, SKOPEO", "KUBECTL", "CARGO", "BAZEL", "TERRAFORM, OPENTOFU",
        "PYTHON, VARLINKCTL", "OIDC-AGENT'S CLIENTS",
        // `SecretServiceClientTests` carries it out.
        "SECRET-TOOL, KEYRING",
        // `AIToolTests` carries these out.
        "CLAUDE CODE", "CODEX",
        // `AccountRecipeTests` and `SandboxTests` carry these out.
        "MCP SERVERS WITH A LOGIN OF THEIR OWN", "MOVE A LOGIN OF ANOTHER PROGRAM",
        // `OIDCAgentImportTests` carries it out.
        "MOVE A LOGIN OF OIDC-AGENT",
        // `OtherAIToolTests` carries it out.
        "OTHER AI TOOLS",
        "USE IT IN A SANDBOX", "KEEP A PASSWORD, A PERSONAL ACCESS TOKEN OR AN API KEY",
        "HOSTS.CONF",
      ]
    )
  }
}
