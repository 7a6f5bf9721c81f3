internal import CSystemd
internal import Glibc
package import System

/// A received message; sd_bus_message_get_sender(3) and related functions.
@safe
package final class BusMessage {
  let functions: UnsafePointer<csystemd>
  let message: OpaquePointer

  init(_ functions: UnsafePointer<csystemd>, owning message: OpaquePointer) {
    unsafe self.functions = functions
    unsafe self.message = message
  }

  deinit { _ = unsafe functions.pointee.message_unref(message) }

  var isSignal: Bool { unsafe functions.pointee.message_is_signal(message, nil, nil) > 0 }
  /// Whether it calls a method of this program.
  package var isCall: Bool {
    unsafe functions.pointee.message_is_method_call(message, nil, nil) > 0
  }
  /// The unique name of the sender, set by the bus.
  package var sender: String { unsafe Self.text(functions.pointee.message_get_sender(message)) }
  package var path: String { unsafe Self.text(functions.pointee.message_get_path(message)) }
  /// Empty if a call names none.
  package var interface: String {
    unsafe Self.text(functions.pointee.message_get_interface(message))
  }
  package var member: String { unsafe Self.text(functions.pointee.message_get_member(message)) }
  /// Interface and member, separated by a dot.
  package var name: String { interface + "." + member }

  /// The cookie of the call that it answers; `nil` if it is not an answer.
  package var replyCookie: UInt64? {
    var cookie: UInt64 = 0
    return unsafe functions.pointee.message_get_reply_cookie(message, &cookie) < 0 ? nil : cookie
  }

  /// The error that answers a method; `nil` for any other message.
  func refusal(of method: String) -> BusRefusal? {
    guard let error = unsafe functions.pointee.message_get_error(message) else { return nil }
    return unsafe BusRefusal(
      name: Self.text(error.pointee.name),
      message: Self.text(error.pointee.message),
      method: method,
      code: functions.pointee.message_get_errno(message)
    )
  }

  // MARK: - Values

  /// The next value as a text, of any of D-Bus's text types.
  package func text(_ type: Character = "s") throws(BusError) -> String {
    var value: UnsafePointer<CChar>?
    unsafe try read(type, &value)
    return unsafe Self.text(value)
  }

  package func number() throws(BusError) -> UInt32 {
    var value: UInt32 = 0
    unsafe try read("u", &value)
    return value
  }

  package func boolean() throws(BusError) -> Bool {
    // "b: int *": sd_bus_message_read_basic(3).
    var value: Int32 = 0
    unsafe try read("b", &value)
    return value != 0
  }

  /// The next value as a separate descriptor: the message's own one is closed with the message.
  package func descriptor() throws(BusError) -> Descriptor {
    var value: Int32 = -1
    unsafe try read("h", &value)
    let copy = fcntl(value, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .failed(SystemError("fcntl", code: errno)) }
    return Descriptor(owning: copy)
  }

  /// The texts of an array, at most `limit` of them.
  package func texts(_ type: Character = "s", limit: Int) throws(BusError) -> [String] {
    guard try enter("a", String(type)) else { throw .notUnderstood }
    var texts: [String] = []
    var value: UnsafePointer<CChar>?
    while texts.count < limit,
      unsafe functions.pointee.message_read_basic(message, Self.code(type), &value) > 0
    { unsafe texts.append(Self.text(value)) }
    return texts
  }

  /// Reads the content of a variant with this type.
  package func variant<Value>(
    _ type: String,
    _ read: () throws(BusError) -> Value
  ) throws(BusError) -> Value {
    guard try enter("v", type) else { throw .notUnderstood }
    let value = try read()
    try leave()
    return value
  }

  package func textVariant() throws(BusError) -> String {
    try variant("s") { () throws(BusError) in try text() }
  }

  package func booleanVariant() throws(BusError) -> Bool {
    try variant("b") { () throws(BusError) in try boolean() }
  }

  /// Reads a dictionary `a{sv}`; `read` gets each key, and must read or skip the variant.
  package func entries(_ read: (String) throws(BusError) -> Void) throws(BusError) {
    guard try enter("a", "{sv}") else { throw .notUnderstood }
    while try enter("e", "sv") {
      try read(try text())
      try leave()
    }
  }

  /// Enters an array, a struct, a dictionary entry or a variant.
  ///
  /// It returns false at the end of an array, or if the next value has another type.
  package func enter(_ type: Character, _ contents: String) throws(BusError) -> Bool {
    let code = unsafe functions.pointee.message_enter_container(message, Self.code(type), contents)
    // "-ENXIO: no more data, or another type": sd_bus_message_enter_container(3).
    guard code >= 0 || code == -ENXIO else { throw .notUnderstood }
    return code > 0
  }

  package func leave() throws(BusError) {
    guard unsafe functions.pointee.message_exit_container(message) >= 0 else {
      throw .notUnderstood
    }
  }

  /// Skips values of these types.
  package func skip(_ types: String) throws(BusError) {
    guard unsafe functions.pointee.message_skip(message, types) >= 0 else { throw .notUnderstood }
  }

  func read(_ type: Character, _ value: UnsafeMutableRawPointer) throws(BusError) {
    guard unsafe functions.pointee.message_read_basic(message, Self.code(type), value) > 0 else {
      throw .notUnderstood
    }
  }

  static func code(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }

  private static func text(_ bytes: UnsafePointer<CChar>?) -> String {
    guard let bytes = unsafe bytes else { return "" }
    return unsafe String(cString: bytes)
  }
}
