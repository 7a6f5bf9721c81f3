import Glibc
import JSON
import System
import TestSupport
import Testing

/// Real tools that get their tokens from the vault: git, the registry client of docker-py, cargo.
@Suite(.serialized)
struct ToolClientTests {
  private static func git(
    _ person: Someone,
    _ server: ToolServer,
    _ script: String
  ) throws
    -> Someone.Outcome
  {
    try person.shell(
      """
      set -eu; umask 077
      export PATH=\(person.programs):$PATH GIT_CONFIG_NOSYSTEM=1
      git config --global http.sslCAInfo \(server.authority)
      git config --global credential.helper thumblatch
      git config --global user.name Ada; git config --global user.email ada@example.org
      cd ~
      \(script)
      """
    )
  }

  @Test
  func gitClonesAndPushesWithTheVaultsToken() throws {
    let person = try Person()
    try person.register()
    let server = try ToolServer(as: person)
    try person.run("host", "add", server.host, "me").succeeded()
    let text = try Self.git(
      person,
      server,
      """
      git clone https://\(server.host)/git/app.git app 2>&1
      cd app; echo one >file; git add file; git commit -qm one
      git push origin HEAD:main 2>&1
      cd ..; git clone https://\(server.host)/git/app.git second 2>&1; cat second/file
      """
    ).succeeded()
    #expect(text.hasSuffix("one\n"))
    let token = try person.run("token", "me").succeeded()
    #expect(token.hasPrefix("at_") && !text.contains(token.dropLast()))
    let log = try server.log()
    #expect(log.contains { $0.hasPrefix("200 Basic oauth2 /git/app.git/git-receive-pack") })
    // Git asks without a token first, and is refused only then.
    #expect(!log.contains { $0.hasPrefix("401 Basic") })
    #expect(try person.shell("grep -r at_ ~/app/.git ~/second/.git ~/.gitconfig").text == "")
  }

  @Test
  func aRefusedTokenIsNotGivenAgain() throws {
    let person = try Person()
    try person.register()
    let server = try ToolServer(as: person)
    try person.run("host", "add", server.host, "me").succeeded()
    let list = "git ls-remote https://\(server.host)/git/app.git 2>&1"
    try Self.git(person, server, list).succeeded()
    let token = try person.run("token", "me").succeeded()
    try server.reject(String(token.dropLast()))
    _ = try server.log()
    // Git stops after a refusal, and tells its helper.
    let refused = try Self.git(person, server, list)
    #expect(refused.end != .exited(0) && refused.text.contains("Authentication failed"))
    try Self.git(person, server, list).succeeded()
    let newer = try person.run("token", "me").succeeded()
    #expect(newer != token && newer.hasPrefix("at_"))
    #expect(try server.log().filter { $0.hasPrefix("401 Basic") }.count == 1)
  }

  @Test
  func aHostThatTheUserDidNotNameGetsNoToken() throws {
    let person = try Person()
    try person.register()
    let server = try ToolServer(as: person)
    try person.run("host", "add", "127.0.0.1:1", "me").succeeded()
    try person.run("host", "add", "localhost", "me").succeeded()
    for host in [server.host, "localhost:" + server.port] {
      let text = try Self.git(person, server, "git ls-remote https://\(host)/git/app.git 2>&1").text
      #expect(text.contains("could not read Username"), "\(text)")
    }
    let log = try server.log()
    #expect(!log.isEmpty && log.allSatisfy { $0.hasPrefix("401 none ") })
    #expect(try person.backend.requests().allSatisfy { $0.path != "/auth/refresh" })
  }

  @Test
  func withoutAPersonGitIsToldWhyAndAsksNothing() throws {
    let person = try Person()
    try person.register()
    try person.enroll()
    let protection = try person.terminal("presence", "enable", "me")
    try protection.expect("Touch the fingerprint reader")
    try person.touch()
    try protection.end()
    try person.run("lock").succeeded()
    let server = try ToolServer(as: person)
    try person.run("host", "add", server.host, "me").succeeded()
    // The stored token needs no check. Once it is refused, a newer one does.
    let list = "git ls-remote https://\(server.host)/git/app.git"
    try Self.git(person, server, list).succeeded()
    try server.reject(String(try person.run("token", "me").succeeded().dropLast()))
    #expect(try Self.git(person, server, list + " 2>&1").text.contains("Authentication failed"))
    // At a terminal, which is git's: the helper neither asks nor writes there.
    let terminal = try TerminalSession(
      ["/usr/bin/setpriv"] + person.become + [
        "/bin/sh", "-c",
        """
        PATH=\(person.programs):$PATH; export GIT_SSL_CAINFO=\(server.authority)
        git -c credential.helper=thumblatch \(list.dropFirst(4)) 2>~/said; echo ended: $?
        """,
      ],
      environment: person.environment,
      columns: 80
    )
    try terminal.expect("ended: 128")
    #expect(try !terminal.end().contains("presence"))
    let said = try person.shell("cat ~/said").text
    #expect(said.contains("thumblatch unlock me"), "\(said)")
    #expect(said.contains("told us to quit"), "\(said)")

    let unlock = try person.terminal("unlock", "me")
    try unlock.expect("Touch the fingerprint reader")
    try person.touch()
    try unlock.end()
    try Self.git(person, server, list).succeeded()
  }

