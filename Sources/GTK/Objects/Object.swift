internal import CAdwaita

/// A reference to a GObject.
///
/// Several references to the same object are equal in effect: signal handlers and properties belong
/// to the GObject. `Object` holds one count of it (g_object_ref_sink(3)).
@safe
@MainActor
package class Object {
  let pointer: UnsafeMutableRawPointer

  /// The GType that an object must have for this class of reference.
  class var type: UInt { cadwaita_type_object() }

  /// Adds its own reference to an object of `type`.
  required init(_ pointer: UnsafeMutableRawPointer) {
    let isOfType = unsafe cadwaita_is(pointer, Self.type) != 0
    // The name in a UI file belongs to another class: each start would find it.
    precondition(isOfType, "the object is no \(Self.self)")
    unsafe self.pointer = unsafe g_object_ref_sink(pointer)
  }

  /// Takes over a new object that is not floating.
  convenience init(owning pointer: UnsafeMutableRawPointer) {
    unsafe self.init(pointer)
    unsafe g_object_unref(pointer)
  }

  isolated deinit {
    unsafe g_object_unref(pointer)
  }

  /// The pointer for C functions that know the struct.
  func typed<Struct>() -> UnsafeMutablePointer<Struct> {
    unsafe pointer.assumingMemoryBound(to: Struct.self)
  }

  /// The pointer for C functions with an opaque struct.
  var opaque: OpaquePointer { unsafe OpaquePointer(pointer) }

  /// Whether both are references to one object.
  package func isSame(as other: Object) -> Bool {
    unsafe pointer == other.pointer
  }

  // MARK: Properties

  func set(_ property: String, _ text: String?) {
    unsafe withValue(of: cadwaita_type_string()) { value in
      unsafe g_value_set_string(value, text)
      unsafe g_object_set_property(typed(), property, value)
    }
  }

  func set(_ property: String, _ flag: Bool) {
    unsafe withValue(of: cadwaita_type_boolean()) { value in
      unsafe g_value_set_boolean(value, flag ? 1 : 0)
      unsafe g_object_set_property(typed(), property, value)
    }
  }

  func set(_ property: String, _ object: Object?) {
    unsafe withValue(of: cadwaita_type_object()) { value in
      unsafe g_value_set_object(value, object?.pointer)
      unsafe g_object_set_property(typed(), property, value)
    }
  }

  func text(_ property: String) -> String {
    unsafe withValue(of: cadwaita_type_string()) { value in
      unsafe g_object_get_property(typed(), property, value)
      guard let text = unsafe g_value_get_string(value) else { return "" }
      return unsafe String(cString: text)
    }
  }

  func flag(_ property: String) -> Bool {
    unsafe withValue(of: cadwaita_type_boolean()) { value in
      unsafe g_object_get_property(typed(), property, value)
      return unsafe g_value_get_boolean(value) != 0
    }
  }
}

/// A new object.
///
/// The constructors of GTK never return NULL: without memory they end the program.
func new<Struct>(_ pointer: UnsafeMutablePointer<Struct>?) -> UnsafeMutableRawPointer {
  guard let pointer = unsafe pointer else {
    // g_malloc(3): "If the allocation fails ... the program is terminated."
    preconditionFailure("no object was made")
  }
  return UnsafeMutableRawPointer(pointer)
}

/// The same for an object whose struct C does not show.
func new(_ pointer: OpaquePointer?) -> UnsafeMutableRawPointer {
  unsafe new(pointer.map { unsafe UnsafeMutablePointer<GObject>($0) })
}

/// Lends a GValue of a type.
@MainActor
func withValue<Result>(
  of type: GType,
  _ body: (UnsafeMutablePointer<GValue>) -> Result
) -> Result {
  var value = GValue()
  unsafe g_value_init(&value, type)
  defer { unsafe g_value_unset(&value) }
  return unsafe withUnsafeMutablePointer(to: &value) { unsafe body($0) }
}
