import JSON
import Testing
import Varlink
import VaultInterface

@testable import Commands

/// `audit --follow` shows each record when it comes.
@Suite
struct AuditFollowTests {
  private static func reply(_ number: Int) -> AuditReply {
    AuditReply(
      record: VaultAuditRecord(number: number, time: 1_763_717_400, event: "lock", outcome: "done")
    )
  }

  @Test(arguments: [[], ["--json"]])
  func eachRecordIsALineOnce(_ words: [String]) throws {
    let play = try Play.run(["audit", "me", "--follow"] + words) { stage in
      let call = try stage.call(AuditCall.self)
      #expect(call.more)
      #expect(try call.content(as: AuditCall.self) == AuditCall(account: "me", follow: true))
      // A record that was shown is not shown again by the next engine.
      for number in [1, 2, 2, 3] { try stage.reply(Self.reply(number), continues: true) }
      try stage.reply(AuditReply())
    }
    #expect(play.code == .done)
    let lines = play.out.split(separator: "\n")
    #expect(lines.count == 3)
    guard !words.isEmpty else { return }
    for (index, line) in lines.enumerated() {
      guard case .object(let object) = try JSONReader.read(Array(line.utf8)) else {
        Issue.record("\(line)")
        return
      }
      #expect(try object.integer("number") == Int64(index) + 1)
    }
  }

  @Test
  func itLastsUntilItIsInterrupted() throws {
    let play = try Play.run(["audit", "--follow"]) { stage in
      _ = try stage.call(AuditCall.self)
      try stage.interrupt()
      try stage.expectEnd()
    }
    #expect(play.code == .interrupted)
    #expect(play.out.isEmpty)
  }

  @Test
  func aFullOutputEndsIt() throws {
    let play = try Play.run(["audit", "--follow"], output: .full) { stage in
      _ = try stage.call(AuditCall.self)
      try stage.reply(Self.reply(1), continues: true)
      try stage.expectEnd()
    }
    #expect(play.code == .bug)
  }
}
