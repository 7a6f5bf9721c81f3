import PresenceTerms
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

// The agent, and programs whose prompts it shows.
extension Situation {
  private static func acceptSocket(_ stage: Stage) throws {
    _ = try stage.expect(RestrictCall.self)
    try stage.reply(EmptyReply())
    _ = try stage.expect(GetAccountCall.self)
    try stage.reply(GetAccountReply(account: protected))
  }

  private static let ci = ["unit": "ci-*.service", "accounts": "work", "rate": "30"]

  private static let file = "/etc/thumblatch/thumblatch.conf"
  private static let withoutRules = TestRuleReply(
    sandboxed: false,
    rules: [],
    because: [],
    limits: [:]
  )

  private static func test(
    _ words: String,
    _ what: String,
    _ reply: TestRuleReply,
    file: String? = Self.file
  ) -> Situation {
    Situation("rule test \(words)", what) { stage in
      _ = try stage.expect(TestRuleCall.self)
      try stage.reply(reply)
      _ = try stage.expect(ListRulesCall.self)
      try stage.reply(ListRulesReply(file: file, rules: []))
    }
  }

  /// The rules for callers.
  static let callerRules: [Situation] = [
    Situation("rule list", "two rules") { stage in
      _ = try stage.expect(ListRulesCall.self)
      try stage.reply(
        ListRulesReply(
          file: "/etc/thumblatch/thumblatch.conf",
          rules: [
            VaultCallerRule(name: "ci", settings: ci),
            VaultCallerRule(
              name: "boxes",
              settings: ["sandbox": "yes", "presence": "each"],
              own: true
            ),
          ]
        )
      )
    },
    Situation("rule list", "a rule for cron jobs") { stage in
      _ = try stage.expect(ListRulesCall.self)
      let jobs = ["unit": "cron.service", "desktop": "user"]
      try stage.reply(
        ListRulesReply(
          file: "/etc/thumblatch/thumblatch.conf",
          rules: [
            VaultCallerRule(name: "jobs", settings: jobs, loosensDesktop: true),
            VaultCallerRule(name: "mine", settings: jobs, own: true),
          ]
        )
      )
    },
    Situation("rule list", "a rule for cron jobs that says the same as the policy") { stage in
      _ = try stage.expect(ListRulesCall.self)
      let jobs = ["unit": "cron.service", "desktop": "user"]
      try stage.reply(
        ListRulesReply(
          file: "/etc/thumblatch/thumblatch.conf",
          rules: [VaultCallerRule(name: "jobs", settings: jobs)]
        )
      )
    },
    Situation("rule list", "none") { stage in
      _ = try stage.expect(ListRulesCall.self)
      try stage.reply(ListRulesReply(file: "/etc/thumblatch/thumblatch.conf", rules: []))
    },
    Situation("rule list", "a private vault") { stage in
      _ = try stage.expect(ListRulesCall.self)
      try stage.reply(ListRulesReply(rules: []))
    },
    test(
      "4211",
      "a process",
      TestRuleReply(
        userUnit: "app-code-7.scope",
        sandboxed: true,
        rules: ["boxes"],
        because: ["sandbox = yes"],
        limits: ["presence": "each"]
      )
    ),
    test(
      "ci-nightly.service",
      "a unit",
      TestRuleReply(sandboxed: false, rules: ["ci"], because: ["unit = ci-*.service"], limits: ci)
    ),
    test("cron.service", "no rule", withoutRules),
    test("cron.service", "a private vault", withoutRules, file: nil),
    test("4211 --json", "a private vault", withoutRules, file: nil),
    Situation("rule test 1", "another user's process") { stage in
      _ = try stage.expect(TestRuleCall.self)
      try stage.fail(.refused(message: "process 1 is another user's"))
    },
  ]

  /// A program without a terminal, whose prompt an agent shows.
  static let desktop: [Situation] = [
    Situation("agent", "a private vault without a directory").with {
      $0.location = .privateVault
    },
    Situation(
      "agent --socket /s --name build --account work --rule easy",
      "a rule in a private vault"
    )
    .with { $0.location = .privateVault },
    Situation("agent --name build", "options without a socket").with { $0.location = .service },
    Situation("agent --socket /s", "a socket without accounts").with { $0.location = .service },
    Situation("agent --socket /s --name Build --account work", "no name for a socket").with {
      $0.location = .service
    },
    Situation(
      "agent --socket s --name build --account work",
      "a path that is relative",
      script: acceptSocket
    )
    .with { $0.location = .service },
    Situation(
      "agent --socket /none/s --name build --account work",
      "no such directory",
      script: acceptSocket
    )
    .with { $0.location = .service },
    Situation("agent --oidc-agent", "no directory of a session").with {
      $0.location = .privateVault
    },
    Situation("agent --oidc-agent s", "a path that is relative").with {
      $0.location = .privateVault
    },
    Situation("agent --oidc-agent /none/s", "no such directory").with {
      $0.location = .privateVault
    },
    Situation("agent --secret-service", "no session bus").with {
      $0.location = .privateVault
      $0.environment = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/none"]
    },
    Situation("token work --reason deploy", "behind a restricted socket") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(requester: #"restricted socket "build""#, atDesktop: true)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.reply(EmptyReply())
      _ = try stage.expect(AccessTokenCall.self)
      try stage.fail(
        .refused(message: #"the restricted socket "build" does not allow this account"#)
      )
    }.withoutTerminal.with { $0.location = .socket(path: "/s") },
    Situation("token work --no-input", "behind a restricted socket") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(prompt: "", atDesktop: true)
    }.with { $0.location = .socket(path: "/s") },
    Situation("token work --helper", "the screen behind a restricted socket is locked") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(atDesktop: true)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.fail(
        .noDesktop(
          message: "no prompt is shown for your session: its screen is locked",
          reason: .locked
        )
      )
    }.with { $0.location = .socket(path: "/s") },
    Situation("token work", "a rule forbids to ask") { stage in
      _ = try stage.expect(AccessTokenCall.self)
      try stage.needPresence(prompt: "")
    }.withoutTerminal.with { $0.location = .service },
    Situation("presence test", "a reason that is stated") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test, statedReason: "deploy the site")
      _ = try stage.expect(CheckCall.self)
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: []))
    },
    Situation("presence test", "the finger matches at the desktop") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.reply(EmptyReply())
      _ = try stage.expect(TestPresenceCall.self)
      try stage.reply(TestPresenceReply(method: "fingerprint"))
    }.withoutTerminal.with { $0.location = .service },
    Situation("presence test", "no agent shows it") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.fail(
        .noDesktop(message: "no agent runs in your session (thumblatch agent)", reason: .noAgent)
      )
    }.withoutTerminal.with { $0.location = .service },
    Situation("presence test", "the person denies at the desktop") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test)
      _ = try stage.expect(AskAtDesktopCall.self)
      try stage.fail(.presenceFailed(.cancelled, message: "", methods: []))
    }.withoutTerminal.with { $0.location = .service },
  ]
}
