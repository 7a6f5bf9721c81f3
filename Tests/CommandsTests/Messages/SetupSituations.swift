import PresenceTerms
import VaultInterface

@testable import Commands

// The first words of a person: none, or `setup`.
extension Situation {
  static let beginnings: [Situation] = [
    Situation("", "no account") { try know($0, []) }.with(files: [:]),
    Situation("", "an account") { stage in
      try know(stage, [account()])
      try ready(stage, [account()])
    }.with(files: [:]),
    Situation("", "the vault is not accepted") { stage in
      _ = try stage.call(GetAccountCall.self)
      try stage.fail(.vaultUnsafe(message: "an old copy was restored", hint: nil))
      try ready(stage, []) { $0.problem = "an old copy was restored" }
    }.with(files: [:]),
    Situation("--json", "no account") { try know($0, []) }.with(files: [:]),
  ]

  private static let noReader = VaultReader(available: false, reason: "none is plugged in")

  /// Answers the calls of a setup to the engine before and after its steps.
  private static func facts(
    _ stage: Stage,
    _ count: Int,
    _ accounts: [VaultAccount] = [],
    fingers: [String] = []
  ) throws {
    for _ in 0..<count { try ready(stage, accounts, { $0.enrolledFingers = fingers }) }
  }

  /// The same on a machine without a reader.
  private static func plain(_ stage: Stage, _ count: Int, _ accounts: [VaultAccount]) throws {
    for _ in 0..<count { try ready(stage, accounts, reader: noReader) }
  }

  private static let lost = account { $0.state = .loginRequired }

