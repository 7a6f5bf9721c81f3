internal import CAdwaita

extension Widget {
  /// Calls a closure once, before the next frame of this widget is drawn.
  /// (gtk_widget_add_tick_callback(3))
  package func beforeNextFrame(_ body: @escaping @MainActor () -> Void) {
    let content = unsafe Unmanaged.passRetained(FrameBody(body)).toOpaque()
    unsafe gtk_widget_add_tick_callback(
      typed(),
      { _, _, content in
        guard let content = unsafe content else { return 0 }
        let frame = unsafe Unmanaged<FrameBody>.fromOpaque(content).takeUnretainedValue()
        MainActor.assumeIsolated { frame.body() }
        return 0
      },
      content,
      { content in
        guard let content = unsafe content else { return }
        unsafe Unmanaged<FrameBody>.fromOpaque(content).release()
      }
    )
    unsafe gtk_widget_queue_draw(typed())
  }
}

private final class FrameBody: Sendable {
  let body: @MainActor () -> Void

  init(_ body: @escaping @MainActor () -> Void) {
    self.body = body
  }
}
