internal import GTK
internal import VaultInterface

/// The windows of the main menu.
@MainActor
enum HelpWindows {
  /// Shows the keys of the app.
  static func showShortcuts(over window: Window) {
    let builder = Builder(ui: PackageResources.shortcuts_ui)
    let shortcuts: ShortcutsWindow = builder.object("shortcuts")
    shortcuts.present(over: window)
  }

  /// Shows the version and the license.
  static func showAbout(over window: Window) {
    let about = AboutWindow(
      name: tr("Thumblatch"),
      icon: "io.thumblatch.Desktop",
      version: thumblatchVersion,
      developer: tr("The authors of Thumblatch")
    )
    about.comments = tr("See and unlock your token vault")
    about.present(over: window)
  }
}
