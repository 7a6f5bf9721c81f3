internal import CAdwaita

/// The windows of the program.
package final class Toplevels: Object {
  override class var type: UInt { g_list_model_get_type() }

  /// The addresses of the windows that are connected already.
  private var known: Set<UInt> = []
  /// The address of the window that was active last, and whether it belongs to another one.
  private var last: (address: UInt, isDialog: Bool)?
  /// When that window lost the keyboard while it stayed open.
  private var lost: Int64?
  /// When a dialog was closed that had the keyboard.
  private var closed: Int64?
  /// For how long the next window may be without the keyboard after that, in microseconds.
  private static let passage: Int64 = 500_000

  /// Finds the windows, also those that are made later. (gtk_window_get_toplevels(3))
  package convenience init() {
    unsafe self.init(new(gtk_window_get_toplevels()))
  }

  /// Whether the person works in one of the windows now.
  package var isActive: Bool { windows.contains(where: \.isActive) }

  /// Whether the person works in the program, once `onActivity` was called: also right after a
  /// dialog was closed, before the window that it belongs to is active.
  package var isInUse: Bool { isActive || isRecent(closed) }

  /// Microseconds since the boot.
  private var now: Int64 { Int64(g_get_monotonic_time()) }

  private func isRecent(_ moment: Int64?) -> Bool {
    moment.map { now - $0 < Self.passage } ?? false
  }

  /// Calls a closure when the person may have begun or ended to work in one of the windows.
  package func onActivity(_ body: @escaping @MainActor () -> Void) {
    let note = { @MainActor [weak self] in
      self?.noteUse()
      body()
    }
    on("items-changed") { [weak self] in
      self?.connect(note)
      note()
    }
    connect(note)
  }

  private func noteUse() {
    let windows = windows
    if let active = windows.first(where: \.isActive) {
      let owner = unsafe gtk_window_get_transient_for(active.typed())
      last = (address(of: active), unsafe owner != nil)
      (lost, closed) = (nil, nil)
    } else if let last {
      if windows.contains(where: { address(of: $0) == last.address && $0.isVisible }) {
        lost = lost ?? now
        return
      }
      // A dialog that lost the keyboard earlier was left for another program.
      if last.isDialog, lost == nil || isRecent(lost) { closed = now }
      // Another window may get its address.
      (self.last, lost) = (nil, nil)
    }
  }

  private func address(of window: Window) -> UInt { unsafe UInt(bitPattern: window.pointer) }

  /// Closes the open questions, as if the person had chosen `cancel`.
  package func closeDialogs() {
    for window in windows where unsafe cadwaita_is(window.pointer, MessageDialog.type) != 0 {
      unsafe gtk_window_close(window.typed())
    }
  }

  private func connect(_ body: @escaping @MainActor () -> Void) {
    let now = windows.map { ($0, address: address(of: $0)) }
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
