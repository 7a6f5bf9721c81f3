internal import CAdwaita

/// The windows of the program.
package final class Toplevels: Object {
  override class var type: UInt { g_list_model_get_type() }

  /// The addresses of the windows that are connected already.
  private var known: Set<UInt> = []

  /// Finds the windows, also those that are made later. (gtk_window_get_toplevels(3))
  package convenience init() {
    unsafe self.init(new(gtk_window_get_toplevels()))
  }

  /// Whether the person works in one of the windows now.
  package var isActive: Bool { windows.contains(where: \.isActive) }

  /// Calls a closure when the person may have begun or ended to work in one of the windows.
  package func onActivity(_ body: @escaping @MainActor () -> Void) {
    on("items-changed") { [weak self] in
      self?.connect(body)
      body()
    }
    connect(body)
  }

  /// Closes the open questions, as if the person had chosen `cancel`.
  package func closeDialogs() {
    for window in windows where unsafe cadwaita_is(window.pointer, MessageDialog.type) != 0 {
      unsafe gtk_window_close(window.typed())
    }
  }

  private func connect(_ body: @escaping @MainActor () -> Void) {
    let now = windows.map { window in unsafe (window, address: UInt(bitPattern: window.pointer)) }
    for (window, address) in now where !known.contains(address) {
      window.on("notify::is-active", body)
    }
    known = Set(now.map(\.address))
  }

  /// All of them, with those of the toolkit.
  package var windows: [Window] {
    let count = unsafe g_list_model_get_n_items(opaque)
    return (0..<count).compactMap { position in
      guard let item = unsafe g_list_model_get_item(opaque, position) else { return nil }
      return unsafe Window(owning: item)
    }
  }
}
