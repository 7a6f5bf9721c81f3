import JSON
import Testing
import VaultInterface

@testable import Commands

/// Hostile texts in each field of a record and a verdict.
///
/// NUL ends a message, and occurs in no text.
struct HostileTextTests {
  static let texts: [String] =
    ((1..<32) + [127, 0x80, 0x85, 0x9B, 0x9F]).compactMap { (code: UInt32) in
      Unicode.Scalar(code).map { "a\($0)b" }
    }
    + [
      "\u{061C}", "\u{200B}", "\u{200D}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}",
      "\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}", "\u{2066}", "\u{2067}",
      "\u{2068}", "\u{2069}", "\u{FEFF}", "\u{FE0F}", "\u{3164}", "\u{E000}", "\u{E0041}",
      "\u{FFFF}", "\u{1B}[2J", "\u{1B}]0;x\u{7}", "\u{1B}[31;1mok\u{1B}[0m", "\r\nhint: rm -rf",
      String(repeating: "x", count: 4096), String(repeating: "\u{1B}", count: 1000),
      // No message contains more combining marks than these.
      "a" + String(repeating: "\u{300}", count: 30), "\"\\\u{8}", "%s%n", "👩‍👩‍👧‍👦",
    ]

  private func isHarmless(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
      default: true
      }
    }
  }

  @Test
  func thereAreManyOfThem() {
    #expect(Self.texts.count > 60)
  }

  @Test(arguments: texts)
  func aRecordIsOneLineAndJSONStaysValid(_ text: String) throws {
    let record = VaultAuditRecord(
      number: 1,
      time: 1_763_717_400,
      event: text,
      outcome: text,
      account: text,
      method: text,
      requester: text,
      detail: text
    )
    let line = AuditVerbs.line(record)
    #expect(isHarmless(line), "\(line.debugDescription)")
    #expect(line.unicodeScalars.count < 20_000)
    #expect(AuditVerbs.line(record, columns: 80).split(separator: "\n").allSatisfy(isHarmless))
    let play = try Play.run(["audit", "--json"]) { stage in
      _ = try stage.expect(AuditCall.self)
      try stage.reply(AuditReply(record: record))
    }
    #expect(play.out.hasSuffix("\n") && isHarmless(play.out.dropLast()))
    let read = try JSONReader.read(Array(play.out.utf8), secretMembers: [])
    guard case .object(let object) = read,
      case .object(let first)? = try object.array("records").first
    else {
      Issue.record("\(play.out)")
      return
    }
    #expect(try first.string("requester") == text)
  }

  @Test(arguments: texts)
  func aVerdictIsOneLine(_ text: String) throws {
    let play = try Play.run(["audit", "verify"]) { stage in
      _ = try stage.expect(VerifyAuditCall.self)
      try stage.reply(
        VerifyAuditReply(
          whole: false,
          records: 2,
          first: 1,
          last: 2,
          bad: 2,
          badTime: .max,
          problem: text
        )
      )
    }
    #expect(play.code == .unsafeVault)
    #expect(play.out.isEmpty)
    #expect(play.talk.split(separator: "\n").count == 2)
    #expect(play.talk.split(separator: "\n").allSatisfy(isHarmless))
  }

  @Test(arguments: [
    ("altered", "was altered"), ("dropped", "was removed"), ("reordered", "was reordered"),
    ("truncated", "was truncated"), ("duplicated", "is a duplicate"), ("added", "was added"),
  ])
  func theFirstBadRecordIsNamed(_ problem: String, _ text: String) throws {
    let play = try Play.run(["audit", "verify"]) { stage in
      _ = try stage.expect(VerifyAuditCall.self)
      try stage.reply(
        VerifyAuditReply(
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
    #expect(play.code == .unsafeVault)
    #expect(play.talk.contains("record 17"))
    #expect(play.talk.contains(text))
  }
}
