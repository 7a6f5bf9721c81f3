import PresenceTerms
import TestSupport
import Varlink
import VaultInterface

@testable import Commands

// Registration and login by password.
extension Situation {
  private static let unknown: @Sendable (Stage) throws -> Void = { stage in
    _ = try stage.expect(GetAccountCall.self)
    try stage.fail(.noSuchAccount(account: "work"))
  }

  private static func login(
    _ options: String,
    _ what: String,
    _ account: VaultAccount = signedOut,
    _ rest: @escaping @Sendable (Stage) throws -> Void
  ) -> Situation {
    Situation("login work\(options)", what) { stage in
      try stage.knowAccount(account)
      try rest(stage)
    }
  }

  static let signIns: [Situation] =
    [
      login("", "by e-mail and password") { stage in
        try stage.answer("E-mail: ", "ada@example.org")
        try stage.answer("Password of ada@example.org at dev: ", "hunter2")
        _ = try stage.expect(LoginCall.self)
        try stage.reply(AccountReply(account: account()))
      },
      login(" --email ada@example.org", "the provider refuses") { stage in
        try stage.answer("Password of ada@example.org at dev: ", "hunter2")
        _ = try stage.expect(LoginCall.self)
        try stage.fail(.providerRefused(status: 401, message: "wrong e-mail or password"))
      },
      login(" --email ada@example.org", "a field is wrong") { stage in
        try stage.answer("Password of ada@example.org at dev: ", "hunter2")
        _ = try stage.expect(LoginCall.self)
        try stage.fail(
          .providerRefused(
            status: 422,
            message: "Invalid.",
            reason: .invalidInput,
            fields: [.init(field: "email", message: "is taken")]
          )
        )
      },
      login("", "an answer that is not UTF-8") { stage in
        try stage.terminal.waitFor("E-mail: ")
        try stage.terminal.paste([0xFF, UInt8(ascii: "\n")])
        try stage.expectEnd()
      },
      login("", "no e-mail is given") { stage in
        for _ in 0..<3 { try stage.answer("E-mail: ", "") }
        try stage.expectEnd()
      },
      login(" --email ada@example.org", "no password is given") { stage in
        for _ in 0..<3 { try stage.answer("Password of ada@example.org at dev: ", "") }
        try stage.expectEnd()
      },
      login("", "no terminal") { try $0.expectEnd() }.withoutTerminal,
      login(" --email ada@example.org --no-input", "no input") { try $0.expectEnd() },
      login(
        " --email eve@example.org",
        "another person is signed in, and the answer is no",
        account()
      ) {
        try $0.answer("[y/N]", "n")
        try $0.expectEnd()
      },
      login(" --email eve@example.org", "another person is signed in, and no terminal", account()) {
        try $0.expectEnd()
      }.withoutTerminal,
      login(" --email ada@example.org --scope read", "scopes") { try $0.expectEnd() },
      login(" --device", "a password backend has no page") { try $0.expectEnd() },
      Situation("login work --browser --device", "two ways"),
      Situation("login work", "an unknown account, and no provider", script: unknown).with(
        files: [:]),
      Situation("login work", "an unknown account, and several providers", script: unknown)
        .with(files: ["dev": backendFile, "idp": oidcFile]),
      Situation("login work", "an unknown account, and ten providers", script: unknown)
        .with(files: Dictionary(uniqueKeysWithValues: (0..<10).map { ("p\($0)", backendFile) })),
      Situation(
        "login work",
        "an unknown account, and a provider that cannot be read",
        script: unknown
      )
      .with(files: ["idp": "kind = nonsense\n"]),
      Situation("login work", "the first account at the only provider") { stage in
        try unknown(stage)
        try stage.answer("E-mail: ", "ada@example.org")
        try stage.answer("Password of ada@example.org at dev: ", "hunter2")
        _ = try stage.expect(LoginCall.self)
        try stage.reply(AccountReply(account: account()))
        try stage.knowAccounts([account(), account { $0.name = "home" }])
      }.with(files: ["dev": backendFile]),
    ]
    + [true, false].map { revoked in
      login(" --email ada@example.org", "the earlier login was \(revoked ? "" : "not ")revoked") {
        stage in
        try stage.answer("Password of ada@example.org at dev: ", "hunter2")
        _ = try stage.expect(LoginCall.self)
        try stage.reply(
          AccountReply(
            account: account {
              $0.replacedRevoked = revoked
              $0.replacedReason = nil
            }
          )
        )
      }
    }
    + [
      login(
        " --email ada@example.org",
        "the earlier login is locked",
        account {
          $0.presenceProtection = true
          $0.state = .locked
        }
      ) { stage in
        try stage.answer("Password of ada@example.org at dev: ", "hunter2")
        _ = try stage.expect(LoginCall.self)
        try stage.reply(
          AccountReply(
            account: account {
              $0.replacedRevoked = false
              $0.replacedReason = "that needs a presence check"
            }
          )
        )
      }
    ]

