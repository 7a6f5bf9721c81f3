internal import AuditLog
internal import Configuration
internal import PlainText
internal import Presence
internal import PresenceTerms
internal import Storage

// Opens and closes the unlock window.
extension Vault {
  /// Opens the unlock window after one presence check.
  ///
  /// It covers the named accounts, or all if none is named. Without `seconds` the window slides
  /// with each use, by 10 minutes unless the policy says otherwise.
  package func unlock(
    _ names: [String],
    seconds: Int64?,
    prompt: String?,
    caller: Caller
  ) async throws(VaultFailure) -> VaultFacts {
    var seen: Set<String> = []
    let names = names.filter { seen.insert($0).inserted }
    let policy = try policy()
    try demandLength(seconds, policy)
    var covered: Set<[UInt8]>? = names.isEmpty ? nil : []
    var shown: [String] = []
    for name in names {
      let account = try account(named: name)
      covered?.insert(account.id)
      shown.append(names.count <= Self.mostLabels ? shownWithLabel(account) : name)
    }
    let question = caller.question(.unlock, detail: Self.shown(shown, seconds))
    guard let prompt else { throw try await askForPresence(question, account: nil, caller: caller) }
    // It was looked up again before the check could pass.
    let location =
      await locationOfWindow(of: prompt, caller) ?? CallerLocation.aloneName(caller.connection)
    // A caller that joined another's check finds the window that this check has opened.
    if try await waitForLeader(of: prompt, question, caller) {
      // A window that covers less than requested does not count, nor does one that was never opened
      // or is closed again.
      guard window(at: location, now: clock.boot)?.isFor(covered) == true else {
        throw try await askForPresence(question, account: nil, caller: caller)
      }
      return try facts(at: location)
    }
    // Await this before the proof is spent: from then on, a joined caller must find the window
    // open.
    let ends = await beginGuarding()
    guard ends == windowState.ends else { throw .presenceFailed(.cancelled, methods: []) }
    let origin = try spendForOrigin(prompt, question, caller)
    let opened = UnlockWindow(
      accounts: covered,
      seconds: seconds,
      sliding: Int64(policy.window) * 60,
      limit: Int64(policy.windowLimit) * 3600,
      provenBy: origin,
      at: clock.boot
    )
    let detail =
      (names.isEmpty ? "all accounts" : names.joined(separator: ", "))
      + (seconds.map { ", \($0) s" } ?? ", sliding")
    try change { try record(.unlock, .done, by: caller, detail: detail) }
    if let opened {
      let now = clock.boot
      changeWindows { $0.open(opened, at: location, now: now) }
    }
    return try facts(at: location)
  }

  private func demandLength(_ seconds: Int64?, _ policy: Policy) throws(VaultFailure) {
    guard let seconds else { return }
    guard (1...UnlockWindow.hardLimit).contains(seconds) else {
      throw .invalidArgument("an unlock window is between 1 second and 12 hours long")
    }
    guard seconds <= Int64(policy.windowLimit) * 3600 else {
      throw .refused(
        "an unlock window is at most \(policy.windowLimit) h long\(try origin(of: .windowLimit))"
      )
    }
  }

  /// The most accounts that a prompt shows with their labels.
  private static let mostLabels = 8
  /// The most characters of a label in a prompt.
  private static let longestLabel = 60

  /// A program chose the name of a secret that it stored: the label tells the person more.
  private func shownWithLabel(_ account: AccountRow) -> String {
    guard let label = account.displayName, keepsSecret(account) else {
      return account.name
    }
    let shown = PlainText.line(label.replacing("\"", with: "'"), limit: Self.longestLabel)
    return "\(account.name) (\"\(shown)\")"
  }

  /// The text of a prompt that names the accounts and the length.
  private static func shown(_ names: [String], _ seconds: Int64?) -> String {
    let what = names.isEmpty ? "the vault" : names.joined(separator: ", ")
    guard let seconds else { return what }
    let length =
      switch (seconds % 3600, seconds % 60) {
      case (0, _): "\(seconds / 3600) h"
      case (_, 0): "\(seconds / 60) min"
      default: "\(seconds) s"
      }
    return "\(what) for \(length)"
  }

  /// Opens the unlock window of one account.
  func openWindow(
    of account: AccountRow,
    provenBy origin: PresenceProof.Origin?,
    at location: String,
    _ policy: Policy,
    _ caller: Caller
  ) {
    guard let origin,
      let window = UnlockWindow(
        accounts: [account.id],
        seconds: nil,
        sliding: Int64(policy.window) * 60,
        limit: Int64(policy.windowLimit) * 3600,
        provenBy: origin,
        at: clock.boot
      )
    else { return }
    let entry = AuditEntry(
      .unlock,
      .done,
      account: account,
      caller: caller,
      detail: "\(account.name), sliding"
    )
    // Without its record there is no window; the protection is on in any case.
    guard (try? change { try record(entry) }) != nil else { return }
    let now = clock.boot
    changeWindows { $0.add(window, for: account.id, at: location, now: now) }
  }

  /// Closes all windows now, in every location; returns whether one was open.
  package func lock(caller: Caller) throws(VaultFailure) -> Bool {
    let wasOpen = closeWindows()
    // No window has to be closed before the computer sleeps any more.
    endGuardLater()
    if wasOpen {
      try change { try record(.lock, .done, by: caller) }
    }
    return wasOpen
  }
}
