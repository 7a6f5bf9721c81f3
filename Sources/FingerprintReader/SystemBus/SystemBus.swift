internal import CFprint

/// A connection to a message bus, used only on the reader's thread.
///
/// GIO reads and writes the socket on its own thread; answers and signals arrive on the reader's.
/// After `close` no more arrive.
@safe
final class SystemBus {
  /// An argument of a call.
  enum Argument {
    case text(String)
    case number(UInt32)
  }

  typealias Answer = (Result<BusValue, LibraryFault>) -> Void

  /// The name of the bus itself.
  static let itself = "org.freedesktop.DBus"

  /// Called when the connection is lost without `close`.
  var lost: (() -> Void)?

  private var connection: OpaquePointer?
  private let cancellable: UnsafeMutablePointer<GCancellable>?
  private var subscriptions: [guint] = []
  private var closedSignal: gulong = 0
  private var isClosed = false

  init() {
    unsafe cancellable = g_cancellable_new()
  }

  deinit {
    unsafe g_object_unref(cancellable)
  }

  /// Connects to an address.
  ///
  /// The address is never taken from the environment: an attacker that chooses the bus would choose
  /// the services that answer on it.
  func connect(_ address: String, then answer: @escaping (LibraryFault?) -> Void) {
    let connected = Connected(bus: self, answer: answer)
    unsafe g_dbus_connection_new_for_address(
      address,
      GDBusConnectionFlags(
        G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue
      ),
      nil,
      cancellable,
      { _, result, data in
        guard let data = unsafe data else { return }
        let connected = unsafe Unmanaged<Connected>.fromOpaque(data).takeRetainedValue()
        unsafe connected.bus.didConnect(result, connected.answer)
      },
      Unmanaged.passRetained(connected).toOpaque()
    )
  }

  /// Calls a method and passes on its answer once.
  func call(
    _ destination: String,
    _ path: String,
    _ interface: String,
    _ method: String,
    _ arguments: [Argument] = [],
    reply type: String = "()",
    milliseconds: Int32 = 5000,
    then answer: @escaping Answer
  ) {
    guard let connection = unsafe connection, !isClosed else { return }
    let pending = PendingCall(bus: self, answer: answer)
    let replyType = unsafe g_variant_type_new(type)
    defer { unsafe g_variant_type_free(replyType) }
    unsafe g_dbus_connection_call_with_unix_fd_list(
      connection,
      destination,
      path,
      interface,
      method,
      Self.tuple(arguments),
      replyType,
      G_DBUS_CALL_FLAGS_NONE,
      milliseconds,
      nil,
      cancellable,
      { source, result, data in
        guard let data = unsafe data else { return }
        let pending = unsafe Unmanaged<PendingCall>.fromOpaque(data).takeRetainedValue()
        unsafe pending.finish(OpaquePointer(source), result)
      },
      Unmanaged.passRetained(pending).toOpaque()
    )
  }

  /// Subscribes to a signal of one sender: a unique name, or the bus itself.
  ///
  /// With a well-known name, another client could send the signal directly to this connection.
  func subscribe(
    _ sender: String,
    _ path: String,
    _ interface: String,
    _ signal: String,
    of argument: String? = nil,
    then handler: @escaping (BusValue) -> Void
  ) {
    guard let connection = unsafe connection, !isClosed else { return }
    let subscription = Subscription(bus: self, sender: sender, handler: handler)
    subscriptions.append(
      unsafe g_dbus_connection_signal_subscribe(
        connection,
        sender,
        interface,
        signal,
        path,
        argument,
        G_DBUS_SIGNAL_FLAGS_NONE,
        { _, sender, _, _, _, value, data in
          guard let data = unsafe data, let value = unsafe value else { return }
          let subscription = unsafe Unmanaged<Subscription>.fromOpaque(data).takeUnretainedValue()
          guard !subscription.bus.isClosed, unsafe text(sender) == subscription.sender else {
            return
          }
          subscription.handler(unsafe BusValue(taking: g_variant_ref(value)))
        },
        Unmanaged.passRetained(subscription).toOpaque(),
        { data in
          guard let data = unsafe data else { return }
          unsafe Unmanaged<Subscription>.fromOpaque(data).release()
        }
      )
    )
  }

