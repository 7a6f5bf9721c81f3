internal import GTK
internal import Observation

/// When the window hides what it shows.
@Observable
@MainActor
final class PrivacyModel {
  private(set) var settings: AppSettings
  /// Why the settings cannot be read or changed.
  private(set) var trouble: Trouble?
  /// Why locks of the screen are not noticed; `nil` if they are, or need not be.
  private(set) var lockTrouble: Trouble?
  /// Whether the person works in one of the app's windows.
  var isActive = false

  /// Whether the window is blurred.
  var isCovered: Bool { settings[.hidesInactive] && !isActive }

  @ObservationIgnored
  private let vault: VaultModel
  @ObservationIgnored
  private let file: AppSettingsFile?
  @ObservationIgnored
  private var watching: Task<Void, Never>?
  @ObservationIgnored
  private let changes: CallQueue

  /// Changes the file in the turns of `changes`.
  init(
    of vault: VaultModel,
    _ file: AppSettingsFile? = AppSettingsFile(),
    changes: CallQueue
  ) {
    (self.vault, self.file, self.changes) = (vault, file, changes)
    guard let file else {
      settings = .usual
      return
    }
    do throws(AppSettingsError) {
      settings = try file.read()
    } catch {
      settings = .strictest
      trouble = Self.trouble(file, error)
    }
  }

  /// Follows the locks of the screen, if the person wants that.
  func follow() {
    guard settings[.hidesLocked] else {
      watching?.cancel()
      (watching, lockTrouble) = (nil, nil)
      return
    }
    guard watching == nil else { return }
    watching = Task { [weak self] in
      for await news in LockFeed.news() { await self?.take(news) }
    }
  }

  private func take(_ news: LockNews) async {
    guard !Task.isCancelled else { return }
    switch news {
    case .locked: await vault.lock()
    case .watched: lockTrouble = nil
    case .unwatched(let failure):
      lockTrouble = Trouble(
        tr("locks are not noticed: %s", FindingWords.clause("\(failure)")),
        advice: tr("lock the vault before you leave")
      )
    }
  }

  /// Changes a setting, and keeps it in the file.
  func set(_ key: AppSettings.Key, _ value: Bool) async {
    await changes.run { await setNow(key, value) }
  }

  private func setNow(_ key: AppSettings.Key, _ value: Bool) async {
    guard let file else {
      trouble = Trouble(
        tr("there is no place for settings"),
        advice: tr("set HOME, or XDG_CONFIG_HOME")
      )
      return
    }
    do throws(AppSettingsError) {
      (settings, trouble) = (
        try await Self.onThread { () throws(AppSettingsError) in try file.set(key, value) }, nil
      )
    } catch {
      await tell(error, file)
    }
    follow()
  }

  /// Tells why a setting was not changed.
  ///
  /// The others hold if the file can still be read.
  private func tell(_ failure: AppSettingsError, _ file: AppSettingsFile) async {
    do throws(AppSettingsError) {
      settings = try await Self.onThread { () throws(AppSettingsError) in try file.read() }
      trouble = Trouble(
        "\(file.path): \(failure.message)",
        advice: tr("the setting was not changed")
      )
    } catch {
      (settings, trouble) = (.strictest, Self.trouble(file, error))
    }
  }

  /// A home may be on a network that does not answer.
  private static func onThread(
    _ body: @escaping @Sendable () throws(AppSettingsError) -> AppSettings
  ) async throws(AppSettingsError) -> AppSettings {
    try await DesktopApp.onThread(orElse: AppSettingsError.init(_:), body)
  }

  private static func trouble(_ file: AppSettingsFile, _ error: AppSettingsError) -> Trouble {
    Trouble(
      "\(file.path): \(error.message)",
      advice: tr(
        "the strictest settings hold until it is mended or removed; nothing was changed in it"
      )
    )
  }
}
