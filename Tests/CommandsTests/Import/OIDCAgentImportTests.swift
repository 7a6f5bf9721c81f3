import JSON
import SecretMemory
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

/// `import --from oidc-agent`: the output of oidc-gen, and the encrypted file that is removed.
struct OIDCAgentImportTests {
  /// The output of oidc-gen 4.2.6 for a public test client, with other names and secrets.
  static func printed(_ changes: [(String, String)] = []) -> String {
    var text = """
      {
      \t"name":\t"work",
      \t"client_name":\t"oidc-agent:work-vm",
      \t"issuer_url":\t"https://id.example.com/",
      \t"device_authorization_endpoint":\t"",
      \t"daeSetByUser":\t0,
      \t"client_id":\t"c1",
      \t"client_secret":\t"hunter2",
      \t"refresh_token":\t"old-rt",
      \t"cert_path":\t"/etc/ssl/certs/ca-certificates.crt",
      \t"scope":\t"openid tools",
      \t"audience":\t"",
      \t"redirect_uris":\t["edu.kit.data.oidc-agent:/redirect", "http://localhost:4242"],
      \t"username":\t"",
      \t"password":\t""
      }

      """
    for (old, new) in changes { text = text.replacing(old, with: new) }
    return text
  }

  /// The form of its file: lengths, nonce, salt, parameters, the encrypted text, and the version.
  static let file =
    "409\nbm9uY2U=\nc2FsdA==\n24:16:16:32:1:2:67108864:2\naGlkZGVu\n"
    + "Generated using version: 4.2.6"

  /// The output's line about certificates, by default.
  static let system = "/etc/ssl/certs/ca-certificates.crt"

  private let verbs = ImportVerbTests()

  private func home() throws -> ProviderHome {
    let home = try ProviderHome()
    try home.writeSettings(Self.file, "oidc-agent/work")
    return home
  }

  private func entry(_ text: String) throws -> ForeignEntry? {
    let document = try JSONReader.read(Array(text.utf8), ToolLogins.rules)
    return ToolLogins(source: .oidcAgent, document: document).entries.first
  }

  @Test
  func theOutputOfItsProgramIsRead() throws {
    let found = try #require(try entry(Self.printed()))
    guard case .login(let login) = found.content, case .wholeFile = found.removal else {
      Issue.record("no login")
      return
    }
    #expect(found.name == "work" && login.clientID == "c1" && login.clientSecret != nil)
    #expect(login.issuers == ["https://id.example.com", "https://id.example.com/"])
    #expect(login.redirect == "http://localhost:4242" && login.scopes == ["openid", "tools"])
    #expect(login.server == nil && login.audience == nil && login.refreshToken.bytes.count == 6)
    #expect(login.certificateFile == nil)
    let other = try entry(
      Self.printed([("\"hunter2\"", "\"\""), ("\"audience\":\t\"\"", "\"audience\":\t\"api\"")])
    )
    guard case .login(let login)? = other?.content else {
      Issue.record("no login of a public client")
      return
    }
    #expect(login.clientSecret == nil && login.audience == "api")
    for change in [("\"old-rt\"", "\"\""), ("\"c1\"", "7"), ("issuer_url", "issuer")] {
      guard case .unmovable? = try entry(Self.printed([change]))?.content else {
        Issue.record("\(change) is movable")
        continue
      }
    }
    for text in ["[]", "{}", "7", #"{"name":""}"#, #"{"name":7}"#] {
      #expect(try entry(text) == nil)
    }
  }