  /// Leaves the bus without waiting for pending answers.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    lost = nil
    unsafe g_cancellable_cancel(cancellable)
    guard let connection = unsafe connection else { return }
    for subscription in subscriptions {
      unsafe g_dbus_connection_signal_unsubscribe(connection, subscription)
    }
    subscriptions = []
    unsafe g_signal_handler_disconnect(UnsafeMutableRawPointer(connection), closedSignal)
    unsafe g_dbus_connection_close(connection, nil, nil, nil)
    unsafe release(connection)
    unsafe self.connection = nil
  }

  private func didConnect(_ result: OpaquePointer?, _ answer: (LibraryFault?) -> Void) {
    var error: UnsafeMutablePointer<GError>?
    let made = unsafe g_dbus_connection_new_for_address_finish(result, &error)
    guard let made = unsafe made else {
      let fault = unsafe LibraryFault(taking: error)
      if !isClosed { answer(fault) }
      return
    }
    guard !isClosed else {
      unsafe g_dbus_connection_close(made, nil, nil, nil)
      return unsafe release(made)
    }
    unsafe connection = made
    closedSignal = unsafe cfprint_on_bus_closed(
      made,
      { _, _, _, data in
        guard let data = unsafe data else { return }
        let bus = unsafe Unmanaged<SystemBus>.fromOpaque(data).takeUnretainedValue()
        bus.lost?()
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
    answer(nil)
  }

  private static func tuple(_ arguments: [Argument]) -> OpaquePointer? {
    var values: [OpaquePointer?] = unsafe []
    for argument in arguments {
      switch argument {
      case .text(let text): unsafe values.append(g_variant_new_string(text))
      case .number(let number): unsafe values.append(g_variant_new_uint32(number))
      }
    }
    // g_variant_new_tuple: "If any of the children are floating references, they are consumed".
    return unsafe g_variant_new_tuple(&values, gsize(arguments.count))
  }

  private final class Connected {
    let bus: SystemBus
    let answer: (LibraryFault?) -> Void

    init(bus: SystemBus, answer: @escaping (LibraryFault?) -> Void) {
      self.bus = bus
      self.answer = answer
    }
  }

  private final class PendingCall {
    private let bus: SystemBus
    private let answer: Answer

    init(bus: SystemBus, answer: @escaping Answer) {
      self.bus = bus
      self.answer = answer
    }

    func finish(_ connection: OpaquePointer?, _ result: OpaquePointer?) {
      var error: UnsafeMutablePointer<GError>?
      var descriptors: UnsafeMutablePointer<GUnixFDList>?
      let value = unsafe g_dbus_connection_call_with_unix_fd_list_finish(
        connection,
        &descriptors,
        result,
        &error
      )
      let answered: Result<BusValue, LibraryFault>
      if let value = unsafe value {
        answered = .success(unsafe BusValue(taking: value, descriptors: descriptors))
      } else {
        answered = .failure(unsafe LibraryFault(taking: error))
      }
      if !bus.isClosed { answer(answered) }
    }
  }

  private final class Subscription {
    let bus: SystemBus
    let sender: String
    let handler: (BusValue) -> Void

    init(bus: SystemBus, sender: String, handler: @escaping (BusValue) -> Void) {
      self.bus = bus
      self.sender = sender
      self.handler = handler
    }
  }
}

extension LibraryFault {
  /// The error of a call on a bus, with the name that the service gave it; frees the GError.
  fileprivate init(taking error: UnsafeMutablePointer<GError>?) {
    guard let error = unsafe error else {
      self.init(domain: "?", code: 0, message: "no reason was given")
      return
    }
    defer { unsafe g_error_free(error) }
    let name = unsafe g_dbus_error_get_remote_error(error)
    _ = unsafe g_dbus_error_strip_remote_error(error)
    let plain = unsafe LibraryFault(error.pointee)
    self.init(
      domain: unsafe name.map { unsafe String(cString: $0) } ?? plain.domain,
      code: plain.code,
      message: plain.message
    )
    unsafe g_free(name)
  }
}
