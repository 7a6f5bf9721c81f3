internal import GTK
internal import Observation

/// Whether the app starts with the session.
@Observable
@MainActor
final class AutostartModel {
  private(set) var isOn: Bool
  /// Why the last change did not work.
  private(set) var trouble: Trouble?

  @ObservationIgnored
  private let entry: Autostart?

  init(_ entry: Autostart?) {
    self.entry = entry
    isOn = entry?.isOn == true
  }

  /// Changes it, and reads again what holds.
  func set(_ value: Bool) {
    guard let entry else {
      trouble = Trouble(
        tr("there is no place for settings"),
        advice: tr("set HOME, or XDG_CONFIG_HOME")
      )
      return
    }
    do throws(AppSettingsError) {
      try entry.set(value)
      trouble = nil
    } catch {
      trouble = Trouble(error.message)
    }
    isOn = entry.isOn
  }

  /// Reads what holds: other programs may have changed it.
  func look() { isOn = entry?.isOn == true }
}
