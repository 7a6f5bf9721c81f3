import Presence
import PresenceTerms
import System
import Testing

/// Windows and prompts of several locations, against the simplest possible model.
@Suite
struct UnlockWindowsModelTests {
  private static let locations = ["desk", "other desk", "network"]
  private static let accounts = [account, otherAccount]
  private static let names = (0..<6).map { "p\($0)" }

  private struct Window {
    let account: Int?
    let end: Int64
    var pause: Int64
    let slides: Bool
  }

  private struct Prompt {
    let location: Int
    let account: Int?
    var isArmed = false
    var leader: Int?
  }

  private struct Model {
    var windows: [Int: Window] = [:]
    var prompts: [Int: Prompt] = [:]

    func covers(_ location: Int, _ account: Int, _ now: Int64) -> Bool {
      guard let window = windows[location], now < window.pause else { return false }
      return window.account == nil || window.account == account
    }
  }

  private struct Vault {
    var book = PromptBook()
    var windows = UnlockWindows()
  }

  /// Four times four thousand stories of any length.
  ///
  /// The result of each event is compared at once, and all other visible state at the end.
  @Test(arguments: 0..<4)
  func theWindowsDoWhatTheModelDoes(_ part: Int) {
    var count = (uses: 0, joins: 0)
    for sequence in 0..<4_000 {
      guard let found = play(seed: UInt64(part * 4_000 + sequence)) else {
        Issue.record("sequence \(part * 4_000 + sequence)")
        return
      }
      count = (count.uses + found.uses, count.joins + found.joins)
    }
    // Control: the stories used enough windows and prompts.
    #expect(count.uses > 800 && count.joins > 80)
  }

  private func play(seed: UInt64) -> (uses: Int, joins: Int)? {
    var dice = Dice(seed: seed)
    var (vault, model) = (Vault(), Model())
    var now: Int64 = 100
    var count = (uses: 0, joins: 0)
    for _ in 0..<(3 + dice.roll(12)) {
      var (event, location, account) = (dice.roll(12), dice.roll(3), dice.roll(2))
      // Mostly the next event, so that windows are opened and used, and prompts joined.
      if dice.roll(2) == 0 {
        if let armed = model.prompts.values.first(where: \.isArmed) {
          (event, location) = (dice.roll(3) == 0 ? 0 : 5, armed.location)
          account = armed.account ?? account
        } else if let open = model.windows.keys.min() {
          (event, location) = (0, open)
        } else {
          event = 3
        }
      }
      var agrees = true
      switch event {
      case 0, 1, 2:
        // A request: by the window, or by a prompt.
        let isFree = model.covers(location, account, now)
        agrees = use(&vault, location, account, now) == isFree
        if isFree, let window = model.windows[location] {
          count.uses += 1
          if window.slides { model.windows[location]?.pause = min(window.end, now + 600) }
        } else {
          agrees = agrees && ask(&vault, &model, location, account, now, &count.joins)
        }
      case 3, 4: agrees = ask(&vault, &model, location, nil, now, &count.joins)
      case 5, 6: agrees = touch(&vault, &model, now, &dice)
      case 7:
        let wasOpen = model.windows.values.contains { now < $0.pause }
        agrees = vault.windows.closeAll(now: at(now)) == wasOpen
        model.windows = [:]
      case 8:
        // The screen is locked, or the computer suspends.
        _ = vault.windows.closeAll(now: at(now))
        for name in vault.book.names { close(&vault, name) }
        model = Model()
      case 9:
        // One of the sessions ends.
        let wasOpen = model.windows[location].map { now < $0.pause } ?? false
        agrees = vault.windows.close(at: Self.locations[location], now: at(now)) == wasOpen
        for name in vault.book.names(at: Self.locations[location]) { close(&vault, name) }
        model.windows[location] = nil
        model.prompts = model.prompts.filter { $0.value.location != location }
      default:
        // Time passes, with or without suspend: the clock counts it and cannot be set.
        now += [40, 61, 599, 600, 601, 43_200][dice.roll(6)]
        for name in vault.book.names { close(&vault, name) }
        model.prompts = [:]
      }
      guard agrees else { return nil }
    }
    return same(vault, model, now) ? count : nil
  }

  private func close(_ vault: inout Vault, _ name: String) {
    vault.book.close(name, connection: vault.book.connection(of: name) ?? 0)
  }

