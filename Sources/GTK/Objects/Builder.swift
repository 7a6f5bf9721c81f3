internal import CAdwaita

/// The objects of a UI file.
package final class Builder: Object {
  override class var type: UInt { gtk_builder_get_type() }

  /// Builds the objects of a UI file that is embedded in the program.
  ///
  /// A file that GTK cannot read ends the program with GTK's own message.
  /// (gtk_builder_new_from_string(3))
  package convenience init(ui: [UInt8]) {
    let text = String(decoding: ui, as: UTF8.self)
    let builder = unsafe gtk_builder_new_from_string(text, -1)
    unsafe self.init(owning: new(builder))
    speakSubtitles()
  }

  /// Builds one of the outermost objects of a UI file, with what is in it.
  ///
  /// The file must have it. (gtk_builder_add_objects_from_string(3))
  package convenience init(ui: [UInt8], only id: String) {
    unsafe self.init(owning: new(gtk_builder_new()))
    let text = String(decoding: ui, as: UTF8.self)
    let isBuilt = unsafe id.withCString { name in
      var names = unsafe [name, nil]
      return unsafe gtk_builder_add_objects_from_string(opaque, text, -1, &names, nil) != 0
    }
    precondition(isBuilt, "GTK cannot build \(id)")
    speakSubtitles()
  }

  /// The object with this id.
  package func object<Kind: Object>(_ id: String, as kind: Kind.Type = Kind.self) -> Kind {
    guard let object = unsafe gtk_builder_get_object(opaque, id) else {
      // The UI file is a part of the program.
      preconditionFailure("no object \(id) in the UI file")
    }
    return unsafe Kind(UnsafeMutableRawPointer(object))
  }
}
