internal import CFprint

/// A value from a bus: a GVariant whose type GIO has checked.
@safe
final class BusValue {
  private let value: OpaquePointer
  private let descriptors: UnsafeMutablePointer<GUnixFDList>?

  /// Takes ownership of a reference, and of the descriptors that came with it.
  init(taking value: OpaquePointer, descriptors: UnsafeMutablePointer<GUnixFDList>? = nil) {
    unsafe self.value = value
    unsafe self.descriptors = descriptors
  }

  deinit {
    unsafe g_variant_unref(value)
    if let descriptors = unsafe descriptors { unsafe g_object_unref(descriptors) }
  }

  /// The number of members; 0 if the value is not a container.
  var count: Int {
    unsafe g_variant_is_container(value) == 0 ? 0 : Int(g_variant_n_children(value))
  }

  /// A member; `nil` if there is none.
  subscript(_ index: Int) -> BusValue? {
    guard index < count else { return nil }
    let member = unsafe g_variant_get_child_value(value, gsize(index))
    return unsafe member.map { unsafe BusValue(taking: $0) }
  }

  /// The value of a dictionary `a{sv}`.
  subscript(_ key: String) -> BusValue? {
    guard unsafe text(g_variant_get_type_string(value)) == "a{sv}" else { return nil }
    let found = unsafe g_variant_lookup_value(value, key, nil)
    return unsafe found.map { unsafe BusValue(taking: $0) }
  }

  /// All members.
  var members: [BusValue] { (0..<count).compactMap { self[$0] } }

  /// The text of a string or an object path; empty for any other value.
  var string: String {
    let kind = unsafe g_variant_classify(value)
    guard kind == G_VARIANT_CLASS_STRING || kind == G_VARIANT_CLASS_OBJECT_PATH else { return "" }
    return unsafe text(g_variant_get_string(value, nil))
  }

  /// Whether it is the boolean true.
  var isTrue: Bool {
    unsafe g_variant_classify(value) == G_VARIANT_CLASS_BOOLEAN
      && g_variant_get_boolean(value) != 0
  }

  /// The number; `nil` if it is not a 32-bit integer.
  var number: Int? {
    switch unsafe g_variant_classify(value) {
    case G_VARIANT_CLASS_UINT32: Int(unsafe g_variant_get_uint32(value))
    case G_VARIANT_CLASS_INT32: Int(unsafe g_variant_get_int32(value))
    default: nil
    }
  }

  /// A descriptor of the message, which the caller closes; -1 if there is none.
  func takeDescriptor() -> Int32 {
    guard let descriptors = unsafe descriptors,
      unsafe g_unix_fd_list_get_length(descriptors) > 0
    else { return -1 }
    // g_unix_fd_list_get: "the file descriptor is duplicated", close-on-exec.
    return unsafe g_unix_fd_list_get(descriptors, 0, nil)
  }
}
