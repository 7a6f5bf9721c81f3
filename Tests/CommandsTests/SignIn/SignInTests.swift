import Glibc
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Testing
import VaultInterface

@testable import Commands

struct SignInTests {
  /// A configuration directory of one test, removed with it.
  private final class Home {
    private let scratch: ScratchDirectory
    var path: String { scratch.path }
    var environment: [String: String] { ["XDG_CONFIG_HOME": path] }
    var files: String { path + "/thumblatch/providers.d" }

    init() throws {
      scratch = try ScratchDirectory()
    }
  }

  private func run(_ line: String, _ home: Home) throws -> Play {
    try Play.run(line.split(separator: " ").map(String.init), environment: home.environment) {
      stage in try stage.expectEnd()
    }
  }

  private let add = "provider add dev --kind password-backend --issuer http://localhost:8000"

  @Test
  func aProviderFileReadsBackAsItWasAdded() throws {
    let home = try Home()
    let added = try run("\(add) --client-id cli --set login_path=/v2/login", home)
    #expect(added.code == .done)
    let directory = try Directory(path: home.files)
    #expect(try directory.descriptor.status().mode == 0o700)
    #expect(try directory.openForReading("dev.conf").status().mode == 0o600)
    #expect(try directory.names() == ["dev.conf"])
    let shown = try run("provider show dev", home).out
    for part in ["http://localhost:8000", "/v2/login", "cli", "user"] {
      #expect(shown.contains(part))
    }
    #expect(try run("provider list", home).out.contains("password-backend"))
    #expect(try run("provider show dev --json", home).out.contains("\"login_path\":\"/v2/login\""))
    #expect(try run("provider remove dev", home).code == .done)
    #expect(try directory.names().isEmpty)
    #expect(try run("provider show dev", home).code == .notFound)
    #expect(try run("provider remove dev", home).code == .notFound)
  }

  @Test
  func anExistingProviderIsNotOverwritten() throws {
    let home = try Home()
    #expect(try run(add, home).code == .done)
    let other = try run(add.replacing("8000", with: "9000"), home)
    #expect(other.code == .usage)
    #expect(try run("provider show dev", home).out.contains(":8000"))
  }

  @Test(arguments: [
    "provider add dev --issuer http://localhost:1", "provider add dev --kind password-backend",
    "provider add dev --kind oidc --issuer https://x.org",
    "provider add dev --kind password-backend --issuer http://example.org",
    "provider add ../dev --kind password-backend --issuer https://x.org",
    "provider add dev --kind password-backend --issuer https://x.org --set login_path",
    "provider add dev --kind password-backend --issuer https://x.org --set no_such_key=1",
    "provider add dev --kind password-backend --issuer https://x.org --set issuer=https://y.org",
    "provider add dev --kind password-backend --issuer https://x.org --ca /nowhere.pem",
    "provider add dev --kind password-backend --issuer https://x.org --pin sha256//short",
  ])
  func aProviderThatWouldNotWorkIsNotWritten(_ line: String) throws {
    let home = try Home()
    #expect(try run(line, home).code == .usage)
    #expect(try run("provider list", home).out.isEmpty)
  }

  @Test
  func aDirectoryThatOthersMayWriteToIsRefused() throws {
    let home = try Home()
    #expect(try run(add, home).code == .done)
    #expect(unsafe chmod(home.files, 0o777) == 0)
    #expect(try run(add.replacing("dev", with: "two"), home).code == .unsafeVault)
  }

  @Test
  func aBrokenFileIsToldWithItsPlaceAndDoesNotHideTheOthers() throws {
    let home = try Home()
    #expect(try run(add, home).code == .done)
    try Directory(path: home.files).create("bad.conf").write("[Provider]\nkind = nonsense\n")
    let list = try run("provider list", home)
    #expect(list.out.contains("http://localhost:8000"))
    #expect(list.code == .usage)
    #expect(try run("provider show bad", home).talk.contains("bad.conf:2"))
  }

