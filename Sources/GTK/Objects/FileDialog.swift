internal import CAdwaita

/// The desktop's file chooser, which opens or saves a file.
package final class FileDialog: Object {
  /// The person's choice.
  package enum Answer: Sendable {
    /// A file with this path.
    case path(String)
    /// A file that is not one of this computer, or whose path is not in UTF-8.
    case unusable
    /// Nothing.
    case none
  }

  override class var type: UInt { gtk_file_chooser_native_get_type() }

  /// Makes a file chooser for an existing file. (gtk_file_chooser_native_new(3))
  package convenience init(over window: Window, title: String, opening act: String) {
    self.init(over: window, title: title, GTK_FILE_CHOOSER_ACTION_OPEN, act)
  }

  /// Makes a file chooser for saving; `name` is the suggested file name.
  ///
  /// It asks by itself before an existing file is replaced.
  package convenience init(
    over window: Window,
    title: String,
    saving act: String,
    name: String
  ) {
    self.init(over: window, title: title, GTK_FILE_CHOOSER_ACTION_SAVE, act)
    unsafe gtk_file_chooser_set_current_name(opaque, name)
  }

  private convenience init(
    over window: Window,
    title: String,
    _ kind: GtkFileChooserAction,
    _ act: String
  ) {
    let dialog = unsafe gtk_file_chooser_native_new(title, window.typed(), kind, act, nil)
    unsafe self.init(owning: new(dialog))
    unsafe gtk_native_dialog_set_modal(typed(), 1)
  }

  /// Shows it; the closure gets the answer once.
  ///
  /// The caller keeps the dialog until the answer: nothing else does.
  package func ask(_ body: @escaping @MainActor (Answer) -> Void) {
    connect("response") { [weak self] arguments in
      let isAccepted = arguments.number(0) == Int(GTK_RESPONSE_ACCEPT.rawValue)
      body(isAccepted ? self?.path.map(Answer.path) ?? .unusable : .none)
      return nil
    }
    unsafe gtk_native_dialog_show(typed())
  }

  /// Removes the question without an answer. (gtk_native_dialog_destroy(3))
  package func close() { unsafe gtk_native_dialog_destroy(typed()) }

  /// The path of the chosen file; `nil` if it is not a file of this computer, or not in UTF-8.
  private var path: String? {
    guard let file = unsafe gtk_file_chooser_get_file(opaque) else { return nil }
    defer { unsafe g_object_unref(UnsafeMutableRawPointer(file)) }
    guard let path = unsafe g_file_get_path(file) else { return nil }
    defer { unsafe g_free(path) }
    return unsafe String(validatingCString: path)
  }
}
