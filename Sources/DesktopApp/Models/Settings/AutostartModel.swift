internal import GTK
internal import Observation

/// Whether the app starts with the session.
@Observable
@MainActor
final class AutostartModel {
  private(set) var isOn = false
  /// Why the last change did not work.
  private(set) var trouble: Trouble?

  @ObservationIgnored
  private let entry: Autostart?
  @ObservationIgnored
  private let changes: CallQueue

  /// Changes the entry in the turns of `changes`.
  init(_ entry: Autostart?, changes: CallQueue) {
    (self.entry, self.changes) = (entry, changes)
  }

  /// Changes it, and reads again what holds.
  func set(_ value: Bool) async {
    await changes.run { await setNow(value) }
  }

  private func setNow(_ value: Bool) async {
    guard let entry else {
      trouble = Trouble(
        tr("there is no place for settings"),
        advice: tr("set HOME, or XDG_CONFIG_HOME")
      )
      return
    }
    do throws(AppSettingsError) {
      // A home may be on a network that does not answer.
      try await onThread(orElse: AppSettingsError.init(_:)) {
        () throws(AppSettingsError) in
        try entry.set(value)
      }
      trouble = nil
    } catch {
      trouble = Trouble(error.message, advice: tr("correct that, then try again"))
    }
    await look()
  }

  /// Reads what holds: other programs may have changed it.
  func look() async {
    guard let entry else { return }
    let found = try? await onThread(orElse: AppSettingsError.init(_:)) {
      () throws(AppSettingsError) in entry.isOn
    }
    if let found { isOn = found }
  }
}