  private func use(_ vault: inout Vault, _ location: Int, _ account: Int, _ now: Int64) -> Bool {
    let proof = vault.windows.proof(
      at: Self.locations[location],
      account: Self.accounts[account],
      connection: 1,
      now: at(now),
      extending: true
    )
    switch proof {
    case .some: return true
    case nil: return false
    }
  }

  /// Requests an account, or with `nil` an unlock of all, and arms.
  private func ask(
    _ vault: inout Vault,
    _ model: inout Model,
    _ location: Int,
    _ account: Int?,
    _ now: Int64,
    _ joins: inout Int
  ) -> Bool {
    guard let name = (0..<6).first(where: { model.prompts[$0] == nil }) else { return true }
    vault.book.open(
      Self.names[name],
      question(account == nil ? .unlock : .refresh, of: account.map { Self.accounts[$0] }),
      location: Self.locations[location],
      by: UInt64(name),
      at: now
    )
    var expected = Prompt(location: location, account: account)
    let armed = model.prompts.first { $0.value.isArmed }
    let mayJoin =
      armed.map { $0.value.location == location && $0.value.account == account } ?? false
    if armed == nil { expected.isArmed = true }
    if mayJoin { expected.leader = armed?.key }
    model.prompts[name] = expected
    do throws(PresenceFailure) {
      let arming = try vault.book.arm(
        Self.names[name],
        method: .fingerprint,
        connection: UInt64(name),
        at: at(now)
      )
      if case .join(let leader) = arming {
        joins += 1
        return mayJoin && armed.map { Self.names[$0.key] } == leader
      }
      return arming == .run && armed == nil
    } catch {
      return armed != nil && !mayJoin
    }
  }

  /// A finger touches the reader: the armed prompt passes, and opens its window.
  private func touch(
    _ vault: inout Vault,
    _ model: inout Model,
    _ now: Int64,
    _ dice: inout Dice
  ) -> Bool {
    guard let (name, prompt) = model.prompts.first(where: { $0.value.isArmed }) else {
      return !vault.book.names.contains {
        vault.book.isArmed($0, method: .fingerprint, at: at(now))
      }
    }
    vault.book.pass(Self.names[name], at: at(now))
    guard let asked = vault.book.question(of: Self.names[name]),
      vault.book.location(of: Self.names[name]) == Self.locations[prompt.location],
      let proof = try? vault.book.takeProof(
        Self.names[name],
        question: asked,
        connection: UInt64(name),
        at: at(now)
      ),
      let origin = try? proof.spend(
        for: asked.purpose,
        account: asked.account,
        connection: UInt64(name),
        at: at(now)
      )
    else { return false }
    model.prompts[name] = nil
    for (other, joined) in model.prompts where joined.leader == name {
      close(&vault, Self.names[other])
      model.prompts[other] = nil
    }
    guard prompt.account == nil else { return true }
    let seconds: Int64? = dice.roll(2) == 0 ? nil : 120
    let covered = dice.roll(3) == 0 ? dice.roll(2) : nil
    let window = UnlockWindow(
      accounts: covered.map { [Self.accounts[$0]] },
      seconds: seconds,
      provenBy: origin,
      at: at(now)
    )
    guard let window else { return false }
    vault.windows.open(window, at: Self.locations[prompt.location], now: at(now))
    model.windows[prompt.location] = Window(
      account: covered,
      end: now + (seconds ?? 43_200),
      pause: now + (seconds ?? 600),
      slides: seconds == nil
    )
    return true
  }

  private func same(_ vault: Vault, _ model: Model, _ now: Int64) -> Bool {
    for location in 0..<3 {
      let open = vault.windows.window(at: Self.locations[location], now: at(now))
      for account in 0..<2 {
        let covers = open?.covers(Self.accounts[account], at: at(now)) ?? false
        guard covers == model.covers(location, account, now) else { return false }
      }
    }
    for account in 0..<2 {
      let isAnyOpen = vault.windows.isAnyOpen(for: Self.accounts[account], now: at(now))
      guard isAnyOpen == (0..<3).contains(where: { model.covers($0, account, now) }) else {
        return false
      }
      var ahead = vault.windows
      let moved = ahead
      let proof = ahead.proofAhead(account: Self.accounts[account], connection: 0, now: at(now))
      let isGiven =
        switch proof {
        case .some: true
        case nil: false
        }
      // It is given if any window is open, and moves none.
      guard isGiven == isAnyOpen, ahead == moved else { return false }
    }
    return vault.windows.isAnyOpen(now: at(now))
      == model.windows.values.contains { now < $0.pause }
  }
}
