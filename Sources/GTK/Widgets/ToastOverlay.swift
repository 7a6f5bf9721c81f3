internal import CAdwaita

/// Shows short messages above its child.
package final class ToastOverlay: Widget {
  override class var type: UInt { adw_toast_overlay_get_type() }

  /// The list of its child and the shown message. (gtk_widget_observe_children(3))
  private let shown: Object
  /// How many messages that stay were not closed yet.
  private var stayingCount = 0

  required init(_ pointer: UnsafeMutableRawPointer) {
    let widget = unsafe pointer.assumingMemoryBound(to: GtkWidget.self)
    unsafe shown = Object(owning: new(gtk_widget_observe_children(widget)))
    unsafe super.init(pointer)
    // A message has no widget until the previous message has ended.
    shown.on("items-changed") { [weak self] in
      self?.nameButtons()
      self?.makeRoom()
    }
  }

  /// The shown message, with one that disappears.
  private var messages: [Widget] {
    let child = unsafe adw_toast_overlay_get_child(opaque).map { UnsafeMutableRawPointer($0) }
    return parts.filter { unsafe $0.pointer != child }
  }

  /// Names the button that closes the shown message.
  private func nameButtons() {
    for message in messages {
      message.first(Button.self, ofStyle: "circular")?.name(tr("Close the message"))
    }
  }

  /// Leaves room for a message that stays, because the rows below it would be out of reach.
  private func makeRoom() {
    var height: Int32 = 0
    if stayingCount > 0, let message = messages.last {
      let direction = GTK_ORIENTATION_VERTICAL
      unsafe gtk_widget_measure(message.typed(), direction, -1, nil, &height, nil, nil)
    }
    unsafe gtk_widget_set_margin_bottom(adw_toast_overlay_get_child(opaque), height)
  }

  /// Shows a message, which is never markup: for seconds, or until the person closes it.
  ///
  /// A message that passes is shown above one that stays.
  package func show(_ text: String, stays: Bool) {
    // AdwToast takes markup.
    guard let toast = unsafe adw_toast_new(escaped(text)) else { return }
    if stays {
      unsafe adw_toast_set_timeout(toast, 0)
      stayingCount += 1
      unsafe Object(UnsafeMutableRawPointer(toast)).on("dismissed") { [weak self] in
        self?.stayingCount -= 1
        self?.makeRoom()
      }
    } else {
      unsafe adw_toast_set_priority(toast, ADW_TOAST_PRIORITY_HIGH)
    }
    unsafe adw_toast_overlay_add_toast(opaque, toast)
  }
}
