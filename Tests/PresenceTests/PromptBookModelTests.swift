import Presence
import PresenceTerms
import System
import Testing

@Suite
struct PromptBookModelTests {
  private static let questions = [
    question(), question(of: otherAccount), question(.unlock, of: nil), question(.disable),
    question(.enroll, of: nil), question(user: 1001),
  ]
  private static let names = ["p0", "p1", "p2", "p3"]

  private enum Answer: Equatable {
    case run
    case join(Int)
    case no
  }

  /// A hundred thousand sequences in all.
  ///
  /// The book's answer is compared after each event.
  @Test(arguments: 0..<4)
  func theBookDoesWhatTheModelDoes(_ part: Int) {
    var proofs = 0
    for sequence in 0..<25_000 {
      guard let taken = play(seed: UInt64(part * 25_000 + sequence)) else {
        Issue.record("sequence \(part * 25_000 + sequence)")
        return
      }
      proofs += taken
    }
    // Control: the sequences gave enough proofs.
    #expect(proofs > 5_000)
  }

  /// Plays one sequence, and returns the number of its proofs, or `nil` if book and model differ.
  private func play(seed: UInt64) -> Int? {
    var dice = Dice(seed: seed)
    var book = PromptBook()
    var model = Model()
    var now: Int64 = 100
    for _ in 0..<12 {
      let name = dice.roll(3)
      let connection = dice.roll(8) == 0 ? 3 - (model.entries[name]?.connection ?? 1) : nil
      let asker = connection ?? model.entries[name]?.connection ?? 1 + dice.roll(2)
      var event = dice.roll(12)
      // Mostly the next event in the life of a prompt, so that proofs are reached.
      if let entry = model.entries[name], dice.roll(2) == 0 {
        event = entry.passed != nil ? 6 : entry.running != nil ? 3 : 1
      } else if model.entries[name] == nil, dice.roll(2) == 0 {
        event = 0
      }
      let agrees =
        switch event {
        case 0: open(&book, &model, name, asker, &dice, now)
        case 1, 2: arm(&book, &model, name, asker, &dice, now)
        case 3: pass(&book, &model, name, now)
        case 4: fail(&book, &model, name, &dice, now)
        case 5, 6: take(&book, &model, name, asker, &dice, now)
        case 7: close(&book, &model, name, asker)
        case 8: expire(&book, &model, now)
        case 9: extend(&book, &model, name, now)
        default: wait(&now, &dice)
        }
      guard agrees, same(book, model, now) else { return nil }
    }
    return model.proofs
  }

  private func wait(_ now: inout Int64, _ dice: inout Dice) -> Bool {
    now += [1, 5, 29, 30, 31, 41, 70][dice.roll(7)]
    return true
  }

  private func same(_ book: PromptBook, _ model: Model, _ now: Int64) -> Bool {
    for index in 0..<3 {
      let name = Self.names[index]
      let entry = model.entries[index]
      guard book.contains(name) == (entry != nil),
        book.connection(of: name) == entry.map({ UInt64($0.connection) }),
        book.deadline(of: name) == entry.map({ at($0.until) })
      else { return false }
      let runs = entry?.running != nil && now <= entry?.until ?? 0
      for method in PresenceMethod.allCases {
        let isArmed = book.isArmed(name, method: method, at: at(now))
        guard isArmed == (runs && entry?.running == method) else { return false }
      }
    }
    return true
  }

  private func open(
    _ book: inout PromptBook,
    _ model: inout Model,
    _ name: Int,
    _ connection: Int,
    _ dice: inout Dice,
    _ now: Int64
  ) -> Bool {
    // A name is random and never used twice at once.
    guard model.entries[name] == nil else { return true }
    let asked = dice.roll(10) < 5 ? 0 : dice.roll(Self.questions.count)
    let finger = dice.roll(8) != 0
    let methods = book.open(
      Self.names[name],
      Self.questions[asked],
      by: UInt64(connection),
      impossible: finger ? [.key] : [.fingerprint, .key],
      at: now
    )
    model.entries[name] = .init(
      asked: asked,
      connection: connection,
      finger: finger,
      until: now + 30
    )
    return methods == (finger && asked != 4 ? [.fingerprint, .password] : [.password])
  }

  private func arm(
    _ book: inout PromptBook,
    _ model: inout Model,
    _ name: Int,
    _ connection: Int,
    _ dice: inout Dice,
    _ now: Int64
  ) -> Bool {
    let method: PresenceMethod = dice.roll(3) == 0 ? .password : .fingerprint
    let got: Answer
    do throws(PresenceFailure) {
      let arming = try book.arm(
        Self.names[name],
        method: method,
        connection: UInt64(connection),
        at: at(now)
      )
      switch arming {
      case .run: got = .run
      case .join(let leader): got = .join(Self.names.firstIndex(of: leader) ?? -1)
      // A caller that does not say that it may wait never does.
      case .wait: return false
      }
    } catch {
      got = .no
    }
    return got == expectedArming(&model, name, connection, method, now)
  }