  @Test
  func cargoGetsACrateWithTheVaultsToken() throws {
    let person = try Person()
    try person.register()
    let server = try ToolServer(as: person)
    let vendor = try """
    export PATH=\(person.programs):$PATH
    mkdir -p ~/.cargo
    cat >~/.cargo/config.toml <<END
    [registries.example]
    index = "sparse+https://\(server.host)/index/"
    credential-provider = "cargo-credential-thumblatch"
    END
    \(person.vendoring(by: person.cargo(), server))
    """
    // The user did not name the host.
    #expect(try person.shell(vendor).end != .exited(0))
    let refused = try server.log()
    #expect(!refused.isEmpty && refused.allSatisfy { $0.hasPrefix("401 none ") }, "\(refused)")
    try person.run("host", "add", server.host, "me").succeeded()
    #expect(try person.shell(vendor).succeeded().contains("Vendoring app v1.0.0"))
    let log = try server.log()
    #expect(log.contains("200 Bearer - /index/3/a/app"), "\(log)")
    #expect(log.last == "200 Bearer - /crates/app/1.0.0/download", "\(log)")
    #expect(try person.shell("grep -rl at_ ~/.cargo ~/crate").text == "")
    // cargo shows why the account's tokens are not replaced or removed.
    for command in ["login", "logout"] {
      let refused = try person.shell(
        """
        export PATH=\(person.programs):$PATH CARGO_HTTP_CAINFO=\(server.authority)
        echo other | \(person.base)/cargo \(command) --registry example 2>&1
        """
      )
      #expect(refused.end != .exited(0))
      #expect(refused.text.contains("thumblatch host remove \(server.host)"), "\(refused.text)")
    }
  }

  @Test
  func aClientOfRegistriesFindsItsHelperAndPulls() throws {
    let person = try Person()
    try person.register()
    let server = try ToolServer(as: person)
    try person.run("host", "add", server.host, "me", "--username", "robot").succeeded()
    let packages = try person.pythonPackages(
      "docker",
      "requests",
      "urllib3",
      "certifi",
      "idna",
      "charset_normalizer"
    )
    let text = try person.shell(
      """
      export PATH=\(person.programs):$PATH PYTHONPATH=\(packages)
      mkdir ~/.docker
      echo '{"credHelpers": {"\(server.host)": "thumblatch", "localhost:1": "thumblatch"}}' \
        >~/.docker/config.json
      python3 - \(server.host) \(server.authority) <<'END' 2>&1
      import sys
      import requests
      from docker.auth import load_config
      from docker.credentials import Store
      from docker.credentials.errors import CredentialsNotFound, StoreError
      host, authority = sys.argv[1:]
      found = load_config().resolve_authconfig(host)
      answer = requests.get(f"https://{host}/v2/app/manifests/latest", verify=authority,
                            auth=(found["Username"], found["Password"]))
      print("pulled", answer.status_code, answer.json()["schemaVersion"])
      print("other", load_config().resolve_authconfig("localhost:1"))
      store = Store("thumblatch")
      print("list", store.list())
      try:
          store.get("evil.net")
      except CredentialsNotFound:
          print("not found")
      store.store("registry.org", "u", "hunter2")
      found = store.get("registry.org")
      print("stored", found["Username"], found["Secret"] == "hunter2")
      print("now", store.list())
      try:
          store.erase(host)
      except StoreError as error:
          print("erase", error)
      store.erase("registry.org")
      print("left", store.list())
      END
      """
    ).succeeded()
    #expect(text.contains("pulled 200 2\nother None\n"), "\(text)")
    #expect(text.contains("list {}\nnot found\n"), "\(text)")
    // Only what docker login has stored is listed.
    #expect(text.contains("stored u True\nnow {'registry.org': 'u'}\n"), "\(text)")
    #expect(text.contains("left {}\n"), "\(text)")
    #expect(text.contains("thumblatch host remove \(server.host)"), "\(text)")
    #expect(!text.contains("hunter2") && !text.contains("at_"))
    #expect(try server.log() == ["200 Basic robot /v2/app/manifests/latest"])
  }
}
