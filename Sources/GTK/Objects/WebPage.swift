internal import CAdwaita

/// Pages in the person's own browser.
@MainActor
package enum WebPage {
  /// Opens an address with the desktop's program for it, and returns whether that was possible.
  /// (g_app_info_launch_default_for_uri_async(3))
  package static func open(_ address: String, _ body: @escaping @MainActor (Bool) -> Void) {
    guard let display = unsafe gdk_display_get_default() else { return body(false) }
    // It lets the browser come to the front.
    let context = unsafe gdk_display_get_app_launch_context(display)
    defer { unsafe g_object_unref(unsafe context.map { unsafe UnsafeMutableRawPointer($0) }) }
    let content = unsafe Unmanaged.passRetained(OpeningBody(body)).toOpaque()
    unsafe g_app_info_launch_default_for_uri_async(
      address,
      UnsafeMutablePointer(context),
      nil,
      { _, result, content in
        guard let content = unsafe content else { return }
        let opening = unsafe Unmanaged<OpeningBody>.fromOpaque(content).takeRetainedValue()
        let isOpen = unsafe g_app_info_launch_default_for_uri_finish(result, nil) != 0
        MainActor.assumeIsolated { opening.body(isOpen) }
      },
      content
    )
  }
}

private final class OpeningBody: Sendable {
  let body: @MainActor (Bool) -> Void

  init(_ body: @escaping @MainActor (Bool) -> Void) {
    self.body = body
  }
}

extension Widget {
  /// Puts a text into the clipboard of the widget's screen. (gdk_clipboard_set_text(3))
  package func copy(_ text: String) {
    unsafe gdk_clipboard_set_text(gtk_widget_get_clipboard(typed()), text)
  }
}
