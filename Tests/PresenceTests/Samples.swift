import Presence
import PresenceTerms
import System

/// An instant of a test: seconds after boot.
func at(_ seconds: Int64) -> BootInstant { BootInstant(nanoseconds: seconds * 1_000_000_000) }

let account = [UInt8](repeating: 0xa1, count: 16)
let otherAccount = [UInt8](repeating: 0xb2, count: 16)

func question(
  _ purpose: PresencePurpose = .refresh,
  of account: [UInt8]? = account,
  user: UInt32 = 1000,
  socket: String? = nil
) -> PromptQuestion {
  PromptQuestion(user: user, purpose: purpose, account: account, socket: socket)
}

extension PromptBook {
  /// Begins a prompt and opens it, by default one that a finger can pass, and no security key.
  @discardableResult
  mutating func open(
    _ name: String,
    _ asked: PromptQuestion = PresenceTests.question(),
    location: String = "",
    by connection: UInt64 = 1,
    impossible: Set<PresenceMethod> = [.key],
    at second: Int64 = 0
  ) -> [PresenceMethod]? {
    let now = PresenceTests.at(second)
    guard begin(name, question: asked, connection: connection, at: now) else { return nil }
    _ = open(name, location: location, impossible: impossible, at: now)
    return methods(of: name)
  }
}

/// A book with one prompt that passed at second 0.
func passedBook(
  _ question: PromptQuestion = question(),
  by method: PresenceMethod = .fingerprint,
  connection: UInt64 = 1
) throws -> PromptBook {
  var book = PromptBook()
  book.open("p", question, by: connection)
  _ = try book.arm("p", method: method, connection: connection, at: at(0))
  book.pass("p", at: at(0))
  return book
}

extension PromptBook {
  /// Gives up the expired prompts, as their engine does.
  mutating func expire(at now: BootInstant) -> [String] {
    let gone = overdue(at: now)
    for name in gone { close(name, connection: connection(of: name) ?? 0) }
    return gone
  }
}
