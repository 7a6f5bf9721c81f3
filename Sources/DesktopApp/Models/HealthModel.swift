internal import Doctor
internal import GTK
internal import Observation
internal import VaultClient

/// What the doctor has found.
@Observable
@MainActor
final class HealthModel {
  /// The findings, the worst first; `nil` before the first look.
  private(set) var findings: [Finding]?
  /// Whether the doctor looks now.
  private(set) var isLooking = false
  /// Why the doctor could not look.
  var trouble: Trouble?

  let vault: VaultModel
  @ObservationIgnored
  private let link: VaultLink?
  @ObservationIgnored
  private let looks = CallQueue()

  init(_ link: VaultLink?, of vault: VaultModel) {
    (self.link, self.vault) = (link, vault)
  }

  /// Looks again.
  func look() async {
    // One that runs may have missed what the person has changed since.
    await looks.run(at: vault) { await lookNow() }
  }

  private func lookNow() async {
    isLooking = true
    defer { isLooking = false }
    guard let link else {
      findings = Self.sorted(Examination(of: nil).withoutEngine())
      return
    }
    do throws(VaultClientError) {
      let found = try await link.onThread { calls throws(VaultClientError) in
        let examination = Examination(of: link.location)
        return try examination.withoutEngine() + examination.ofEngine(calls)
      }
      (findings, trouble) = (Self.sorted(found), nil)
    } catch {
      trouble = Trouble(error)
    }
  }

  private static func sorted(_ findings: [Finding]) -> [Finding] {
    [.problem, .warning, .ok].flatMap { severity in findings.filter { $0.severity == severity } }
  }
}

extension Finding {
  /// The checked thing in words.
  var title: String {
    let words = name.replacing("-", with: " ")
    return words.prefix(1).uppercased() + words.dropFirst()
  }

  /// What was found, and what to do, as sentences that are safe to show.
  var text: String {
    [message, remedy].compactMap(\.self).map { Trouble($0).text }.joined(separator: "\n")
  }

  /// The severity in words.
  var standing: String {
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
