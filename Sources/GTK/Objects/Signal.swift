internal import CAdwaita

/// The arguments of a signal.
@safe
@MainActor
package struct SignalArguments {
  fileprivate let values: UnsafePointer<GValue>
  fileprivate let count: Int

  /// The text at a position behind the sender; `nil` if there is none.
  package func text(_ index: Int) -> String? {
    guard let value = unsafe value(index, cadwaita_type_string()),
      let text = unsafe g_value_get_string(value)
    else { return nil }
    return unsafe String(cString: text)
  }

  /// The truth at a position behind the sender; false if there is none.
  package func flag(_ index: Int) -> Bool {
    guard let value = unsafe value(index, cadwaita_type_boolean()) else { return false }
    return unsafe g_value_get_boolean(value) != 0
  }

  /// The number at a position behind the sender; `nil` if there is none.
  package func number(_ index: Int) -> Int? {
    if let value = unsafe value(index, cadwaita_type_uint()) {
      return Int(unsafe g_value_get_uint(value))
    }
    guard let value = unsafe value(index, cadwaita_type_int()) else { return nil }
    return Int(unsafe g_value_get_int(value))
  }

  /// The object at a position behind the sender; `nil` if there is none.
  package func object<Kind: Object>(_ index: Int, as kind: Kind.Type = Kind.self) -> Kind? {
    guard let value = unsafe value(index, cadwaita_type_object()),
      let object = unsafe g_value_get_object(value),
      unsafe cadwaita_is(object, Kind.type) != 0
    else { return nil }
    return unsafe Kind(object)
  }

  /// The object that sends the signal; `nil` if it is of another kind.
  func sender<Kind: Object>(as kind: Kind.Type) -> Kind? { object(-1, as: kind) }

  private func value(_ index: Int, _ type: GType) -> UnsafePointer<GValue>? {
    guard index + 1 < count else { return nil }
    let value = unsafe values + index + 1
    return unsafe cadwaita_holds(value, type) != 0 ? value : nil
  }
}

extension Object {
  /// Calls a closure at each signal until the object ends.
  ///
  /// The object owns the closure. A closure that captures a reference to its own object keeps both
  /// alive permanently: capture the reference weakly. (g_signal_connect_closure(3))
  package func on(_ signal: String, _ body: @escaping @MainActor () -> Void) {
    connect(signal) { _ in
      body()
      return nil
    }
  }

  /// The same for a signal with arguments, whose answer is what the closure returns; `nil` leaves
  /// the answer as it is.
  package func connect(
    _ signal: String,
    _ body: @escaping @MainActor (SignalArguments) -> Bool?
  ) {
    let content = unsafe Unmanaged.passRetained(SignalBody(body)).toOpaque()
    let closure = unsafe cadwaita_closure(content, marshal, release)
    unsafe g_signal_connect_closure(pointer, signal, closure, 0)
  }
}

private final class SignalBody: Sendable {
  let body: @MainActor (SignalArguments) -> Bool?

  init(_ body: @escaping @MainActor (SignalArguments) -> Bool?) {
    self.body = body
  }
}

/// One marshaller for signals of every shape (GClosureMarshal).
private let marshal: GClosureMarshal = { closure, answer, count, values, _, _ in
  guard let closure = unsafe closure, let values = unsafe values,
    let content = unsafe cadwaita_content(closure)
  else { return }
  let signal = unsafe Unmanaged<SignalBody>.fromOpaque(content).takeUnretainedValue()
  nonisolated(unsafe) let (first, result) = unsafe (values, answer)
  // GTK emits on the thread of its main loop, which is the main thread.
  MainActor.assumeIsolated {
    let arguments = unsafe SignalArguments(values: first, count: Int(count))
    guard let isTrue = signal.body(arguments), let result = unsafe result,
      unsafe cadwaita_holds(result, cadwaita_type_boolean()) != 0
    else { return }
    unsafe g_value_set_boolean(result, isTrue ? 1 : 0)
  }
}

private let release: GClosureNotify = { content, _ in
  guard let content = unsafe content else { return }
  unsafe Unmanaged<SignalBody>.fromOpaque(content).release()
}
