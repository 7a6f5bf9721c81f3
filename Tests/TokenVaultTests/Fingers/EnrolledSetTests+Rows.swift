import Presence
import PresenceTerms
import Storage
import System
import Testing

@testable import TokenVault

/// Rows of the store, which an attacker may edit or restore.
extension EnrolledSetTests {
  /// The edits, each with the part of the reason that reports it.
  private func edits() -> [(String, (Store) throws -> Void)] {
    let user = ThisProcess.user
    return [
      (
        "does not open",
        { store in
          // Also a print under another finger's name.
          var copy = try #require(try store.prints(owner: user).first)
          copy.finger = "left-little"
          copy.id[0] ^= 1
          let row = copy
          try store.insert(row)
        }
      ),
      (
        "removed left-thumb",
        { store in
          let row = try #require(try store.prints(owner: user).first { $0.finger == "left-thumb" })
          try store.deletePrint(id: row.id)
        }
      ),
      ("not confirmed yet: left-thumb, right-index", { try $0.deleteEnrolledSet(owner: user) }),
      (
        "was altered; enrolled: left-thumb, right-index",
        { store in
          var row = try #require(try store.enrolledSet(owner: user))
          row.fingers = String(row.fingers.split(separator: "\n")[0])
          try store.put(row)
        }
      ),
      (
        "was altered",
        { store in
          var row = try #require(try store.enrolledSet(owner: user))
          row.source = "names"
          try store.put(row)
        }
      ),
      (
        "was altered",
        { store in
          var row = try #require(try store.enrolledSet(owner: user))
          row.code[31] ^= 1
          try store.put(row)
        }
      ),
    ]
  }

  @Test
  func rowsThatWereEditedByHandLeadToThePassword() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.expired()
    if let vault { try await bench.enroll(vault, "left-thumb") }
    vault = nil
    for (what, edit) in edits() {
      let copy = try bench.snapshot()
      try await copy.forge { store in try store.transaction { try edit(store) } }
      let next = try await copy.open()
      let need = try await need { _ = try await next.token() }
      #expect(need.methods == [.password])
      #expect(need.reason?.contains(what) == true, "\(need.reason ?? "")")
      guard case .presenceFailed(_, methods: [.password])? = await finger(need, next) else {
        Issue.record("a finger was asked")
        continue
      }
      #expect(copy.check.conversations.isEmpty)
      #expect(try await next.row().protection == 1)
      try await copy.pass(need, next, caller())
    }
  }

  @Test
  func aPrintThatWasDeletedAndIsPutBackIsNotOffered() async throws {
    let bench = try Bench()
    var vault: Vault? = try await bench.expired()
    if let vault { try await bench.enroll(vault, "left-thumb") }
    vault = nil
    let old = try await bench.withStore { store in
      try #require(try store.prints(owner: ThisProcess.user).first { $0.finger == "left-thumb" })
    }
    vault = try await bench.open()
    if let vault { try await bench.delete(vault, "left-thumb") }
    vault = nil
    try await bench.forge { store in try store.transaction { try store.insert(old) } }
    let next = try await bench.open()
    let need = try await bench.glance(next)
    #expect(need.methods == [.password])
    #expect(need.reason == "enrolled fingers changed: added left-thumb" + Self.once)
  }

  @Test
  func aListIsReadAsItWasWrittenAndNothingElseIs() throws {
    let set = EnrolledSet(
      own: [.init(home: .own, finger: "left-thumb", digest: [1, 0xab])],
      desktop: desktop(names: "right-thumb")
    )
    #expect(set.text == "desktop right-thumb -\nown left-thumb 01ab")
    #expect(EnrolledSet(source: set.source, text: set.text) == set)
    #expect(EnrolledSet(source: "none", text: "") == EnrolledSet())
    for text in [
      "x", "own a", "own a b c", "own a zz", "own a 1", "else a -", "own a -\n", "\nown a -",
      "own b -\nown a -", "own a -\nown a -", "own a AB",
    ] {
      #expect(EnrolledSet(source: "none", text: text) == nil, "\(text)")
    }
  }
}
