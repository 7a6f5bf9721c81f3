import PresenceTerms
import Varlink
import VaultClient
import VaultInterface

@testable import Commands

// Protection, unlocking, fingers, and the audit log.
extension Situation {
  private static func watch(_ stage: Stage, unlocked: Bool) throws {
    _ = try stage.call(WatchCall.self)
    try stage.reply(WatchReply(unlocked: unlocked))
  }

  static let presence: [Situation] = [
    Situation("presence enable work", "the finger matches") { stage in
      _ = try stage.expect(EnablePresenceCall.self)
      try touch(stage, .enable)
      _ = try stage.expect(EnablePresenceCall.self)
      try stage.reply(AccountReply(account: protected))
      try watch(stage, unlocked: true)
    },
    Situation("presence disable work", "a finger that does not match, then the password") { stage in
      _ = try stage.expect(DisablePresenceCall.self)
      try stage.needPresence(.disable)
      _ = try stage.expect(CheckCall.self)
      try stage.fail(.presenceFailed(.noMatch, message: "", methods: [.fingerprint, .password]))
      _ = try stage.expect(CheckCall.self)
      try stage.fail(.presenceFailed(.lockedOut, message: "", methods: [.password]))
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "System password for ada: ", hidden: true))
      try stage.answer("System password for ada: ", "hunter2")
      _ = try stage.expect(RespondCall.self)
      try stage.reply(CheckEvent.passed)
      _ = try stage.expect(DisablePresenceCall.self)
      try stage.reply(AccountReply(account: account()))
    },
    Situation("presence test", "the finger matches") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test)
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.waiting(finger: "right-index", scan: .press), continues: true)
      try stage.reply(CheckEvent.waiting(), continues: true)
      try stage.reply(CheckEvent.retry(.centerFinger), continues: true)
      try stage.reply(CheckEvent.passed)
      _ = try stage.expect(TestPresenceCall.self)
      try stage.reply(TestPresenceReply(method: "fingerprint"))
    },
    Situation(
      "presence test",
      "the password, after a wrong one",
      TestPresenceCall.self,
      replies: TestPresenceReply(method: "password")
    ),
    Situation(
      "presence test",
      "a purpose that is too long",
      TestPresenceCall.self,
      fails: .presenceNeeded(.sample(.test, detail: String(repeating: "x", count: 3000)))
    ),
    Situation("presence test", "the engine asks without end") { stage in
      for _ in 0..<4 {
        _ = try stage.expect(TestPresenceCall.self)
        try touch(stage, .test)
      }
      try stage.expectEnd()
    },
    Situation("presence test", "the answer is too long") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test, methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "System password for ada: ", hidden: true))
      try stage.answer("System password for ada: ", String(repeating: "a", count: 2000))
      try stage.expectEnd()
    },
    Situation("presence test", "the answer has a NUL character") { stage in
      _ = try stage.expect(TestPresenceCall.self)
      try stage.needPresence(.test, methods: [.password])
      _ = try stage.expect(CheckCall.self)
      try stage.reply(CheckEvent.ask(text: "System password for ada: ", hidden: true))
      try stage.answer("System password for ada: ", "a\0b")
      try stage.expectEnd()
    },
    Situation(
      "unlock work home --for 15m",
      "two accounts",
      UnlockCall.self,
      replies: UnlockReply(unlockedFor: 900, unlockedAccounts: ["work", "home"])
    ),
    Situation(
      "unlock",
      "all accounts",
      UnlockCall.self,
      replies: UnlockReply(unlockedFor: 900, unlockedAccounts: [])
    ),
    Situation("unlock --for 0s", "no time"), Situation("unlock --for 15", "no unit"),
    Situation("lock", "a window is open", LockCall.self, replies: LockReply(wasUnlocked: true)),
    Situation("lock", "no window is open", LockCall.self, replies: LockReply(wasUnlocked: false)),
  ]

  private static func enrolling(_ replies: [EnrollFingerReply]) -> @Sendable (Stage) throws -> Void
  {
    { stage in
      _ = try stage.call(EnrollFingerCall.self)
      for (index, reply) in replies.enumerated() {
        try stage.reply(reply, continues: index + 1 < replies.count)
      }
    }
  }

  private static func failedEnrollment(
    _ what: String,
    _ outcome: PresenceOutcome,
    _ message: String
  ) -> Situation {
    Situation("fingers enroll", what) { stage in
      _ = try stage.call(EnrollFingerCall.self)
      try stage.fail(.presenceFailed(outcome, message: message, methods: []))
    }
  }

  private static func step(
    _ event: EnrollEvent,
    _ stage: Int = 0,
    of stages: Int = 5,
    hint: ScanHint? = nil,
    _ scan: ScanType = .press
  ) -> EnrollFingerReply {
    EnrollFingerReply(
      event: event,
      finger: "right-index",
      stage: stage,
      stages: stages,
      hint: hint,
      scan: scan
    )
  }

  static let fingers: [Situation] = [
    Situation(
      "fingers list",
      "fingers of vault and desktop",
      ListFingersCall.self,
      replies: ListFingersReply(
        fingers: ["right-index"],
        reader: VaultReader(available: true),
        desktopFingers: ["left-index"],
        fingerSource: .namesOnly,
        fingerReason: "enrolled fingers changed: added left-index (desktop)"
      )
    ),
    Situation(
      "fingers list",
      "no finger",
      ListFingersCall.self,
      replies: ListFingersReply(
        fingers: [],
        reader: VaultReader(available: false)
      )
    ),
    Situation(
      "fingers enroll",
      "a reader to touch",
      script: enrolling([
        step(.waiting), step(.stage, 1), step(.retry, 1, hint: .tooShort), step(.done, 5),
      ])
    ),
    Situation(
      "fingers enroll right-index",
      "a reader to swipe over, with no number of stages",
      script: enrolling([
        step(.waiting, of: 0, .swipe), step(.stage, 1, of: 0, .swipe),
        step(.done, 0, of: 0, .swipe),
      ])
    ),
    failedEnrollment("no reader", .notAvailable, "no fingerprint reader was found"),
    failedEnrollment("no touch", .timedOut, "the fingerprint reader was not touched in time"),
    Situation("fingers enroll right-indx", "a finger that is nearly right"),
    Situation("fingers enroll nose", "no finger"),
    Situation("fingers enroll", "no terminal").withoutTerminal,
    Situation(
      "fingers delete right-index",
      "another is left, and the reader keeps its print",
      DeleteFingerCall.self,
      replies: DeleteFingerReply(
        fingers: ["left-thumb"],
        onReader: "it is not plugged in"
      )
    ),
    Situation(
      "fingers delete right-index",
      "the last one",
      DeleteFingerCall.self,
      replies: DeleteFingerReply(fingers: [])
    ),
    Situation(
      "fingers delete right-index",
      "not enrolled",
      DeleteFingerCall.self,
      fails: .noSuchFinger(finger: "right-index")
    ),
  ]

  private static func verified(_ problem: String) -> Situation {
    Situation(
      "audit verify",
      "a record was changed: \(problem)",
      VerifyAuditCall.self,
      replies: VerifyAuditReply(
        whole: false,
        records: 90,
        first: 1,
        last: 99,
        bad: 17,
        badTime: 1_763_717_400,
        problem: problem
      )
    )
  }

  static func verified(records: Int) -> VerifyAuditReply {
    VerifyAuditReply(
      whole: true,
      records: records,
      first: 1,
      last: records,
      firstTime: records == 0 ? nil : 1_763_717_400,
      lastTime: records == 0 ? nil : 1_763_717_400
    )
  }

  static let audit: [Situation] =
    [
      Situation("audit work", "two records") { stage in
        _ = try stage.call(AuditCall.self)
        for (number, event) in ["refresh", "account-removed"].enumerated() {
          let record = VaultAuditRecord(
            number: number + 1,
            time: 1_763_717_400,
            event: event,
            outcome: "done",
            account: number == 0 ? "work" : nil,
            method: number == 0 ? "fingerprint" : nil,
            requester: "bash, PID 4211",
            detail: "generation 2"
          )
          try stage.reply(AuditReply(record: record), continues: number == 0)
        }
      },
      Situation("audit --since 2", "no unit"),
      Situation("audit --follow", "one record, and the end") { stage in
        _ = try stage.call(AuditCall.self)
        let record = VaultAuditRecord(
          number: 1,
          time: 1_763_717_400,
          event: "lock",
          outcome: "done",
          requester: "bash, PID 4211"
        )
        try stage.reply(AuditReply(record: record), continues: true)
        try stage.reply(AuditReply())
      },
      Situation("audit verify", "no record", VerifyAuditCall.self, replies: verified(records: 0)),
      Situation("audit verify", "one record", VerifyAuditCall.self, replies: verified(records: 1)),
      Situation(
        "audit verify",
        "many records",
        VerifyAuditCall.self,
        replies: verified(records: 28)
      ),
    ]
    + [
      "altered", "dropped", "reordered", "truncated", "duplicated", "added", "head", "checkpoint",
      "of a newer engine",
    ].map(verified)
}
