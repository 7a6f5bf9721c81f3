internal import CSystemd
internal import Glibc
internal import System

/// libsystemd, loaded once and never freed.
@safe
struct Library: @unchecked Sendable {
  static let shared = unsafe csystemd_load().map { unsafe Library(functions: $0) }

  let functions: UnsafePointer<csystemd>
}

/// A connection to a message bus, for one thread; sd-bus(3).
///
/// Every wait has a limit: a bus or a service may never answer.
@safe
package final class SystemBus {
  /// The address of the system bus.
  package static let machineAddress = "unix:path=/run/dbus/system_bus_socket"
  /// The name of the bus itself.
  package static let driver = "org.freedesktop.DBus"
  /// The interface of properties.
  package static let properties = "org.freedesktop.DBus.Properties"
  /// The most signals that are kept while a call waits for its answer.
  private static let mostKept = 4096

  let functions: UnsafePointer<csystemd>
  let bus: OpaquePointer
  /// Whether calls of other programs are received; otherwise they are dropped.
  var takesCalls = false
  private var senders: Set<String> = []
  private var kept: [BusMessage] = []
  /// The number of the last call.
  private var lastCall: UInt64 = 0
  /// The calls whose answers are still expected although their limits have passed.
  private var lateCalls: Set<UInt64> = []

  /// Connects to the bus at an address, without waiting for it.
  ///
  /// The address never comes from the environment: an attacker who chooses the bus would choose the
  /// services that answer on it.
  package init(_ address: String) throws(BusError) {
    guard let functions = unsafe Library.shared?.functions else { throw .noLibrary }
    var bus: OpaquePointer?
    var code = unsafe functions.pointee.new(&bus)
    if code >= 0 { code = unsafe functions.pointee.set_address(bus, address) }
    if code >= 0 { code = unsafe functions.pointee.set_bus_client(bus, 1) }
    if code >= 0 { code = unsafe functions.pointee.start(bus) }
    guard code >= 0, let bus = unsafe bus else {
      _ = unsafe functions.pointee.close_unref(bus)
      throw .noBus(SystemError("sd_bus_start", code: -code, subject: address))
    }
    unsafe self.functions = functions
    unsafe self.bus = bus
  }

  deinit {
    // Not sd_bus_flush_close_unref(3), which waits for a bus that does not read.
    _ = unsafe functions.pointee.close_unref(bus)
  }

  /// The descriptor of the connection, which is readable when messages come.
  package var descriptor: Int32 { unsafe functions.pointee.get_fd(bus) }

  /// Calls a method with texts and a number, and waits for the answer.
  ///
  /// - Throws: `failed` with ETIMEDOUT or EINTR at the limit.
  package func call(
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ method: String,
    _ texts: [String] = [],
    number: UInt32? = nil,
    within limit: BusLimit = BusLimit(milliseconds: 2000)
  ) throws(BusError) -> BusMessage {
    let values = texts.map { BusValue.text($0) } + (number.map { [.number($0)] } ?? [])
    return try call(destination, path, interface, method, values: values, within: limit)
  }

  /// Calls a method with any values, and waits for the answer.
  ///
  /// - Throws: `failed` with ETIMEDOUT or EINTR at the limit.
  package func call(
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ method: String,
    values: [BusValue],
    within limit: BusLimit = BusLimit(milliseconds: 2000)
  ) throws(BusError) -> BusMessage {
    var call: OpaquePointer?
    var code = unsafe functions.pointee.message_new_method_call(
      bus,
      &call,
      destination,
      path,
      interface,
      method
    )
    defer { _ = unsafe functions.pointee.message_unref(call) }
    if code >= 0, let call = unsafe call {
      code = unsafe BusValue.appendAll(values, to: call, functions)
    }
    var cookie: UInt64 = 0
    if code >= 0 { code = unsafe functions.pointee.send(bus, call, &cookie) }
    guard code >= 0 else { throw .failed(SystemError(method, code: -code)) }
    lastCall = cookie
    return try answer(to: cookie, of: method, limit)
  }

  /// Makes `next` return a late answer to the last call, whose limit has passed.
  ///
  /// - Returns: the `replyCookie` of that answer.
  package func expectLateAnswer() -> UInt64 {
    lateCalls.insert(lastCall)
    return lastCall
  }

  /// Waits for the answer to a call, and keeps the signals that come before it.
  private func answer(
    to cookie: UInt64,
    of method: String,
    _ limit: BusLimit
  ) throws(BusError) -> BusMessage {
    var limit = limit
    while let message = try receive(&limit) {
      if message.replyCookie == cookie {
        if let refusal = message.refusal(of: method) { throw .refused(refusal) }
        return message
      }
      if isWanted(message) {
        guard kept.count < Self.mostKept else { throw .failed(SystemError(method, code: ENOBUFS)) }
        kept.append(message)
      }
      if limit.isOver { break }
    }
    throw .failed(SystemError(method, code: limit.wasInterrupted ? EINTR : ETIMEDOUT))
  }

  /// Calls a method of the bus itself.
  package func callDriver(
    _ method: String,
    _ texts: [String] = [],
    number: UInt32? = nil,
    within limit: BusLimit = BusLimit(milliseconds: 2000)
  ) throws(BusError) -> BusMessage {
    try call(Self.driver, "/", Self.driver, method, texts, number: number, within: limit)
  }

  /// The unique name of the process that owns a well-known name, and belongs to root or to `user`.
  ///
  /// A bus that lets another user own the name of a service is not trusted.
  ///
  /// - Throws: `failed` with EPERM if another user owns it.
  package func owner(
    of name: String,
    user: UInt32 = 0,
    within limit: BusLimit = BusLimit(milliseconds: 2000)
  ) throws(BusError) -> String {
    let owner = try callDriver("GetNameOwner", [name], within: limit).text()
    let number = try callDriver("GetConnectionUnixUser", [owner], within: limit).number()
    guard number == 0 || number == user else {
      throw .failed(SystemError("GetConnectionUnixUser", code: EPERM))
    }
    return owner
  }

  /// Receives the signals of a sender that match a rule, from now on.
  ///
  /// The sender is a unique name or the bus itself. A well-known name would let another client send
  /// the signal to this connection.
  package func subscribe(
    to sender: String,
    _ rule: String,
    within limit: BusLimit = BusLimit(milliseconds: 2000)
  ) throws(BusError) {
    let rule = "type='signal',sender='\(sender)',\(rule)"
    _ = try callDriver("AddMatch", [rule], within: limit)
    senders.insert(sender)
  }

  /// The next signal of a subscribed sender, call or late answer; `nil` at the limit.
  package func next(within limit: BusLimit) throws(BusError) -> BusMessage? {
    if !kept.isEmpty { return kept.removeFirst() }
    var limit = limit
    while let message = try receive(&limit) {
      if isWanted(message) { return message }
      if limit.isOver { break }
    }
    return nil
  }

  /// Removes and returns the signals that came during the last calls, so that `next` does not
  /// return them.
  package func takeKept() -> [BusMessage] {
    defer { kept = [] }
    return kept
  }

  private func isWanted(_ message: BusMessage) -> Bool {
    if let call = message.replyCookie { return lateCalls.remove(call) != nil }
    return message.isSignal ? senders.contains(message.sender) : takesCalls && message.isCall
  }

  /// The next received message; `nil` at the limit.
  private func receive(_ limit: inout BusLimit) throws(BusError) -> BusMessage? {
    while true {
      var message: OpaquePointer?
      // sd_bus_process(3) returns a message that no handler took, and 0 if there is none.
      let code = unsafe functions.pointee.process(bus, &message)
      guard code >= 0 else { throw .gone }
      if let found = unsafe message { return unsafe BusMessage(functions, owning: found) }
      // sd-bus answers some calls itself, such as Ping, and any program may send many of them.
      if code == 0 ? try !wait(&limit) : limit.isOver { return nil }
    }
  }

  /// Waits for the bus; false at the limit.
  private func wait(_ limit: inout BusLimit) throws(BusError) -> Bool {
    let events = unsafe functions.pointee.get_events(bus)
    let descriptor = unsafe functions.pointee.get_fd(bus)
    guard events >= 0, descriptor >= 0 else { throw .gone }
    while !limit.isOver {
      var waiting = [
        pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
        pollfd(fd: limit.interrupt, events: Int16(POLLIN), revents: 0),
      ]
      let count = unsafe poll(&waiting, 2, limit.timeLeft)
      guard count >= 0 || errno == EINTR else { throw .gone }
      // Messages that have arrived are handled before the interrupt.
      if waiting[0].revents != 0 { return true }
      if waiting[1].revents != 0 { limit.noteInterrupt() }
    }
    return false
  }
}
