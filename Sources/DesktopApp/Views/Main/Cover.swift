internal import GTK

/// Blurs the app's windows beside the main one while the person works in another program.
@MainActor
final class Cover {
  /// The main window while it is open: it blurs its content, and says so above it.
  var main: Window? {
    // It may have been here before it was known as the main one.
    didSet { main?.set(style: "blurred", false) }
  }
  private let toplevels: Toplevels

  init(of toplevels: Toplevels, _ privacy: PrivacyModel) {
    self.toplevels = toplevels
    track { [weak self] in self?.cover(privacy.isCovered) }
  }

  /// Remembers the window in which the person works now.
  ///
  /// Only a window that was active is blurred. The prompt of another program may come without the
  /// focus, and a touch must not answer what the person could not read.
  func noteActivity() {
    for window in toplevels.windows where window.isActive { window.set(style: "seen", true) }
  }

  private func cover(_ isCovered: Bool) {
    for window in toplevels.windows where main.map({ !window.isSame(as: $0) }) ?? true {
      window.set(style: "blurred", isCovered)
    }
  }
}
