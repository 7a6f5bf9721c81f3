import Testing

@testable import Configuration

struct HostFileTests {
  private func file(_ text: String) throws -> HostFile {
    try HostFile(text: text, file: "hosts.conf")
  }

  private func problem(_ text: String) -> String? {
    do {
      _ = try file(text)
      return nil
    } catch { return "\(error)" }
  }

  @Test
  func aSectionNamesTheHostAndTheTokenForIt() throws {
    let hosts = try file(
      """
      # The forge.
      [Git.Example.org]
      account = work
      scope = write read
      audience = https://git.example.org/
      min-ttl = 15m
      username = oauth2
      stored-by = docker

      [http://localhost:3000]
      account = dev
      """
    )
    let entry = try #require(hosts[try TokenHost(ofURL: "https://git.example.org/a/b.git")])
    #expect(entry.host.text == "git.example.org" && entry.account.text == "work")
    #expect(entry.scope == "read write" && entry.audience == "https://git.example.org/")
    #expect(entry.minimumLifetime == 900 && entry.username == "oauth2")
    #expect(entry.isStoredByDocker && !entry.isBasic)
    let local = try #require(hosts[try TokenHost(ofURL: "http://localhost:3000/")])
    #expect(local.account.text == "dev" && !local.isStoredByDocker)
    #expect(hosts.entries.count == 2)
  }

  @Test(arguments: [
    "https://example.org:8443/", "https://example.org:443/x", "HTTPS://EXAMPLE.ORG",
    "https://example.org?x", "https://example.org#x",
  ])
  func aHostIsFoundByItsNameAndPort(_ url: String) throws {
    let hosts = try file("[example.org]\naccount = a\n[example.org:8443]\naccount = b\n")
    let expected = url.contains("8443") ? "b" : "a"
    #expect(hosts[try TokenHost(ofURL: url)]?.account.text == expected)
  }

  /// Each reads like the host in the file to one parser or another.
  @Test(arguments: [
    "https://example.org.evil.net/", "https://evil.net/example.org", "https://xexample.org/",
    "https://www.example.org/", "https://example.org:444/", "http://127.0.0.1:443/",
    "http://127.0.0.1/", "https://[::1]/",
  ])
  func noOtherHostGetsTheToken(_ url: String) throws {
    let hosts = try file("[example.org]\naccount = a\n[127.0.0.1]\naccount = b\n")
    #expect(hosts[try TokenHost(ofURL: url)] == nil)
  }

  @Test(arguments: [
    "http://example.org/", "https://example.org@evil.net/", "https://evil.net\\@example.org/",
    "https://example.org%2eevil.net/", "https://exa mple.org/", "https://example.org:0/",
    "https://example.org:99999/", "https://ex\u{430}mple.org/", "https://127.1/", "https:///", "",
    "file:///etc/passwd", "https://example.org./", "https://example.org\r\n.evil.net/",
    "https://" + String(repeating: "a", count: 9000),
  ])
  func aURLThatParsersMayReadDifferentlyIsRefused(_ url: String) {
    #expect(throws: ConfigurationError.self) { try TokenHost(ofURL: url) }
  }

  @Test(arguments: [
    ("[example.org]\n", "hosts.conf:1: account: is missing"),
    ("[example.org]\naccount = ../x\n", "hosts.conf:2: account: \"../x\" is not an account name"),
    ("[example.org]\naccount = a\nfrob = 1\n", "hosts.conf:3: frob: unknown key"),
    ("[a.org]\naccount = a\nstored-by = git\n", "hosts.conf:3: stored-by: must be docker"),
    ("[*.example.org]\naccount = a\n", "hosts.conf:1: must be a host such as"),
    ("[example.org/path]\naccount = a\n", "hosts.conf:1: must be a host such as"),
    ("[http://example.org]\naccount = a\n", "hosts.conf:1: must be https, or http to this machine"),
    ("[a.org]\naccount = a\n\n[A.ORG:443]\naccount = b\n", "hosts.conf:4: section [A.ORG:443]"),
    ("[a.org]\naccount = a\nmin-ttl = 90\n", "hosts.conf:3: min-ttl: must be a duration"),
    ("[a.org]\naccount = a\nmin-ttl = 400d\n", "hosts.conf:3: min-ttl: must be a duration"),
    ("[a.org]\naccount = a\nusername = a:b\n", "hosts.conf:3: username: must be a user name"),
    ("[a.org]\naccount = a\nscope = \"\n", "hosts.conf:3: scope: must be 1 to"),
    ("account = a\n", "hosts.conf:1: a key = value stands before"),
    ("[a.org]\naccount = a\u{202E}b\n", "hosts.conf:2: holds a control character"),
  ])
  func anErrorNamesFileAndLine(_ text: String, _ expected: String) throws {
    let found = try #require(self.problem(text))
    #expect(found.hasPrefix(expected), "\(found)")
  }

  @Test
  func bytesThatAreNoTextAreAnError() {
    #expect(throws: ConfigurationError.self) { try HostFile(bytes: [0xFF], file: "hosts.conf") }
  }

  @Test
  func moreThanTheMostHostsAreAnError() throws {
    let sections = (0...256).map { "[h\($0)]\naccount = a\n" }
    #expect(try file(sections.dropLast().joined()).entries.count == 256)
    #expect(problem(sections.joined())?.contains("at most 256 hosts") == true)
  }

  @Test
  func aSectionIsAddedAndRemovedAndTheRestStays() throws {
    let before = "# mine\n[a.org]\naccount = a\n"
    let added = try file(before).adding(
      try TokenHost("b.org"),
      settings: [("account", "b"), ("username", "u")]
    )
    #expect(added == before + "\n[b.org]\naccount = b\nusername = u\n")
    #expect(try file(added).removing(TokenHost("B.ORG:443")) == before)
    #expect(
      try file(added).removing(TokenHost("a.org"))
        == "# mine\n\n[b.org]\naccount = b\nusername = u\n"
    )
    #expect(try file(added).removing(TokenHost("c.org")) == nil)
    #expect(
      try file("").adding(TokenHost("b.org"), settings: [("account", "b")])
        == "[b.org]\naccount = b\n"
    )
  }

  @Test
  func theEntriesOfAnAccountGetItsNewName() throws {
    let before =
      "# old\n[a.org]\r\n account\t=  old \r\nscope = old\n\n[b.org]\naccount = other\n[c.org]\n"
      + "# account = old\nmin-ttl = 1m\naccount=old"
    let after =
      "# old\n[a.org]\r\n account\t=  work-2 \r\nscope = old\n\n[b.org]\naccount = other\n[c.org]\n"
      + "# account = old\nmin-ttl = 1m\naccount=work-2"
    #expect(try file(before).renaming("old", to: AccountName("work-2")) == after)
    #expect(try file(before).renaming("ol", to: AccountName("work-2")) == before)
  }

  @Test(arguments: ["b\nusername = evil", "b\n[evil.net]\naccount = b", "b\u{0}", "b\r\nx = y"])
  func aValueCannotAddASettingOfItsOwn(_ value: String) {
    #expect(throws: ConfigurationError.self) {
      try file("").adding(TokenHost("b.org"), settings: [("account", "b"), ("audience", value)])
    }
  }
}
