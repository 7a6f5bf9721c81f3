import Presence
import PresenceTerms

extension PromptBookModelTests {
  /// The expected state of the book, as the simplest possible model: a list of the facts about each
  /// prompt.
  struct Model {
    struct Entry {
      let asked: Int
      let connection: Int
      var finger: Bool
      var until: Int64
      var running: PresenceMethod?
      var leader: Int?
      var passed: PresenceMethod?
      var password = true
    }

    var entries: [Int: Entry] = [:]
    var proofs = 0

    func overdue(_ now: Int64) -> Set<Int> {
      Set(
        entries.filter { now > $0.value.until + ($0.value.running == nil ? 0 : PromptBook.grace) }
          .keys
      )
    }

    /// A prompt that waits for another one lives as long as that one may, and one step longer.
    mutating func renew(_ name: Int, _ now: Int64) {
      entries[name]?.until = now + 30
      for (other, entry) in entries where entry.leader == name {
        entries[other]?.until = max(entry.until, now + 60)
      }
    }
  }
}
