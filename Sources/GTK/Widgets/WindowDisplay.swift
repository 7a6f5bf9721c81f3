internal import CAdwaita

// How a window comes to the screen, and to the keyboard.
extension Window {
  /// Shows it as `present` does, and leaves the keyboard where it is. (GTK has no function for
  /// this.)
  ///
  /// X11 has a property for it. On Wayland the desktop decides.
  package func presentWithoutFocus() {
    unsafe gtk_widget_realize(typed())
    if let surface = unsafe surface { unsafe cadwaita_take_no_focus(surface) }
    isVisible = true
  }

  /// Puts it into a group of its own, where it stays usable beside a modal window.
  /// (gtk_window_group_add_window(3))
  package func standAlone() {
    let group = unsafe WindowGroup(owning: new(gtk_window_group_new()))
    unsafe gtk_window_group_add_window(group.typed(), typed())
  }

  /// Calls a closure once, after a frame was painted while the window is on the screen: mapped, and
  /// not minimized.
  ///
  /// The window must have been presented. (GdkFrameClock::after-paint)
  package func onPainted(_ body: @escaping @MainActor () -> Void) {
    guard let clock = unsafe gtk_widget_get_frame_clock(typed()) else { return }
    // The clock keeps the closure until the window ends.
    var awaited: (window: Window, body: @MainActor () -> Void)? = (self, body)
    unsafe FrameClock(new(clock)).on("after-paint") {
      guard let (window, body) = awaited, window.isOnScreen else { return }
      awaited = nil
      body()
    }
    unsafe gtk_widget_queue_draw(typed())
  }

  /// Whether it is mapped and not minimized.
  private var isOnScreen: Bool {
    guard let surface = unsafe surface, unsafe gdk_surface_get_mapped(surface) != 0 else {
      return false
    }
    let state = unsafe gdk_toplevel_get_state(surface)
    return state.rawValue & GDK_TOPLEVEL_STATE_MINIMIZED.rawValue == 0
  }

  private var surface: OpaquePointer? { unsafe gtk_native_get_surface(opaque) }

  /// Whether it takes all keys and clicks of the program. (GtkWindow:modal)
  package var isModal: Bool {
    get { flag("modal") }
    set { set("modal", newValue) }
  }

  /// Takes the focus of the window from each of its widgets. (gtk_window_set_focus(3))
  package func focusNothing() { unsafe gtk_window_set_focus(typed(), nil) }

  /// Whether one of its widgets has the focus of the window.
  package var hasFocus: Bool { unsafe gtk_window_get_focus(typed()) != nil }

  /// Calls a closure at each key before any widget gets it; no widget gets it if that returns true.
  /// (GtkEventControllerKey::key-pressed)
  package func onEarlyKey(_ body: @escaping @MainActor () -> Bool) {
    guard let made = unsafe gtk_event_controller_key_new() else { return }
    let keys = unsafe KeyController(new(made))
    unsafe gtk_event_controller_set_propagation_phase(made, GTK_PHASE_CAPTURE)
    keys.connect("key-pressed") { _ in body() }
    // The window owns it.
    unsafe gtk_widget_add_controller(typed(), made)
  }
}

extension Widget {
  /// Sets the text that a screen reader speaks after the name.
  /// (GTK_ACCESSIBLE_PROPERTY_DESCRIPTION)
  package func describe(_ text: String) { tell(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text) }

  /// Lets a screen reader speak a row of a list, and whether it is the chosen one.
  /// (GTK_ACCESSIBLE_STATE_SELECTED)
  func speak(_ facts: LongListFacts) {
    name(facts.name)
    // The value is a number, because it can be undefined too. (gtk_accessible_state_init_value(3))
    unsafe withValue(of: cadwaita_type_int()) { value in
      unsafe g_value_set_int(value, facts.isChosen ? 1 : 0)
      var state = GTK_ACCESSIBLE_STATE_SELECTED
      unsafe gtk_accessible_update_state_value(opaque, 1, &state, value)
    }
  }
}

/// Windows among which a modal one takes all keys and clicks.
private final class WindowGroup: Object {
  override class var type: UInt { gtk_window_group_get_type() }
}

/// Paces the frames of a window.
private final class FrameClock: Object {
  override class var type: UInt { gdk_frame_clock_get_type() }
}

/// Sees the keys of a widget.
private final class KeyController: Object {
  override class var type: UInt { gtk_event_controller_key_get_type() }
}
