internal import GTK

/// The prompts on the screen.
@MainActor
final class OpenPrompts {
  /// The window before which the app's own prompts are; `nil` while the app has none.
  var parent: Window?
  /// The app's windows; `nil` before the first one.
  var toplevels: Toplevels?
  private let application: Application
  /// A window's closures hold it weakly.
  private var open: [PromptWindow] = []

  init(of application: Application) {
    self.application = application
  }

  /// Shows a prompt until it is over.
  func show(_ link: PromptLink) {
    // The main window may be minimized, or on another workspace, and a window that belongs to it is
    // hidden with it.
    let window = PromptWindow(
      PromptModel(link),
      of: application,
      over: link.isOwn ? parent : nil,
      isExpected: link.isOwn && open.isEmpty && (toplevels?.isInUse ?? false)
    )
    // The person may be typing into an open prompt.
    let keepsFocus = !link.isOwn && !open.isEmpty
    open.append(window)
    Task {
      await window.run(takesFocus: !keepsFocus)
      open.removeAll { $0 === window }
      open.first?.comeForward()
    }
  }

  /// Ends the app's own prompts when the vault is locked: they show accounts, and an answer that is
  /// given after the lock must not use them.
  func end(atLocksOf vault: VaultModel) {
    var known = vault.locks
    track(
      reading: { vault.locks },
      apply: { [weak self] locks in
        guard locks != known else { return }
        known = locks
        for window in self?.open ?? [] where window.isOwn { window.cancel() }
      }
    )
  }
}
