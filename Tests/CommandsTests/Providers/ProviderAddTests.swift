import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

struct ProviderAddTests {
  @Test
  func templatesAreListedWithWhatEachNeeds() throws {
    let home = try ProviderHome()
    let list = try home.run("provider add --template")
    #expect(list.code == .done)
    for part in [
      "github", "gitlab", "google", "entra", "keycloak", "auth0", "--tenant --client-id",
      "--host --realm --client-id", "--domain --client-id", "--client-id --client-secret",
      "http://127.0.0.1/callback",
    ] { #expect(list.out.contains(part)) }
    let json = try home.run("provider add --template --json").out
    #expect(json.contains("\"name\":\"entra\""))
    #expect(json.contains("\"needs\":[\"--tenant\",\"--client-id\"]"))
    #expect(try home.run("provider add work --template").out == list.out)
  }

  @Test(arguments: [
    ("--template gitlab --client-id cli", "https://gitlab.com"),
    ("--template gitlab --host git.example.com --client-id cli", "https://git.example.com"),
    ("--template gitlab --issuer https://git.example.com --client-id cli", "/authorize_device"),
    ("--template github --client-id Iv1.0", "bad_refresh_token"),
    ("--template keycloak --host id.example.com --realm main --client-id cli", "/realms/main"),
    ("--template auth0 --domain a.eu.auth0.com --client-id cli", "https://a.eu.auth0.com/"),
    (
      "--template entra --tenant 0f8fad5b-d9cb-469f-a165-70867728950e --client-id cli",
      "/0f8fad5b-d9cb-469f-a165-70867728950e/v2.0"
    ),
    ("--issuer https://id.example.com/ --client-id cli", "oidc"),
    ("--kind oauth2 --issuer https://id.example.com --client-id cli", "oauth2"),
  ])
  func aProviderOfOAuthIsWrittenAndReadsBack(_ options: String, _ part: String) throws {
    let home = try ProviderHome()
    let added = try home.run("provider add work \(options)")
    #expect(added.code == .done)
    #expect(added.talk.contains("thumblatch provider test work"))
    #expect(try home.run("provider show work").out.contains(part))
    #expect(try home.run("provider list").code == .done)
  }

  @Test
  func theRedirectURIToRegisterIsSaidAndWhatHelpsWherePortsCount() throws {
    let home = try ProviderHome()
    let added = try home.run("provider add work --issuer https://id.example.com --client-id cli")
    let said = added.talk.replacing("\n", with: " ")
    #expect(said.contains("register the redirect URI http://127.0.0.1/callback "), "\(said)")
    #expect(said.contains("--redirect-uri http://127.0.0.1:8400/callback"), "\(said)")
    let fixed = try home.run(
      "provider add fixed --issuer https://id.example.com --client-id cli "
        + "--redirect-uri http://127.0.0.1:9000/cb"
    )
    #expect(fixed.talk.contains("register the redirect URI http://127.0.0.1:9000/cb"))
    #expect(!fixed.talk.contains("if ports count"))
    let json = try home.run(
      "provider add third --issuer https://id.example.com --client-id cli --json"
    )
    #expect(json.out.contains("\"redirect_uri\":\"http://127.0.0.1/callback\",\"insecure\":false"))
    // Without a sign-in by browser there is no redirect URI to register.
    let backend = try home.run(
      "provider add dev --kind password-backend --issuer https://id.example.com"
    )
    #expect(!backend.talk.contains("redirect"))
  }

  @Test
  func aProviderInPlainTextIsCalledInsecure() throws {
    let home = try ProviderHome()
    let added = try home.run(
      "provider add dev --kind password-backend --issuer http://127.0.0.1:8000"
    )
    #expect(added.talk.contains("warning: insecure: plain http"))
    let json = try home.run(
      "provider add dev2 --kind password-backend --issuer http://127.0.0.1:8000 --json"
    )
    #expect(json.out.contains("\"insecure\":true"))
    let safe = try home.run("provider add safe --issuer https://id.example.com --client-id cli")
    #expect(!safe.talk.contains("plain http"))
  }

  @Test
  func scopesAndOtherOptionsReplaceThoseOfTheTemplate() throws {
    let home = try ProviderHome()
    let added = try home.run(
      "provider add work --template auth0 --domain a.auth0.com --client-id cli --scope openid~api "
        + "--scope offline_access --audience https://api.example.com/ --resource urn:a "
        + "--resource urn:b --redirect-uri http://127.0.0.1:9000/cb --set refresh_reuse=retry"
    )
    #expect(added.code == .done)
    let shown = try home.run("provider show work --json").out
    for part in [
      "\"scope\":\"api offline_access openid\"", "\"audience\":\"https://api.example.com/\"",
      "\"resource\":\"urn:a;urn:b\"", "\"redirect_uri\":\"http://127.0.0.1:9000/cb\"",
      "\"refresh_reuse\":\"retry\"",
    ] { #expect(shown.contains(part)) }
  }

  @Test(arguments: [
    ("--api-host a.example", "a.example;graph.microsoft.com"),
    ("--set api_hosts=a.example", "a.example"),
  ])
  func anotherHostIsAddedToThoseOfTheTemplate(_ option: String, _ hosts: String) throws {
    let home = try ProviderHome()
    let tenant = "0f8fad5b-d9cb-469f-a165-70867728950e"
    let line = "provider add work --template entra --tenant \(tenant) --client-id cli \(option)"
    #expect(try home.run(line).code == .done)
    #expect(try home.run("provider show work --json").out.contains("\"api_hosts\":\"\(hosts)\""))
  }

  @Test
  func allThatIsMissingIsToldAtOnce() throws {
    let home = try ProviderHome()
    let play = try home.run("provider add work --template keycloak --realm main")
    #expect(play.code == .usage)
    let message = try #require(play.error?.message)
    #expect(message.contains("--host") && message.contains("--client-id"))
    #expect(!message.contains("--realm"))
  }

  @Test(arguments: [
    ("add --client-id cli", "NAME is missing"),
    ("add work --template gitlub --client-id cli", "no such template"),
    ("add work --template github", "--client-id"),
    ("add work --template github --client-id cli --host x", "--host"),
    ("add work --template github --client-id cli --issuer https://x.org", "--issuer"),
    ("add work --template gitlab --client-id c --host x --issuer https://x.org", "--host"),
    ("add work --template entra --client-id cli --tenant common", "--tenant"),
    ("add work --template gitlab --client-id cli --scope api", "--scope"),
    ("add work --template gitlab --client-id cli --set login_path=/x", "--set login_path"),
    ("add work --tenant x --client-id cli --issuer https://x.org", "--tenant"),
    ("add work --client-id cli", "--issuer is missing"),
    ("add work --issuer https://x.org", "--kind is missing"),
    ("add work --kind oidc --issuer https://x.org", "--client-id is missing"),
    ("add work --kind saml --issuer https://x.org --client-id cli", "kind of provider: saml"),
    ("add work --kind foo", "kind of provider: foo"),
    ("add work --client-id cli --issuer https://x.org --redirect-uri http://x.org", "--redirect"),
    ("add work --client-id cli --issuer https://x.org --set discovered=scope", "discovered"),
    ("add work --client-id cli --issuer https://x.org --set scope=openid --scope a", "twice"),
    ("add work --client-id cli --issuer https://x.org --set client_secret=hunter2", "argument"),
  ])
  func whatCannotWorkIsToldByItsOptionAndNotWritten(_ line: String, _ part: String) throws {
    let home = try ProviderHome()
    let play = try home.run("provider \(line)")
    #expect(play.code == .usage)
    #expect(play.error?.message.contains(part) == true)
    #expect(!play.talk.contains("hunter2"))
    #expect(try home.run("provider list").out.isEmpty)
  }

  @Test
  func aNameThatIsNearlyRightIsFound() throws {
    let home = try ProviderHome()
    _ = try home.run("provider add work --issuer https://id.example.com --client-id cli")
    for line in ["provider show wrok", "provider remove wrok", "login me --provider wrok"] {
      let play = try home.run(line)
      #expect(play.code == .notFound)
      #expect(play.error?.hint == "did you mean: work")
    }
    let kind = try home.run("provider add new --kind password-backnd --issuer https://x.org")
    #expect(kind.error?.hint == "did you mean: --kind password-backend")
  }

  /// Such as the certificates of all authorities that the system trusts.
  @Test
  func aFileThatIsTooLongIsNotBlamedOnALimit() throws {
    let home = try ProviderHome()
    try home.write(String(repeating: "#", count: 65_537), "long")
    let options = "--issuer https://id.example.com --client-id c --ca \(home.files)/long.conf"
    for line in ["provider show long", "provider add work \(options)"] {
      let message = try #require(try home.run(line).error?.message)
      #expect(message.hasSuffix("long.conf is larger than 65536 bytes"), "\(message)")
    }
  }

  /// `restore` writes certificates next to the provider file; a later one would find others there.
  @Test(arguments: [
    ("work.pem", "", true), ("work.pem", "ca = work.pem\n", false), ("mine.pem", "", false),
  ])
  func theCertificatesOfAProviderGoWithIt(_ file: String, _ other: String, _ goes: Bool) throws {
    let mark = "# Written by Thumblatch, and removed with its provider.\n"
    try remove(file, other, certificates: mark + Self.certificates, goes: goes)
  }

  @Test
  func certificatesThatAPersonWroteStay() throws {
    try remove("work.pem", "", certificates: Self.certificates, goes: false)
  }

  private static let certificates =
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"

  /// Removes a provider whose key `ca` names a file.
  private func remove(
    _ file: String,
    _ other: String,
    certificates: String,
    goes: Bool
  ) throws {
    let home = try ProviderHome()
    let text = "[Provider]\nkind = oidc\nissuer = https://id.example.com\nclient_id = c\n"
    try home.write(text + "ca = \(file)\n", "work")
    try home.write(text + other, "other")
    let directory = try Directory(path: home.files)
    for name in Set([file, "work.pem"]) { try directory.create(name).write(certificates) }
    let play = try home.run("provider remove work")
    #expect(play.code == .done && play.talk.contains("work.pem") == goes)
    #expect(try !directory.contains("work.conf"))
    #expect(try directory.contains("work.pem") != goes)
    #expect(try directory.contains("other.conf"))
  }

  @Test
  func aSecretIsTypedUnseenAndNeverShown() throws {
    let home = try ProviderHome()
    let added = try home.run("provider add g --template google --client-id cli") { stage in
      try stage.terminal.waitFor("Client secret: ")
      #expect(try !stage.terminal.echoes())
      try stage.terminal.type("hunter2\n")
      try stage.expectEnd()
    }
    #expect(added.code == .done)
    #expect(added.echoes)
    #expect(try home.text("g").contains("client_secret = hunter2\n"))
    #expect(try Directory(path: home.files).openForReading("g.conf").status().mode == 0o600)
    let plays = try ["provider show g", "provider show g --json", "provider list"]
      .map { try home.run($0) }
    for play in plays + [added] {
      #expect(play.code == .done)
      #expect(!(play.out + play.talk + play.screen).contains("hunter2"))
    }
    #expect(plays[0].out.contains("(set)"))
    #expect(plays[1].out.contains("\"client_secret\":\"(set)\""))
  }

  @Test
  func aSecretIsNotAskedForIfTheRestIsWrongOrNoPromptIsPossible() throws {
    let home = try ProviderHome()
    let wrong = try home.run("provider add g --template google --client-id cli --scope email")
    #expect(wrong.code == .usage)
    #expect(wrong.screen.isEmpty)
    let silent = try home.run("provider add g --template google --client-id cli --no-input")
    #expect(silent.code == .promptNeeded)
    #expect(silent.error?.hint?.contains("--client-secret-stdin") == true)
    #expect(try home.run("provider list").out.isEmpty)
  }

  @Test(arguments: [0o644 as UInt32, 0o640, 0o604, 0o610])
  func aSecretThatOthersMayReadIsRefused(_ mode: UInt32) throws {
    let home = try ProviderHome()
    let text = "[Provider]\nkind = oidc\nissuer = https://id.example.com\nclient_id = c\n"
    try home.write(text, "open", mode: mode)
    #expect(try home.run("provider show open").code == .done)
    try home.write(text + "client_secret = hunter2\n", "open", mode: mode)
    let play = try home.run("provider show open")
    #expect(play.code == .unsafeVault)
    #expect(play.error?.hint == "chmod 600 \(home.files)/open.conf")
    #expect(!play.talk.contains("hunter2"))
    try home.write(text + "client_secret = hunter2\n", "open")
    #expect(try home.run("provider show open").code == .done)
  }
}
