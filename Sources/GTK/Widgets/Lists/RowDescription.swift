internal import CAdwaita

extension Widget {
  /// Lets a screen reader speak the text below the title of a row after the row's name.
  ///
  /// The rows of libadwaita 1.2 are named by their titles only: the reader speaks "State", but not
  /// which one it is. The switch of a row gets the text too.
  func speakSubtitle() {
    for property in ["subtitle", "use-markup"] {
      connect("notify::\(property)") { arguments in
        arguments.sender(as: Row.self)?.describeBySubtitle()
        return nil
      }
    }
    unsafe Row(pointer).describeBySubtitle()
  }
}

extension Builder {
  /// Lets a screen reader speak the texts of the rows of a UI file.
  func speakSubtitles() {
    let objects = unsafe gtk_builder_get_objects(opaque)
    defer { unsafe g_slist_free(objects) }
    var place = unsafe objects
    while let entry = unsafe place {
      if let object = unsafe entry.pointee.data, unsafe cadwaita_is(object, Row.type) != 0 {
        unsafe Row(object).speakSubtitle()
      }
      unsafe place = entry.pointee.next
    }
  }
}

extension Row {
  fileprivate func describeBySubtitle() {
    // The text of the label has no markup.
    guard let label = first(Label.self, ofStyle: "subtitle"),
      let text = unsafe gtk_label_get_text(label.opaque).map({ unsafe String(cString: $0) })
    else { return }
    describe(text)
    if let control = unsafe adw_action_row_get_activatable_widget(typed()) {
      unsafe Widget(UnsafeMutableRawPointer(control)).describe(text)
    }
  }
}
