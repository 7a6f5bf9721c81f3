import JSON
import System
import TestSupport
import Testing

/// Release, rekey and recovery as a person meets them, with a terminal and the system password of a
/// real user.
@Suite(.serialized)
struct KeyStoryTests {
  private func object(_ text: String) throws -> JSONObject {
    guard case .object(let object) = try JSONReader.read(Array(text.utf8)) else {
      Issue.record("no JSON object: \(text)")
      return [:]
    }
    return object
  }

  private func login(_ person: Person, exportable: Bool) throws {
    let arguments = ["login", "me", "--email", "me@example.org"]
    let password = [("Password of me@example.org at dev: ", "backend-password")]
    if exportable {
      _ = try person.allowed(
        "make account 'me' exportable",
        arguments + ["--exportable"],
        typing: password
      )
    } else {
      let terminal = try person.terminal(list: arguments)
      try terminal.expect(password[0].0)
      try terminal.enter(password[0].1)
      try terminal.end()
    }
  }

  private func refreshTokens(_ person: Person) throws -> [String] {
    try person.backend.requests().compactMap(\.refreshToken)
  }

  @Test
  func anExportableTokenIsReleasedAndThenLivesElsewhere() throws {
    let person = try Person()
    try person.register()
    // The account is not exportable, so no prompt opens.
    let refused = try person.run("release", "me", "--json")
    #expect(refused.end == .exited(11))
    #expect(refused.text.contains("--exportable"))

    try login(person, exportable: true)
    let status = try object(try person.run("status", "--json").succeeded())
    guard case .object(let account)? = try status.array("accounts").first else {
      Issue.record("no account")
      return
    }
    #expect(try account.boolean("exportable"))
    #expect(try person.run("release", "me", "--no-input").end == .exited(7))

    // The check is needed even with an open window or without protection.
    let terminal = try person.terminal("release", "me")
    try terminal.expect("Type the system password to release the refresh token of account 'me'")
    try terminal.expect("System password for")
    try terminal.enter(Person.systemPassword)
    let shown = try terminal.end()
    let token = try #require(
      shown.split(whereSeparator: \.isWhitespace).first { $0.hasPrefix("rt_") }.map(String.init)
    )
    #expect(shown.contains("warning: the refresh token is on this terminal"))
    #expect(try person.run("token", "me", "--no-input").end == .exited(4))
    // The released token works, and the provider's session lives on.
    let renewed = try python(
      """
      import json, sys, urllib.request
      body = json.dumps({"refresh_token": sys.argv[2]}).encode()
      request = urllib.request.Request(
          sys.argv[1] + "/auth/refresh", body, {"Content-Type": "application/json"})
      print(urllib.request.urlopen(request).status)
      """,
      person.backend.url,
      token
    )
    #expect(renewed.hasPrefix("200"))
    let files = try shell("grep -rlF -e \(token) \(person.state) || true")
    #expect(files == "")
  }

  @Test
  func aRekeyKeepsEverythingAndTheOldSecretOpensNothing() throws {
    let person = try Person()
    try person.register()
    let before = try shell("sha256sum <\(person.state)/device-secret")
    try person.endEngine()
    try shell("cp -a \(person.state) \(person.base)/before")
    let shown = try person.allowed("replace the device secret and re-encrypt", ["rekey"])
    #expect(shown.contains("replaced the device secret; re-encrypted 1 refresh token, 0 prints"))
    #expect(try shell("sha256sum <\(person.state)/device-secret") != before)
    #expect(try person.run("rekey", "--no-input").end == .exited(7))
    try person.expireTokens()
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(Set(try refreshTokens(person)).count == 1)

    // The old store, with the new secret.
    try person.endEngine()
    try shell("cp -a \(person.base)/before/vault.db \(person.state)/vault.db")
    let other = try person.run("token", "me", "--rejected", "--json", input: "x\n")
    #expect(other.end == .exited(6))
    #expect(other.text.contains("the device secret is not the one of this store"))
  }

  @Test
  func anOldStoreThatIsPutBackIsSeenAndAccepted() throws {
    let person = try Person()
    try person.register()
    try person.endEngine()
    try shell("cp -a \(person.state)/vault.db \(person.base)/old.db")
    try person.expireTokens()
    let newest = try person.run("token", "me").succeeded()
    try person.endEngine()
    try shell("cp -a \(person.base)/old.db \(person.state)/vault.db")
    try person.backend.clear()

    // The front's token is valid, and is no secret of the store.
    #expect(try person.run("token", "me").succeeded() == newest)
    let whoami = try person.run("whoami", "me", "--json")
    #expect(whoami.end == .exited(6))
    #expect(whoami.text.contains("older than its rollback counter"))
    #expect(whoami.text.contains("thumblatch recover"))
    #expect(try person.backend.requests() == [])
    let status = try object(try person.run("status", "--json").succeeded())
    #expect(try status.string("problem").contains("older"))
    #expect(try status.string("remedy").contains("thumblatch recover"))

    let shown = try person.allowed("accept a vault that was restored from a copy", ["recover"])
    #expect(shown.contains("accounts to sign in again: me"))
    #expect(try person.run("token", "me", "--no-input").end == .exited(4))
    // The replaced token was not sent. The backend would have taken it for theft.
    #expect(try person.backend.requests() == [])
    try login(person, exportable: false)
    #expect(try person.run("token", "me").succeeded().hasPrefix("at_"))
    #expect(try person.run("recover", "--no-input").end == .exited(7))
  }
}
