internal import Doctor
internal import GTK
internal import Observation
internal import PlainText
internal import System
internal import VaultClient

/// What the doctor has found.
@Observable
@MainActor
final class HealthModel {
  /// The findings, the worst first; `nil` before the first look.
  private(set) var findings: [Finding]?
  /// Whether the doctor looks now.
  private(set) var isLooking = false
  /// Why the doctor could not look, or a remedy failed.
  var trouble: Trouble?

  let vault: VaultModel
  let recovery: RecoveryModel
  @ObservationIgnored
  let link: VaultLink?
  @ObservationIgnored
  private let looks = CallQueue()
  @ObservationIgnored
  private var stop: SharedWake?

  init(_ link: VaultLink?, of vault: VaultModel, _ recovery: RecoveryModel) {
    (self.link, self.vault, self.recovery) = (link, vault, recovery)
  }

  /// Whether the vault is the person's own.
  var isPrivate: Bool { link?.location == .privateVault }

  /// Looks again.
  func look() async {
    // One that runs may have missed what the person has changed since.
    await looks.run(at: vault) { await lookNow() }
  }

  /// Ends the look that runs, and keeps the findings of the last one.
  func cancel() { stop?.event.signal() }

  private func lookNow() async {
    isLooking = true
    defer { isLooking = false }
    guard let link else {
      findings = Self.sorted(Examination(of: nil).withoutEngine())
      return
    }
    do throws(VaultClientError) {
      let stop = try SharedWake.made()
      self.stop = stop
      defer { self.stop = nil }
      let found = try await link.onThread(interrupt: stop) { calls throws(VaultClientError) in
        let examination = Examination(of: link.location)
        return try examination.withoutEngine() + examination.ofEngine(calls)
      }
      (findings, trouble) = (Self.sorted(found), nil)
    } catch {
      if case .interrupted = error {} else { trouble = Trouble(error) }
    }
  }

  private static func sorted(_ findings: [Finding]) -> [Finding] {
    [.problem, .warning, .ok].flatMap { severity in findings.filter { $0.severity == severity } }
  }
}

extension Finding {
  /// The checked thing in words.
  var title: String { FindingWords.title(name) }

  /// What was found, and what to do, safe to show: in sentences, and in commands as they are typed.
  var parts: [Row.Part] {
    var parts = [Row.Part(Trouble(FindingWords.message(message)).text)]
    guard let clause = remedy.map(FindingWords.remedy) else { return parts }
    let remedy = CommandWords.adapted(clause.text)
    let command = command.map(CommandWords.adapted)
    guard let command, let place = remedy.firstRange(of: command) else {
      return parts + [Row.Part("\n" + Trouble(clause).text)]
    }
    let (before, after) = (remedy[..<place.lowerBound], remedy[place.upperBound...])
    let first = Clause(PlainText.line(String(before), limit: 600), clause.start)
    parts.append(Row.Part("\n" + first.capitalized))
    parts.append(Row.Part(PlainText.line(command, limit: 4096), isCommand: true))
    // Nothing stands behind a command that ends the sentence: it would be typed too.
    if !after.isEmpty {
      parts.append(Row.Part(PlainText.line(String(after), limit: 600) + "."))
    }
    return parts
  }

  /// The command in the remedy: that of the action, or one of Thumblatch's own at its start or
  /// behind a colon.
  var command: String? {
    if let action { return action.command }
    guard let remedy else { return nil }
    let own = "thumblatch "
    guard
      let place = remedy.hasPrefix(own)
        ? remedy.firstRange(of: own) : remedy.firstRange(of: ": " + own)
    else { return nil }
    // Some remedies go on with a condition.
    let rest = remedy[place.lowerBound...].trimmingPrefix(": ")
    return String(rest.prefix { $0 != "," && $0 != ";" })
  }

  /// The severity in words.
  var severityWord: String {
    switch severity {
    case .ok: tr("ok")
    case .warning: tr("warning")
    case .problem: tr("problem")
    }
  }

  /// The icon of the severity.
  var icon: String {
    switch severity {
    case .ok: "emblem-ok-symbolic"
    case .warning: "dialog-warning-symbolic"
    case .problem: "dialog-error-symbolic"
    }
  }
}