  /// A login without an account.
  static let choices: [Situation] = [
    Situation("login", "the only provider") { stage in
      _ = try stage.expect(GetAccountCall.self)
      try stage.fail(.noSuchAccount(account: "dev"))
      try stage.answer("E-mail: ", "ada@example.org")
      try stage.answer("Password of ada@example.org at dev: ", "hunter2")
      _ = try stage.expect(LoginCall.self)
      try stage.reply(AccountReply(account: account { $0.name = "dev" }))
      try stage.knowAccounts([account()])
    }.with(files: ["dev": backendFile]),
    Situation("login", "its account is there already") { stage in
      try stage.knowAccount(account { $0.name = "dev" })
    }.with(files: ["dev": backendFile]),
    Situation("login", "no provider").with(files: [:]),
    Situation("login", "several providers, and the third answer is one of them") { stage in
      for answer in ["0", "x", "idp"] { try stage.answer("Number or name: ", answer) }
      try stage.knowAccount(account { $0.name = "idp" })
    }.with(files: ["dev": backendFile, "idp": oidcFile, "bad": "[Provider]\n"]),
    Situation("login", "several providers, and no answer is one of them") { stage in
      for answer in ["3", "", "-1"] { try stage.answer("Number or name: ", answer) }
      try stage.expectEnd()
    }.with(files: ["dev": backendFile, "idp": oidcFile]),
    Situation("login --no-input", "ten providers")
      .with(files: Dictionary(uniqueKeysWithValues: (0..<10).map { ("p\($0)", backendFile) })),
    Situation("login", "several providers, and no terminal")
      .with(files: ["dev": backendFile, "idp": oidcFile]).withoutTerminal,
  ]

  static let registrations: [Situation] = [
    Situation("register work", "two passwords that differ, then two that do not") { stage in
      try unknown(stage)
      try stage.answer("E-mail: ", "ada@example.org")
      try stage.answer("Name (may be empty): ", "Ada")
      try stage.answer("Password of ada@example.org at dev: ", "one")
      try stage.answer("Password again: ", "two")
      try stage.answer("Password of ada@example.org at dev: ", "hunter2")
      try stage.answer("Password again: ", "hunter2")
      _ = try stage.expect(RegisterCall.self)
      try stage.reply(AccountReply(account: account()))
      try stage.knowAccounts([account()])
    }.with(files: ["dev": backendFile]),
    Situation("register work --email ada@example.org --name Ada", "the address is taken") { stage in
      try unknown(stage)
      try stage.answer("Password of ada@example.org at dev: ", "hunter2")
      try stage.answer("Password again: ", "hunter2")
      _ = try stage.expect(RegisterCall.self)
      try stage.fail(
        .providerRefused(status: 409, message: "taken", reason: .addressTaken)
      )
    }.with(files: ["dev": backendFile]),
    Situation("register work --email ada@example.org --name Ada", "a person is signed in") {
      try $0.knowAccount(account())
      try $0.expectEnd()
    }.with(files: ["dev": backendFile]),
    Situation("register work", "no provider").with(files: [:]),
  ]
}
