internal import CAdwaita

extension Application {
  /// How a program begins.
  ///
  /// If it runs already in this session, that one is asked, and this one ends.
  package enum Start: Equatable, Sendable {
    /// With a window.
    case window
    /// Without a window, for one of its actions. Then it is as a service.
    case action(String)
    /// Without a window, for a request over D-Bus. It ends some seconds later unless there is a
    /// window then.
    case service
    /// Without a window, until it is activated, and until `quit`.
    case background
  }

  /// Runs the main loop, and the tasks of the main actor in it, until nothing keeps the program.
  ///
  /// - Parameters:
  ///   - start: how it begins.
  ///   - activate: shows the window. It runs each time when a start asks for one.
  /// - Returns: the exit code. (g_application_run(3))
  package func run(_ start: Start, _ activate: @escaping @MainActor () -> Void) -> Int32 {
    MainQueue.attach()
    on("activate", activate)
    switch start {
    case .window: break
    case .action(let name):
      serveOnly()
      if !register() {
        unsafe g_application_set_flags(typed(), G_APPLICATION_DEFAULT_FLAGS)
        guard register() else { return 1 }
      }
      // The program that runs already gets it. (g_action_group_activate_action(3))
      unsafe g_action_group_activate_action(opaque, name, nil)
      if unsafe g_application_get_is_remote(typed()) != 0 {
        let bus = unsafe g_application_get_dbus_connection(typed())
        return unsafe g_dbus_connection_flush_sync(bus, nil, nil) != 0 ? 0 : 1
      }
    case .service: serveOnly()
    case .background:
      serveOnly()
      // There is nothing to do if the program runs already.
      guard register() else { return 0 }
      hold()
    }
    return unsafe g_application_run(typed(), 0, nil)
  }

  /// Shows no window by itself, as with the argument `--gapplication-service`.
  ///
  /// Then `register` fails if the program runs already. (g_application_set_flags(3))
  private func serveOnly() {
    unsafe g_application_set_flags(typed(), G_APPLICATION_IS_SERVICE)
  }

  private func register() -> Bool { unsafe g_application_register(typed(), nil, nil) != 0 }

  /// Keeps the program alive without a window. (g_application_hold(3))
  package func hold() { unsafe g_application_hold(typed()) }

  /// Undoes one `hold`. (g_application_release(3))
  package func release() { unsafe g_application_release(typed()) }

  /// Calls a closure when this program is the first one, before its first window.
  package func onStart(_ body: @escaping @MainActor () -> Void) { on("startup", body) }
}