  @Test
  func registeringAsksForEverythingAndShowsNoPassword() throws {
    let home = try Home()
    #expect(try run(add, home).code == .done)
    let play = try Play.run(
      ["register", "me", "--provider", "dev"],
      environment: home.environment
    ) { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: "me"))
      try stage.terminal.waitFor("E-mail: ")
      try stage.terminal.type("  me@example.org \n")
      try stage.terminal.waitFor("Name (may be empty): ")
      try stage.terminal.type("\n")
      try stage.terminal.waitFor("Password of me@example.org at dev: ")
      #expect(try !stage.terminal.echoes())
      try stage.terminal.type("first\n")
      try stage.terminal.waitFor("Password again: ")
      try stage.terminal.type("second\n")
      try stage.terminal.waitFor("The passwords differ.")
      try stage.terminal.type("hunter2\n")
      try stage.terminal.type("hunter2\n")
      let call = try stage.expect(RegisterCall.self)
      #expect(call.email == "me@example.org")
      #expect(call.name == nil)
      #expect(call.provider.settings["issuer"] == "http://localhost:8000")
      #expect(call.password.bytes.count == 7)
      try stage.reply(AccountReply(account: VerbTests.account))
      try stage.knowAccounts([VerbTests.account])
    }
    #expect(play.code == .done)
    #expect(play.echoes)
    for password in ["first", "second", "hunter2"] { #expect(!play.screen.contains(password)) }
    #expect(play.talk == "registered and signed in: me is me@example.org at dev\n")
  }

  /// Otherwise the session of the signed-in person would live on at the provider without a way to
  /// end it.
  @Test
  func registeringOverAnAccountIsRefusedBeforeAnyQuestion() throws {
    let home = try Home()
    #expect(try run(add, home).code == .done)
    let words = ["register", "me", "--provider", "dev"]
    let refused = try Play.run(words, environment: home.environment) { stage in
      try stage.knowAccount(VerbTests.account)
      try stage.expectEnd()
    }
    #expect(refused.code == .refused)
    #expect(refused.error?.message == "me is already signed in as me@example.org at dev")
    #expect(refused.error?.hint?.contains("thumblatch logout me") == true)
    #expect(refused.screen.isEmpty)
    var account = VerbTests.account
    account.state = .signedOut
    let asked = try Play.run(words, environment: home.environment) { [account] stage in
      try stage.knowAccount(account)
      try stage.terminal.waitFor("E-mail: ")
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(asked.code == .interrupted)
  }

  @Test
  func aKnownAccountSignsInWithoutAProvider() throws {
    let home = try Home()
    let play = try Play.run(
      ["login", "me", "--email", "me@example.org", "--password"],
      environment: home.environment
    ) { stage in
      try stage.knowAccount(VerbTests.account)
      try stage.terminal.waitFor("Password of me@example.org at dev: ")
      try stage.terminal.type("pw\n")
      #expect(try stage.expect(LoginCall.self).provider == nil)
      try stage.fail(.providerRefused(status: 401, message: "wrong e-mail or password"))
    }
    #expect(play.code == .serverError)
    #expect(play.error?.hint == "check the e-mail and the password")
    #expect(play.echoes)
  }

  @Test
  func whatTheProviderFoundWrongWithAFieldIsTheHint() throws {
    let home = try Home()
    let play = try Play.run(
      ["login", "me", "--email", "me@example.org", "--password"],
      environment: home.environment
    ) { stage in
      try stage.knowAccount(VerbTests.account)
      try stage.terminal.waitFor("Password of me@example.org at dev: ")
      try stage.terminal.type("pw\n")
      _ = try stage.expect(LoginCall.self)
      try stage.fail(
        .providerRefused(
          status: 422,
          message: "Invalid.",
          reason: .invalidInput,
          fields: [VaultFieldProblem(field: "email", message: "is not an address")]
        )
      )
    }
    #expect(play.error?.message == "the provider refused (HTTP 422): Invalid.")
    #expect(play.error?.hint == "email: is not an address")
    #expect(play.error?.reason == .invalidInput)
  }

  @Test(arguments: [
    ["login", "me", "--no-input"], ["login", "me", "--no-input", "--email", "a@b.c"],
    ["login", "me", "--no-input", "--email", "a@b.c", "--yes"],
  ])
  func nothingIsAskedWithoutInput(_ words: [String]) throws {
    let play = try Play.run(words) { stage in
      try stage.knowAccount(VerbTests.account)
      try stage.expectEnd()
    }
    #expect(play.code == .promptNeeded)
    #expect(play.screen.isEmpty)
  }

  @Test
  func ctrlCAtThePasswordOfALoginRestoresTheTerminal() throws {
    let play = try Play.interrupted(["login", "me", "--email", "Me@Example.org"]) { stage in
      try stage.knowAccount(VerbTests.account)
      try stage.terminal.waitFor("Password of")
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(play.echoes)
    #expect(try #require(play.millisecondsAfterInterrupt) <= 100)
  }
}
