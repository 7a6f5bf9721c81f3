import Glibc
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

struct HostVerbTests {
  /// Adds a host for an account that may come later.
  private func add(_ line: String, _ home: ProviderHome) throws -> Play {
    try home.run("host add " + line) { stage in
      let call = try stage.expect(RequestTermsCall.self)
      try stage.fail(.noSuchAccount(account: call.account ?? ""))
    }
  }

  @Test
  func aHostIsAddedListedAndRemoved() throws {
    let home = try ProviderHome()
    #expect(try home.run("host list").talk.contains("no hosts yet"))
    let added = try add(
      "Git.Example.org:443 work --scope read~write --username oauth2 --min-ttl 15m",
      home
    )
    #expect(added.code == .done)
    #expect(
      added.talk == """
        git.example.org gets tokens of work from now on
        note: there is no account work yet; to sign in: thumblatch login work

        """
    )
    #expect(try add("http://localhost:3000 dev --json", home).out.contains("localhost:3000"))
    let list = try home.run("host list --json").out
    for part in [
      #"{"host":"git.example.org","account":"work","scope":"read write","audience":null"#,
      #""min_ttl":900,"username":"oauth2"}"#, #"{"host":"http://localhost:3000""#,
    ] { #expect(list.contains(part), "\(list)") }
    #expect(try home.run("host list").out.contains("read write"))
    #expect(try home.run("host add git.example.org other").code == .usage)
    #expect(try home.run("host remove git.example.org").code == .done)
    #expect(try home.run("host remove git.example.org").code == .notFound)
    #expect(!(try home.run("host list").out.contains("git.example.org")))
  }

  @Test
  func aHostThatTheTokenIsNotForIsNotAdded() throws {
    let home = try ProviderHome()
    let secret = try home.run("host add a.org git") { stage in
      try stage.knowTerms()
      try stage.knowAccount(StoredSecretTests.account())
    }
    #expect(secret.code == .refused && secret.talk.contains("it is for https://git.example.org"))
    let server = try home.run("host add a.org docs") { stage in
      try stage.knowTerms(resource: "https://mcp.example.org/mcp")
    }
    #expect(server.code == .refused && server.talk.contains("https://mcp.example.org/mcp"))
    let signedIn = try home.run("host add a.org work") { stage in
      try stage.knowTerms()
      try stage.knowAccount(VerbTests.account)
    }
    #expect(
      signedIn.code == .done && home.settings("thumblatch/hosts.conf")?.contains("docs") == false
    )
  }

  @Test
  func theFileIsPrivateAndWholeOrUnchanged() throws {
    let home = try ProviderHome()
    #expect(try add("a.org work", home).code == .done)
    let directory = try Directory(path: home.path + "/thumblatch")
    #expect(try directory.openForReading("hosts.conf").status().mode & 0o777 == 0o600)
    #expect(try directory.names() == ["hosts.conf"])
    // Another program holds the directory.
    let other = try Directory(path: home.path + "/thumblatch")
    #expect(try other.descriptor.lockExclusively())
    #expect(try add("b.org work", home).code == .busy)
    #expect(try home.run("host list").out.contains("a.org"))
  }

  @Test(arguments: [
    "host add *.example.org work", "host add example.org/path work", "host add a@b work",
    "host add http://example.org work", "host add example.org ../work",
    "host add example.org work --username a:b", "host add example.org work --min-ttl 90",
    "host add example.org work --audience a\nusername~=~evil", "host remove http://example.org",
  ])
  func aHostOrSettingThatIsNotAllowedChangesNothing(_ line: String) throws {
    let home = try ProviderHome()
    #expect(try add("a.org work", home).code == .done)
    #expect(try home.run(line).code == .usage)
    #expect(try home.run("host list --json").out.contains(#"[{"host":"a.org""#))
  }

  @Test
  func aFileThatOthersCanChangeIsNotUsed() throws {
    let home = try ProviderHome()
    try home.writeHosts("[a.org]\naccount = work\n", mode: 0o666)
    #expect(try home.run("host list").code == .unsafeVault)
    try home.writeHosts("[a.org]\nfrob = work\n")
    let list = try home.run("host list")
    #expect(list.code == .usage && list.talk.contains("hosts.conf:1: account: is missing"))
  }

  @Test
  func withoutVariablesTheFileIsInTheHomeOfTheUserDatabase() throws {
    let hosts = try HostAccounts { _ in nil }
    let entry = unsafe getpwuid(getuid())
    let home = unsafe entry.map { unsafe String(cString: $0.pointee.pw_dir) }
    let expected = try #require(home) + "/.config/thumblatch/hosts.conf"
    #expect(hosts.path == expected)
    #expect(
      try HostAccounts { $0 == "HOME" ? "/h" : nil }.path == "/h/.config/thumblatch/hosts.conf"
    )
  }
}