  static let setups: [Situation] = [
    Situation("setup --no-input", "a new vault") { try facts($0, 1) }.with(files: [:]),
    Situation("setup", "no terminal, a login is required, and an account is open") {
      let secret = account { ($0.name, $0.kind, $0.state) = ("openai", "static", .loginRequired) }
      let accounts = [lost, account { $0.name = "home" }, secret]
      try facts($0, 1, accounts, fingers: ["left-thumb"])
    }.with(files: ["dev": backendFile]).withoutTerminal,
    Situation("setup --json", "a new vault") { try facts($0, 1) }.with(files: [:]),
    Situation("setup --no-input", "all is there, without a reader") {
      try plain($0, 1, [protected])
    }.with(files: ["dev": backendFile]),
    Situation("setup", "all is there") {
      try facts($0, 8, [protected, protected], fingers: ["left-thumb"])
    }.with(files: Dictionary(uniqueKeysWithValues: (0..<10).map { ("p\($0)", backendFile) })),
    Situation("setup", "all is there, and a tool that is to use no account") {
      try facts($0, 7, [protected], fingers: ["left-thumb"])
      try $0.answer("[Y/n/q] ", "n")
      try facts($0, 2, [protected], fingers: ["left-thumb"])
    }.with(files: ["dev": backendFile]).with(settings: ["codex/config.toml": ""]),
    Situation("setup", "all is there, and a tool is to use one of two accounts") {
      let home = account { ($0.name, $0.presenceProtection) = ("home", true) }
      let accounts = [protected, home]
      try facts($0, 7, accounts, fingers: ["left-thumb"])
      try $0.answer("[Y/n/q] ", "")
      try $0.answer("(Enter: none): ", "")
      try $0.answer("(Enter: none): ", "https://mcp.example.org/mcp")
      try $0.answer("Number or name: ", "home")
      _ = try $0.expect(RequestTermsCall.self)
      try $0.fail(.noSuchAccount(account: "home"))
      try $0.answer("[y/N] ", "y")
      try facts($0, 2, accounts, fingers: ["left-thumb"])
    }.with(files: ["dev": backendFile]).with(settings: ["codex/config.toml": ""]),
    Situation("setup", "all is there, and the files of a tool are not wanted") {
      try facts($0, 7, [protected], fingers: ["left-thumb"])
      try $0.answer("[Y/n/q] ", "")
      try $0.answer("(Enter: none): ", "")
      try $0.answer("(Enter: none): ", "https://mcp.example.org/mcp")
      _ = try $0.expect(RequestTermsCall.self)
      try $0.fail(.noSuchAccount(account: "work"))
      try $0.answer("[y/N] ", "n")
      try facts($0, 2, [protected], fingers: ["left-thumb"])
    }.with(files: ["dev": backendFile]).with(settings: ["codex/config.toml": ""]),
    Situation("setup --no-input", "all is there, and a tool that could use an account") {
      try facts($0, 1, [protected], fingers: ["left-thumb"])
    }.with(files: ["dev": backendFile]).with(settings: ["codex/config.toml": ""]),
    Situation("setup", "all is there, and a tool uses an account") {
      try facts($0, 8, [protected], fingers: ["left-thumb"])
    }.with(files: ["dev": backendFile]).with(settings: [
      "claude/thumblatch-work.mcp.json": "{}"
    ]),
    Situation("setup", "a vault that may be an old copy") { stage in
      try ready(stage, []) {
        $0.problem = "the store is older than its rollback counter: an old copy was restored"
        $0.remedy = "if you restored it yourself, accept it: thumblatch recover"
      }
    }.with(files: [:]),
    Situation("setup", "each step is skipped") { stage in
      try facts(stage, 3)
      try stage.answer("[Y/n/q] ", "n")
      try facts(stage, 2)
      try stage.answer("[Y/n/q] ", "maybe")
      try stage.answer("[Y/n/q] ", "n")
      try facts(stage, 7)
    }.with(files: [:]),
    Situation("setup", "a provider by a template, and then the person leaves") { stage in
      try plain(stage, 4, [])
      try stage.answer("[Y/n/q] ", "")
      try stage.answer("Number or name: ", "keycloak")
      try stage.answer("its URLs have it: ", "id.example.com")
      try stage.answer("The realm: ", "main")
      try stage.answer("Client ID: ", "cli")
      try plain(stage, 2, [])
      try stage.answer("[Y/n/q] ", "q")
      try plain(stage, 1, [])
    }.with(files: [:]),
    Situation("setup", "a provider by a wrong URL, then by a good one") { stage in
      try plain(stage, 4, [])
      try stage.answer("[Y/n/q] ", "y")
      try stage.answer("Number or name: ", "7")
      try stage.answer("URL of the provider: ", "id.example.com")
      try stage.answer("[Y/n/q] ", "y")
      try stage.answer("Number or name: ", "7")
      try stage.answer("URL of the provider: ", "https://id.example.com")
      try stage.answer("(Enter: id.example.com): ", "")
      try stage.answer("Client ID: ", "cli")
      try plain(stage, 2, [])
      try stage.answer("[Y/n/q] ", "q")
      try plain(stage, 1, [])
    }.with(files: [:]),
    Situation("setup", "the first user of a password backend, and protection") { stage in
      try plain(stage, 5, [])
      try stage.answer("[Y/n/q] ", "")
      try stage.answer("[Y/n/q] ", "n")
      _ = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: "dev"))
      try stage.answer("E-mail: ", "ada@example.org")
      try stage.answer("Name (may be empty): ", "Ada")
      try stage.answer("Password of ada@example.org at dev: ", "hunter2")
      try stage.answer("Password again: ", "hunter2")
      _ = try stage.expect(RegisterCall.self)
      try stage.reply(AccountReply(account: account()))
      try stage.knowAccounts([account()])
      try plain(stage, 2, [account()])
      try stage.answer("[Y/n/q] ", "")
      _ = try stage.expect(EnablePresenceCall.self)
      try stage.fail(
        .busy(
          message: "too many prompts were opened without a passed check; cancelled prompts count",
          retryAfter: 15
        )
      )
      try stage.answer("[Y/n/q] ", "y")
      _ = try stage.expect(EnablePresenceCall.self)
      try stage.reply(AccountReply(account: protected))
      _ = try stage.expect(WatchCall.self)
      try stage.reply(WatchReply(unlocked: false))
      try plain(stage, 3, [protected])
    }.with(files: ["dev": backendFile]),
    Situation("setup", "a login again") { stage in
      try plain(stage, 5, [lost])
      try stage.answer("[Y/n/q] ", "")
      try stage.knowAccount(lost)
      try stage.answer("E-mail: ", "ada@example.org")
      try stage.answer("Password of ada@example.org at dev: ", "hunter2")
      _ = try stage.expect(LoginCall.self)
      try stage.reply(AccountReply(account: protected))
      try plain(stage, 4, [protected])
    }.with(files: ["dev": backendFile]),
  ]
}
