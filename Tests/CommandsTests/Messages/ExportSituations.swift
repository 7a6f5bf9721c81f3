import PresenceTerms
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

// Moves of accounts out of the service.
extension Situation {
  private static let stays = VaultExportableAccount(
    name: "inside",
    provider: "dev",
    reason: "it is not exportable"
  )

  private static func exporting(
    _ options: String,
    _ what: String,
    _ script: @escaping @Sendable (Stage) throws -> Void = { try $0.expectEnd() }
  ) -> Situation {
    Situation("service export \(options)", what, script: script).with { $0.location = .service }
  }

  private static func open(_ stage: Stage, _ transfer: [UInt8]? = nil) throws {
    _ = try stage.expect(OpenHandOverCall.self)
    try stage.reply(OpenHandOverReply(transfer: transfer, vault: transfer))
  }

  /// Lists the accounts of the service.
  private static func list(_ stage: Stage, _ names: [String]) throws {
    _ = try stage.expect(ListExportableCall.self)
    let accounts = [stays] + names.map { VaultExportableAccount(name: $0, provider: "dev") }
    for account in accounts {
      try stage.reply(ListExportableReply(account: account), continues: account != accounts.last)
    }
  }

  /// Answers an export of two accounts, and the refresh of one.
  private static func export(_ stage: Stage) throws {
    try open(stage)
    try list(stage, ["home", "work"])
    _ = try stage.expect(PrepareExportCall.self)
    try stage.reply(PrepareExportReply(commitment: [1, 2]))
    _ = try stage.call(AllowExportCall.self)
    try stage.needPresence(.moveToPrivateVault, methods: [.password], detail: "home, work")
    _ = try stage.expect(CheckCall.self)
    try stage.reply(CheckEvent.passed)
    _ = try stage.call(AllowExportCall.self)
    try stage.reply(EmptyReply())
    _ = try stage.expect(ExportFromServiceCall.self)
    for name in ["home", "work"] {
      try stage.reply(ImportIntoServiceReply(account: moved(name)), continues: name == "home")
    }
    try stage.knowAccounts(["home", "work"].map { name in account { $0.name = name } })
    _ = try stage.call(AccessTokenCall.self)
    try stage.reply(token: "at-1")
    _ = try stage.call(AccessTokenCall.self)
    try stage.fail(.providerUnavailable(message: "id.example.com does not answer"))
  }

  static let serviceExports: [Situation] = [
    exporting("", "one of two is refreshed in vain, and one stays", export),
    exporting("--json", "the same", export),
    exporting("", "no account may move") { stage in
      try open(stage)
      try list(stage, [])
    },
    exporting("inside", "an account that must stay") { stage in
      try open(stage)
      try list(stage, ["home"])
    },
    exporting("", "the policy forbids it") { stage in
      try open(stage)
      _ = try stage.expect(ListExportableCall.self)
      try stage.fail(.refused(message: "private vaults are not allowed"))
    },
    exporting("home", "the own vault has an account of that name") { stage in
      try open(stage)
      try list(stage, ["home"])
      _ = try stage.expect(PrepareExportCall.self)
      try stage.fail(.refused(message: "your private vault has these accounts already: home"))
    },
    exporting("home", "an earlier call has moved it") { stage in
      try open(stage)
      try list(stage, ["work"])
    },
    exporting("home", "an earlier call is finished") { stage in
      try open(stage, [1])
      _ = try stage.expect(EndServiceExportCall.self)
      try stage.reply(EndServiceExportReply(account: moved("home", signedIn: false), freed: false))
    },
    exporting("", "no service").with { $0.location = .privateVault },
    exporting("--cancel me", "an account is named"),
    exporting("--cancel", "after an interruption") { stage in
      try open(stage, [1])
      _ = try stage.expect(EndServiceExportCall.self)
      try stage.reply(EndServiceExportReply(freed: true))
    },
    exporting("--cancel", "nothing was interrupted") { stage in try open(stage) },
  ]
}