  private func expectedArming(
    _ model: inout Model,
    _ name: Int,
    _ connection: Int,
    _ method: PresenceMethod,
    _ now: Int64
  ) -> Answer {
    guard let entry = model.entries[name], entry.connection == connection else { return .no }
    guard now <= entry.until else { return .no }
    if method == .fingerprint && (entry.asked == 4 || !entry.finger) { return .no }
    if method == .password && !entry.password { return .no }
    if entry.passed != nil { return .no }
    let running = model.entries.first {
      $0.key != name && $0.value.running != nil && now <= $0.value.until + PromptBook.grace
    }
    if let running {
      let mayJoin = [0, 1, 2, 5].contains(entry.asked) && running.value.asked == entry.asked
      guard mayJoin, now <= running.value.until else { return .no }
      model.entries[name]?.running = nil
      model.entries[name]?.leader = running.key
      model.entries[name]?.until = running.value.until + 30
      return .join(running.key)
    }
    model.entries[name]?.leader = nil
    model.entries[name]?.running = method
    model.renew(name, now)
    return .run
  }

  private func pass(
    _ book: inout PromptBook,
    _ model: inout Model,
    _ name: Int,
    _ now: Int64
  ) -> Bool {
    book.pass(Self.names[name], at: at(now))
    guard let entry = model.entries[name], entry.running != nil, now <= entry.until else {
      return true
    }
    model.entries[name]?.passed = entry.running
    model.renew(name, now)
    model.entries[name]?.running = nil
    return true
  }

  private func fail(
    _ book: inout PromptBook,
    _ model: inout Model,
    _ name: Int,
    _ dice: inout Dice,
    _ now: Int64
  ) -> Bool {
    let outcomes: [PresenceOutcome] = [.noMatch, .timedOut, .cancelled, .notAvailable]
    let outcome = outcomes[dice.roll(outcomes.count)]
    let isLockedOut = dice.roll(6) == 0
    _ = book.fail(
      Self.names[name],
      with: outcome,
      lockout: FingerLockout(failures: isLockedOut ? 5 : 0),
      at: at(now)
    )
    guard let entry = model.entries[name] else { return true }
    if isLockedOut { model.entries[name]?.finger = false }
    guard let method = entry.running else { return true }
    model.entries[name]?.running = nil
    if method == .fingerprint && outcome != .noMatch && outcome != .timedOut {
      model.entries[name]?.finger = false
    }
    if method == .password && outcome == .notAvailable { model.entries[name]?.password = false }
    model.renew(name, now)
    return true
  }

  private func take(
    _ book: inout PromptBook,
    _ model: inout Model,
    _ name: Int,
    _ connection: Int,
    _ dice: inout Dice,
    _ now: Int64
  ) -> Bool {
    let entry = model.entries[name]
    let asked = dice.roll(6) == 0 ? dice.roll(Self.questions.count) : entry?.asked ?? 0
    let asks = Self.questions[asked]
    let isTheirs = entry.map { $0.connection == connection && $0.asked == asked } ?? false
    let isDue = isTheirs && entry?.passed != nil
    if isDue { model.entries[name] = nil }
    do throws(PresenceFailure) {
      let proof = try book.takeProof(
        Self.names[name],
        question: asks,
        connection: UInt64(connection),
        at: at(now)
      )
      let origin = try proof.spend(
        for: asks.purpose,
        account: asks.account,
        connection: UInt64(connection),
        at: at(now)
      )
      model.proofs += 1
      return isDue && now <= entry?.until ?? 0 && origin == entry?.passed.map { .check($0) }
    } catch {
      return !(isDue && now <= entry?.until ?? 0)
    }
  }

  private func close(
    _ book: inout PromptBook,
    _ model: inout Model,
    _ name: Int,
    _ connection: Int
  ) -> Bool {
    book.close(Self.names[name], connection: UInt64(connection))
    if model.entries[name]?.connection == connection { model.entries[name] = nil }
    return true
  }

  private func expire(_ book: inout PromptBook, _ model: inout Model, _ now: Int64) -> Bool {
    let gone = Set(book.expire(at: at(now)).compactMap(Self.names.firstIndex))
    let expected = model.overdue(now)
    for name in expected { model.entries[name] = nil }
    return gone == expected
  }

  private func extend(
    _ book: inout PromptBook,
    _ model: inout Model,
    _ name: Int,
    _ now: Int64
  ) -> Bool {
    book.extend(Self.names[name], at: at(now))
    if model.entries[name]?.running != nil { model.renew(name, now) }
    return true
  }
}
