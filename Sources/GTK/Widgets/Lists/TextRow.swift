internal import CAdwaita

/// A row with an icon, a title and a text below it, neither of which is markup.
@MainActor
package final class TextRow {
  package let widget: Widget
  private let icon: Icon
  private let titleLabel: Label
  private let textLabel: Label

  /// Makes an empty row with the most lines of each paragraph below its title; 0 for all.
  package init(textLines: Int32 = 0) {
    // A horizontal box in GTK 4.8 makes many tries to find the height of texts that wrap.
    let row = unsafe Widget(new(gtk_grid_new()))
    unsafe gtk_grid_set_column_spacing(row.typed(), 12)
    let texts = unsafe Box(new(gtk_box_new(GTK_ORIENTATION_VERTICAL, 2)))
    icon = unsafe Icon(new(gtk_image_new()))
    titleLabel = Self.label(0)
    textLabel = Self.label(textLines)
    textLabel.set(style: "caption", true)
    textLabel.set(style: "dim-label", true)
    for text in [titleLabel, textLabel] { texts.append(text) }
    unsafe gtk_widget_set_hexpand(texts.typed(), 1)
    unsafe gtk_widget_set_valign(texts.typed(), GTK_ALIGN_CENTER)
    unsafe gtk_grid_attach(row.typed(), icon.typed(), 0, 0, 1, 1)
    unsafe gtk_grid_attach(row.typed(), texts.typed(), 1, 0, 1, 1)
    row.set(style: "text-row", true)
    widget = row
  }

  /// Shows an icon by its name, or none.
  package func show(icon name: String?, title: String, text: String) {
    icon.icon = name ?? ""
    icon.isVisible = name != nil
    titleLabel.text = title
    textLabel.text = text
    unsafe gtk_widget_set_opacity(widget.typed(), 1)
    let lines = text.utf8.count { $0 == UInt8(ascii: "\n") }
    Self.typicalText = " " + String(repeating: "\n ", count: lines)
  }

  /// Shows nothing, with about the height that it will have: a list whose heights change much loses
  /// its place.
  package func clear() {
    if titleLabel.text.isEmpty { (titleLabel.text, textLabel.text) = (" ", Self.typicalText) }
    unsafe gtk_widget_set_opacity(widget.typed(), 0)
  }

  /// As many lines as the last shown text has.
  private static var typicalText = " "

  /// The fewest characters in a line.
  ///
  /// GTK measures a label without a minimum as if it wrapped after each character.
  private static let fewestCharacters: Int32 = 12

  private static func label(_ lines: Int32) -> Label {
    let label = unsafe Label(new(gtk_label_new(nil)))
    unsafe gtk_label_set_width_chars(label.opaque, fewestCharacters)
    unsafe gtk_label_set_xalign(label.opaque, 0)
    unsafe gtk_label_set_wrap(label.opaque, 1)
    unsafe gtk_label_set_wrap_mode(label.opaque, PANGO_WRAP_WORD_CHAR)
    if lines > 0 {
      unsafe gtk_label_set_lines(label.opaque, lines)
      unsafe gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
    }
    return label
  }
}
