internal import CSystemd
internal import Glibc
internal import System

/// libsystemd, loaded once.
@safe
private struct Library: @unchecked Sendable {
  // Written once and never freed.
  static let shared = unsafe csystemd_load().map { unsafe Library(functions: UnsafePointer($0)) }

  let functions: UnsafePointer<csystemd>
}

/// A connection to the system bus, for one thread; sd-bus(3).
@safe
struct SystemBus: ~Copyable {
  /// The time limit of a call, in microseconds.
  private static let callLimit: UInt64 = 2_000_000

  private let library: Library
  private let bus: OpaquePointer

  /// Connects to the bus at an address.
  init(_ address: String) throws(LoginFailure) {
    guard let library = Library.shared else { throw .noLibrary }
    var bus: OpaquePointer?
    let code = unsafe csystemd_open(library.functions, address, Self.callLimit, &bus)
    guard code >= 0, let bus = unsafe bus else {
      if let bus = unsafe bus { unsafe csystemd_close(library.functions, bus) }
      throw .bus(SystemError("sd_bus_start", code: -code, subject: address))
    }
    self.library = library
    unsafe self.bus = bus
  }

  deinit { unsafe csystemd_close(library.functions, bus) }

  /// Calls a method with zero, one, two or four texts, and waits for the reply.
  func call(
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ member: String,
    _ texts: (String?, String?, String?, String?) = (nil, nil, nil, nil)
  ) throws(SystemError) -> BusMessage {
    var reply: OpaquePointer?
    let code = unsafe csystemd_call(
      library.functions,
      bus,
      destination,
      path,
      interface,
      member,
      &reply,
      texts.0,
      texts.1,
      texts.2,
      texts.3
    )
    guard code >= 0, let reply = unsafe reply else {
      throw SystemError(member, code: code < 0 ? -code : EPROTO)
    }
    return unsafe BusMessage(library.functions, owning: reply)
  }

  /// Calls a method with a number, and waits for the reply.
  ///
  /// - Returns: `nil` if the reply is one of the errors in `absent`.
  func call(
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ member: String,
    number: UInt32,
    absent: [String]
  ) throws(SystemError) -> BusMessage? {
    var reply: OpaquePointer?
    // "The maximum name length is 255": the D-Bus specification, on valid names.
    var name = [CChar](repeating: 0, count: 256)
    let code = unsafe csystemd_call_number(
      library.functions,
      bus,
      destination,
      path,
      interface,
      member,
      number,
      &reply,
      &name,
      name.count
    )
    if code >= 0, let reply = unsafe reply {
      return unsafe BusMessage(library.functions, owning: reply)
    }
    let bytes = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    if absent.contains(String(decoding: bytes, as: UTF8.self)) { return nil }
    throw SystemError(member, code: code < 0 ? -code : EPROTO)
  }

  /// The next received message; waits until `interrupt` is readable.
  ///
  /// - Returns: `nil` if `interrupt` is readable.
  /// - Throws: `gone` if the bus has disconnected.
  func next(interrupt: Int32) throws(LoginFailure) -> BusMessage? {
    while true {
      var message: OpaquePointer?
      // sd_bus_process(3) returns a message that no handler took.
      let code = unsafe csystemd_process(library.functions, bus, &message)
      guard code >= 0 else { throw .gone }
      if let found = unsafe message { return unsafe BusMessage(library.functions, owning: found) }
      if code > 0 { continue }
      guard try wait(interrupt) else { return nil }
    }
  }

  /// Waits for the bus; false if the interrupt came.
  private func wait(_ interrupt: Int32) throws(LoginFailure) -> Bool {
    let events = unsafe csystemd_events(library.functions, bus)
    let descriptor = unsafe csystemd_descriptor(library.functions, bus)
    guard events >= 0, descriptor >= 0 else { throw .gone }
    let hasTimeout = unsafe csystemd_has_timeout(library.functions, bus) > 0
    var waiting = [
      pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
      pollfd(fd: interrupt, events: Int16(POLLIN), revents: 0),
    ]
    let count = unsafe poll(&waiting, 2, hasTimeout ? 1000 : -1)
    guard count >= 0 || errno == EINTR else { throw .gone }
    return count < 0 || waiting[1].revents == 0
  }
}

/// A message of the bus; sd_bus_message_get_sender(3) and related functions.
@safe
struct BusMessage: ~Copyable {
  private let library: UnsafePointer<csystemd>
  private let message: OpaquePointer

  fileprivate init(_ library: UnsafePointer<csystemd>, owning message: OpaquePointer) {
    unsafe self.library = library
    unsafe self.message = message
  }

  deinit { unsafe csystemd_release(library, message) }

  var isSignal: Bool { unsafe csystemd_is_signal(library, message) > 0 }
  /// The unique name of the sender, set by the bus.
  var sender: String { unsafe Self.text(csystemd_sender(library, message)) }
  var path: String { unsafe Self.text(csystemd_path(library, message)) }
  /// Interface and member, separated by a dot.
  var name: String {
    unsafe Self.text(csystemd_interface(library, message)) + "."
      + Self.text(csystemd_member(library, message))
  }

  /// The next value as a text, which may have any of D-Bus's text types.
  func text(_ type: Character = "s") throws(LoginFailure) -> String {
    var value: UnsafePointer<CChar>?
    guard unsafe csystemd_read(library, message, Self.code(type), &value) > 0 else {
      throw .notUnderstood
    }
    return unsafe Self.text(value)
  }

  func number() throws(LoginFailure) -> UInt32 {
    var value: UInt32 = 0
    guard unsafe csystemd_read(library, message, Self.code("u"), &value) > 0 else {
      throw .notUnderstood
    }
    return value
  }

  func boolean() throws(LoginFailure) -> Bool {
    // "b: int *": sd_bus_message_read_basic(3).
    var value: Int32 = 0
    guard unsafe csystemd_read(library, message, Self.code("b"), &value) > 0 else {
      throw .notUnderstood
    }
    return value != 0
  }

  /// The next value as a separate descriptor: the message's own one is closed with the message.
  func descriptor() throws(LoginFailure) -> Descriptor {
    var value: Int32 = -1
    guard unsafe csystemd_read(library, message, Self.code("h"), &value) > 0 else {
      throw .notUnderstood
    }
    let copy = fcntl(value, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw .bus(SystemError("fcntl", code: errno)) }
    return Descriptor(owning: copy)
  }

  /// Enters an array, a struct, a dictionary entry or a variant.
  ///
  /// It returns false at the end of an array, or if the next value has another type.
  func enter(_ type: Character, _ contents: String) throws(LoginFailure) -> Bool {
    let code = unsafe csystemd_enter(library, message, Self.code(type), contents)
    // "-ENXIO: no more data, or another type": sd_bus_message_enter_container(3).
    guard code >= 0 || code == -ENXIO else { throw .notUnderstood }
    return code > 0
  }

  func leave() throws(LoginFailure) {
    guard unsafe csystemd_exit(library, message) >= 0 else { throw .notUnderstood }
  }

  /// Skips values of these types.
  func skip(_ types: String) throws(LoginFailure) {
    guard unsafe csystemd_skip(library, message, types) >= 0 else { throw .notUnderstood }
  }

  private static func code(_ type: Character) -> CChar { CChar(type.asciiValue ?? 0) }

  private static func text(_ bytes: UnsafePointer<CChar>?) -> String {
    guard let bytes = unsafe bytes else { return "" }
    return unsafe String(cString: bytes)
  }
}
