import Varlink
import VaultInterface

@testable import Commands

// Keys and rules of the vault.
extension Situation {
  private static func rekey(
    _ what: String,
    _ answer: @escaping @Sendable (Stage) throws -> Void
  ) -> Situation {
    Situation("rekey", what) { stage in
      _ = try stage.expect(RekeyCall.self)
      try stage.reply(RekeyReply(accounts: 2, prints: 1, records: 40))
      _ = try stage.expect(VerifyAuditCall.self)
      try answer(stage)
    }
  }

  private static func status(_ problem: String?) -> VaultStatus {
    VaultStatus(
      form: .private,
      version: "0.1.0",
      process: 42,
      deviceSecret: "file",
      memory: .secret,
      unlocked: false,
      unlockedAccounts: [],
      enrolledFingers: [],
      fingerprintLockedOut: false,
      problem: problem
    )
  }

  static let keys: [Situation] = [
    Situation("release work", "the token is printed, and the account signed out") { stage in
      _ = try stage.call(ReleaseCall.self)
      try stage.reply(ReleaseReply(refreshToken: try secret("rt_1"), signedOut: true))
    },
    Situation("release work --keep", "the token is printed on a terminal") { stage in
      _ = try stage.call(ReleaseCall.self)
      try stage.reply(ReleaseReply(refreshToken: try secret("rt_1"), signedOut: false))
    }.with { $0.output = .terminal },
    Situation("release work", "the token cannot be written") { stage in
      _ = try stage.call(ReleaseCall.self)
      try stage.reply(ReleaseReply(refreshToken: try secret("rt_1"), signedOut: true))
    }.with { $0.output = .full },
    Situation(
      "release work --keep",
      "not exportable",
      ReleaseCall.self,
      fails: .refused(
        message: "work is not exportable: its refresh token stays here"
          + " (thumblatch login work --exportable allows it)"
      )
    ),
    rekey("the audit log is intact") { try $0.reply(verified(records: 40)) },
    rekey("the audit log is not intact") {
      try $0.reply(
        VerifyAuditReply(whole: false, records: 40, first: 1, last: 40, bad: 17, problem: "altered")
      )
    },
    rekey("the audit log cannot be checked") {
      try $0.fail(.internal(message: "the store failed"))
    },
    Situation("recover", "an old copy was restored, and an account needs a login") { stage in
      _ = try stage.expect(GetStatusCall.self)
      try stage.reply(status("the store is older than its rollback counter"))
      _ = try stage.expect(RecoverCall.self)
      try stage.reply(RecoverReply(loginRequired: ["work", "home"]))
    },
    Situation(
      "recover --yes",
      "no account is signed in",
      RecoverCall.self,
      replies: RecoverReply(loginRequired: [])
    ),
    Situation("recover", "the vault looks current, and the person says no") { stage in
      _ = try stage.expect(GetStatusCall.self)
      try stage.reply(status(nil))
      try stage.answer("[y/N]", "n")
      try stage.expectEnd()
    },
    Situation("recover", "the vault looks current, and there is no terminal") { stage in
      _ = try stage.expect(GetStatusCall.self)
      try stage.reply(status(nil))
      try stage.expectEnd()
    }.withoutTerminal,
  ]

  private static func rule(
    _ key: String,
    machine: String,
    own: String?,
    holds: String?,
    forUsers: Bool = true
  ) -> VaultRule {
    VaultRule(key: key, machine: machine, own: own, holds: holds, forUsers: forUsers)
  }

  private static let rules = [
    rule("remote", machine: "password", own: "deny", holds: "deny"),
    rule("key", machine: "touch", own: "verify", holds: "verify"),
    rule("window", machine: "3", own: "5", holds: "3"),
    rule("window-limit", machine: "12", own: nil, holds: "12"),
    rule("accounts", machine: "1000", own: nil, holds: "1000", forUsers: false),
    rule("store", machine: "64", own: nil, holds: nil, forUsers: false),
  ]

  private static func callerRule(own: String?, holds: String?) -> VaultRule {
    VaultRule(key: "caller.ci.rate", machine: "-", own: own, holds: holds, forUsers: true)
  }

  static let policies: [Situation] = [
    Situation(
      "policy",
      "a service",
      GetPolicyCall.self,
      replies: GetPolicyReply(file: "/etc/thumblatch/thumblatch.conf", rules: rules)
    ),
    Situation(
      "policy window",
      "a private vault",
      GetPolicyCall.self,
      replies: GetPolicyReply(rules: rules)
    ),
    Situation(
      "policy night",
      "no such rule",
      GetPolicyCall.self,
      replies: GetPolicyReply(rules: rules)
    ),
    Situation(
      "policy window 5m",
      "it is changed",
      SetPolicyCall.self,
      replies: SetPolicyReply(changed: true, rules: rules)
    ),
    Situation(
      "policy window-limit default",
      "the own rule is removed",
      SetPolicyCall.self,
      replies: SetPolicyReply(changed: true, rules: rules)
    ),
    Situation(
      "policy store 1",
      "nothing to change",
      SetPolicyCall.self,
      replies: SetPolicyReply(changed: false, rules: rules)
    ),
    Situation(
      "policy caller.ci.rate 5",
      "a rule for callers",
      SetPolicyCall.self,
      replies: SetPolicyReply(changed: true, rules: [callerRule(own: "5", holds: "5")])
    ),
    Situation(
      "policy caller.ci.rate 5",
      "a rule that holds for no program yet",
      SetPolicyCall.self,
      replies: SetPolicyReply(changed: true, rules: [callerRule(own: "5", holds: nil)])
    ),
    Situation(
      "policy caller.ci.rate default",
      "a rule for callers is removed",
      SetPolicyCall.self,
      replies: SetPolicyReply(changed: true, rules: [callerRule(own: nil, holds: nil)])
    ),
    Situation("policy window 90s", "no whole minutes"),
    Situation("policy window-limit 90m", "no whole hours"),
    Situation(
      "policy window 11m",
      "laxer than the machine",
      SetPolicyCall.self,
      fails: .refused(
        message:
          "window = 11 is laxer than the machine's, 10 (window in /etc/thumblatch/thumblatch.conf)"
      )
    ),
    Situation(
      "policy window 5m",
      "an engine that is broken",
      SetPolicyCall.self,
      replies: SetPolicyReply(changed: true, rules: [])
    ),
  ]
}
