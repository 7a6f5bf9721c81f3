internal import CAdwaita

extension Row {
  /// Puts a button with an icon behind the texts; `name` is what a screen reader speaks.
  package func addButton(icon: String, name: String) -> Button {
    let button = unsafe Button(new(gtk_button_new_from_icon_name(icon)))
    button.name(name)
    button.set(style: "flat", true)
    unsafe gtk_widget_set_valign(button.typed(), GTK_ALIGN_CENTER)
    unsafe adw_action_row_add_suffix(typed(), button.typed())
    return button
  }

  /// Puts a button with words below the texts, which keep the whole width in a narrow window.
  package func addButton(label: String) -> Button {
    let made = unsafe gtk_button_new_with_label(label)
    unsafe gtk_widget_set_halign(made, GTK_ALIGN_START)
    let button = unsafe Button(new(made))
    button.set(style: "below", true)
    if let subtitle = first(Label.self, ofStyle: "subtitle"),
      let texts = unsafe gtk_widget_get_parent(subtitle.typed())
    {
      unsafe Box(UnsafeMutableRawPointer(texts)).append(button)
    } else {
      unsafe adw_action_row_add_suffix(typed(), button.typed())
    }
    return button
  }
}
