internal import CSystemd
internal import Glibc
internal import System

// A program that answers calls of others.
extension SystemBus {
  /// The answer to a request for a name.
  private enum NameReply: UInt32 {
    case owned = 1
  }

  /// Keeps a name from other programs and from being taken over: DBUS_NAME_FLAG_DO_NOT_QUEUE.
  private static let doesNotQueue: UInt32 = 4

  /// Takes a well-known name, and receives the calls of others from now on; false if another
  /// program has the name.
  package func own(_ name: String) throws(BusError) -> Bool {
    takesCalls = true
    let answer = try callDriver("RequestName", [name], number: Self.doesNotQueue).number()
    return NameReply(rawValue: answer) == .owned
  }

  /// Answers a call.
  package func answer(_ call: BusMessage, _ values: [BusValue]) throws(BusError) {
    guard unsafe functions.pointee.message_get_expect_reply(call.message) > 0 else { return }
    var answer: OpaquePointer?
    let code = unsafe functions.pointee.message_new_method_return(call.message, &answer)
    unsafe try send(answer, code, values, "sd_bus_message_new_method_return")
  }

  /// Answers a call with an error.
  package func refuse(_ call: BusMessage, name: String, message: String) throws(BusError) {
    guard unsafe functions.pointee.message_get_expect_reply(call.message) > 0 else { return }
    var answer: OpaquePointer?
    let code = unsafe name.withCString { name in
      unsafe message.withCString { message in
        var error = unsafe sd_bus_error(name: name, message: message, _need_free: 0)
        return unsafe functions.pointee.message_new_method_error(call.message, &answer, &error)
      }
    }
    unsafe try send(answer, code, [], "sd_bus_message_new_method_error")
  }

  /// Sends a signal, to all programs that want it or to one.
  package func signal(
    _ path: String,
    _ interface: String,
    _ member: String,
    _ values: [BusValue],
    to destination: String? = nil
  ) throws(BusError) {
    var signal: OpaquePointer?
    var code = unsafe functions.pointee.message_new_signal(bus, &signal, path, interface, member)
    if code >= 0, let destination {
      code = unsafe functions.pointee.message_set_destination(signal, destination)
    }
    unsafe try send(signal, code, values, "sd_bus_message_new_signal")
  }

  /// Appends values to a new message, and sends it.
  private func send(
    _ message: OpaquePointer?,
    _ status: Int32,
    _ values: [BusValue],
    _ call: String
  ) throws(BusError) {
    defer { _ = unsafe functions.pointee.message_unref(message) }
    var code = status
    if code >= 0, let message = unsafe message {
      code = unsafe BusValue.appendAll(values, to: message, functions)
      if code >= 0 { code = unsafe functions.pointee.send(bus, message, nil) }
    }
    guard code >= 0 else { throw .failed(SystemError(call, code: -code)) }
  }
}