  /// oidc-agent ends each issuer with a slash, also that of a provider that has none.
  @Test(arguments: [false, true])
  func aLoginIsMovedAndItsFileRemoved(_ endsWithSlash: Bool) throws {
    let home = try home()
    let play = try verbs.run(
      home,
      "--from oidc-agent --yes",
      input: Array(Self.printed().utf8)
    ) { stage in
      let issuer = ImportVerbTests.issuer + (endsWithSlash ? "/" : "")
      if endsWithSlash {
        let call = try stage.expect(TestProviderCall.self)
        #expect(call.provider.settings["issuer"] == ImportVerbTests.issuer)
        try stage.fail(.misconfigured(message: "the issuer is another"))
      }
      let test = try stage.expect(TestProviderCall.self)
      #expect(test.provider.settings["issuer"] == issuer)
      var metadata = ImportVerbTests.metadata
      metadata.issuer = issuer
      metadata.clientAuthentication = ["client_secret_post"]
      try stage.reply(metadata)
      let call = try stage.expect(ImportLoginCall.self)
      let settings = call.provider.settings
      #expect(call.account == "work" && settings["kind"] == "oidc" && settings["issuer"] == issuer)
      #expect(settings["client_id"] == "c1" && settings["client_authentication"] == "post")
      #expect(settings["redirect_uri"] == "http://localhost:4242")
      #expect(call.provider.clientSecret != nil && call.refreshToken.bytes.count == 6)
      var account = VerbTests.account
      account.name = "work"
      try stage.reply(ImportLoginReply(account: account, rotated: true))
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(home.settings("oidc-agent/work") == nil)
    #expect(play.talk.contains("thumblatch agent --oidc-agent"), "\(play.talk)")
  }

  /// A provider with its own certificate authority needs no other command.
  @Test
  func theCertificatesOfALoginAreCopied() throws {
    let home = try home()
    try home.writeSettings("The root:\n" + Situation.certificate, "ca/root.pem")
    let path = home.path + "/ca/root.pem"
    let play = try verbs.run(
      home,
      "--from oidc-agent --yes",
      input: Array(Self.printed([(Self.system, path)]).utf8)
    ) { stage in
      let test = try stage.expect(TestProviderCall.self)
      #expect(test.provider.settings["ca"] == Situation.certificate)
      try stage.reply(ImportVerbTests.metadata)
      let call = try stage.expect(ImportLoginCall.self)
      #expect(call.provider.settings["ca"] == Situation.certificate)
      var account = VerbTests.account
      account.name = "work"
      try stage.reply(ImportLoginReply(account: account, rotated: true))
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(play.screen.contains("certificates: \(path)"), "\(play.screen)")
    #expect(try home.text("work").contains("\nca = work.pem\n"))
    let kept = try Directory(path: home.files).openForReading("work.pem").readAll(limit: 1024)
    #expect(String(decoding: kept, as: UTF8.self).hasSuffix("\n" + Situation.certificate))
    #expect(home.settings("oidc-agent/work") == nil)
  }

  /// Without them the provider cannot be reached, and its token is not used.
  @Test(arguments: [nil, "no certificate", String(repeating: Situation.certificate, count: 500)])
  func certificatesThatCannotBeUsedEndTheImport(_ text: String?) throws {
    let home = try home()
    if let text { try home.writeSettings(text, "ca/root.pem") }
    let path = home.path + "/ca/root.pem"
    let play = try verbs.run(
      home,
      "--from oidc-agent --yes",
      input: Array(Self.printed([(Self.system, path)]).utf8)
    ) { try $0.expectEnd() }
    #expect(play.code == .usage, "\(play.code)")
    #expect(
      play.talk.contains(
        "thumblatch provider add work --ca FILE --issuer https://id.example.com --client-id c1"
          + " --client-secret; then repeat with --provider work"
      ),
      "\(play.talk)"
    )
    #expect(home.settings("oidc-agent/work") == Self.file && (try? home.text("work")) == nil)
  }

  /// A provider that is there keeps the certificates of its own file, so those of the login are not
  /// shown.
  @Test
  func theCertificatesOfAKnownProviderStay() throws {
    let home = try home()
    let lines = ["kind = oidc", "issuer = \(ImportVerbTests.issuer)", "client_id = c1"]
    let text = (["[Provider]"] + lines).joined(separator: "\n") + "\n"
    try home.write(text, "mine")
    let play = try verbs.run(
      home,
      "--from oidc-agent --provider mine --yes",
      input: Array(Self.printed([(Self.system, "/none/ca.pem")]).utf8)
    ) { stage in
      let call = try stage.expect(ImportLoginCall.self)
      #expect(call.provider.settings["ca"] == nil)
      var account = VerbTests.account
      account.name = "work"
      try stage.reply(ImportLoginReply(account: account, rotated: true))
    }
    #expect(play.code == .done, "\(play.talk)")
    #expect(play.screen.contains("issuer: ") && !play.screen.contains("certificates"))
    #expect(try home.text("mine") == text)
  }

  /// oidc-agent writes the file when the provider gives it another token.
  @Test
  func aFileThatChangesStays() throws {
    let home = try home()
    let folder = home.path + "/oidc-agent"
    let play = try verbs.run(
      home,
      "--from oidc-agent",
      input: Array(Self.printed().utf8)
    ) { stage in
      _ = try stage.expect(TestProviderCall.self)
      let directory = try Directory(path: folder)
      try directory.unlink("work")
      try directory.create("work").write(Self.file + "x")
      try stage.reply(ImportVerbTests.metadata)
      try stage.answer("[y/N] ", "y")
      try stage.expectEnd()
    }
    #expect(play.code == .busy && play.talk.contains("has changed work"), "\(play.talk)")
    #expect(home.settings("oidc-agent/work") == Self.file + "x")
  }

  /// A file that is newer than the output may have another login.
  @Test
  func aFileThatIsNewerThanTheOutputIsNotTaken() throws {
    let home = try home()
    let folder = try Directory(path: home.path + "/oidc-agent")
    try folder.create("saved").write(Self.printed())
    let saved = try #require(try folder.stamp("saved"))
    // The times of files have the step of the kernel's clock.
    let isNewer = try eventually {
      try folder.unlink("work")
      try home.writeSettings(Self.file, "oidc-agent/work")
      return try folder.stamp("work")?.isChanged(after: saved) == true
    }
    #expect(isNewer)
    let entry = try #require(try entry(Self.printed()))
    let own = try #require(try folder.stamp("work"))
    for (printed, isTaken) in [(saved, false), (own, true)] {
      var file = try ForeignFile(home.path + "/oidc-agent/work")
      let contents = try #require(try file.contents())
      try file.hold(entry, in: contents, printed: printed)
      #expect(try file.has(entry, of: .oidcAgent) == isTaken)
    }
  }

  /// The standard input has the client secret already.
  @Test
  func theClientSecretIsNotReadBesideTheLogin() throws {
    let home = try home()
    let play = try verbs.run(
      home,
      "--from oidc-agent --yes --client-secret-stdin",
      input: Array(Self.printed().utf8)
    ) { stage in try stage.expectEnd() }
    #expect(play.code == .usage, "\(play.code)")
    #expect(play.talk.contains("--client-secret-stdin does not go with --from oidc-agent"))
    #expect(home.settings("oidc-agent/work") == Self.file)
  }

  /// A wrong path must not remove another login, or a file of another program.
  @Test(arguments: [("other", Self.file), ("work", "-----BEGIN OPENSSH PRIVATE KEY-----\n")])
  func onlyTheFileOfTheLoginIsTaken(_ name: String, _ contents: String) throws {
    let home = try ProviderHome()
    try home.writeSettings(contents, "elsewhere/\(name)")
    let path = home.path + "/elsewhere/" + name
    let play = try verbs.run(
      home,
      "--from oidc-agent --yes --file \(path)",
      input: Array(Self.printed().utf8)
    ) { _ in }
    #expect(play.code == .usage, "\(play.code) \(play.talk)")
    #expect(home.settings("elsewhere/\(name)") == contents)
  }

  /// The name decides which file is removed.
  @Test(arguments: ["../claude/x", "..", "a/b", ""])
  func aNameThatIsNoNameOfAFileIsRefused(_ name: String) throws {
    let home = try home()
    let text = Self.printed([("\"work\"", "\"\(name)\"")])
    let play = try verbs.run(home, "--from oidc-agent --yes", input: Array(text.utf8)) { _ in }
    #expect(play.code == .usage, "\(play.code) \(play.talk)")
    #expect(home.settings("oidc-agent/work") == Self.file)
  }
}
