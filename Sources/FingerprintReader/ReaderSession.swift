internal import CFprint
internal import Glibc
internal import Synchronization

/// One use of the reader from finding it to closing it, on the reader's thread.
///
/// Every way out goes through `close`: the library's claim on the device ends, and the context,
/// which would keep a list of readers that is out of date, is let go.
@safe
class ReaderSession: ReaderAttempt, @unchecked Sendable {
  /// How often someone who waits hears that the reader still does, in milliseconds.
  private static let tick: guint = 5000
  /// How long a driver may take to stop or to close, in milliseconds; then it is left hanging.
  private static let patience: guint = 2000

  private let drivers: AllowedDrivers
  private let limit: guint
  private let isCancelled = Atomic(false)

  private var context: UnsafeMutablePointer<FpContext>?
  private var isOpen = false
  private var isClosing = false
  private var limitTimer: guint = 0
  private var tickTimer: guint = 0
  private var patienceTimer: guint = 0
  private var statusSignal: gulong = 0
  private var status = FP_FINGER_STATUS_NONE
  private var deadline: Int64 = .max
  private var failure: ReaderError?
  private var isFinished = false

  /// What holds sleep back while this session has the reader; nil where its owner does that.
  var sleep: SleepGuard?
  /// What the library stops at; only this session's thread cancels it.
  let cancellable: UnsafeMutablePointer<GCancellable>?
  /// The reader, between `begin` and the end.
  private(set) var device: UnsafeMutablePointer<FpDevice>?

  /// A session that ends after so many milliseconds without anyone at the reader.
  init(_ drivers: AllowedDrivers, milliseconds: Int) {
    self.drivers = drivers
    limit = guint(clamping: milliseconds)
    unsafe cancellable = g_cancellable_new()
  }

  deinit {
    unsafe g_object_unref(cancellable)
  }

  // What a kind of session adds.

  /// Whether this reader serves; called for each that may be used.
  func accepts(_ device: UnsafeMutablePointer<FpDevice>) -> Bool { true }
  /// What it means that no reader serves, though there is one.
  var refusal: ReaderError { .noReader }
  /// The reader is open.
  func opened(_ device: UnsafeMutablePointer<FpDevice>) {}
  /// The reader still waits for a touch.
  func waits() {}
  /// The reader is closed, and this is why it was not a success.
  func ended(_ failure: ReaderError?) {}

  // From other threads.

  /// Gives it up: from here on no result counts.
  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    try? ReaderThread.shared.perform { [self] in stop(.cancelled) }
  }

  // On the reader's thread.

  /// Finds a reader and opens it.
  func begin() {
    guard ReaderThread.shared.take(self) else { return finish(.busy(nil)) }
    guard !isCancelled.load(ordering: .acquiring) else { return finish(.cancelled) }
    // A new context each time: a reader that another program held when a context was made is
    // missing from that context's list for as long as it lives.
    sleep?.begin()
    unsafe context = fp_context_new()
    var hasReader = false
    guard let devices = unsafe fp_context_get_devices(context) else { return finish(.noReader) }
    for index in 0..<Int(unsafe devices.pointee.len) {
      guard let entry = unsafe devices.pointee.pdata[index] else { continue }
      let candidate = unsafe entry.assumingMemoryBound(to: FpDevice.self)
      guard drivers.permit(unsafe text(fp_device_get_driver(candidate))) else { continue }
      hasReader = true
      guard unsafe accepts(candidate) else { continue }
      unsafe g_object_ref(entry)
      unsafe device = candidate
      break
    }
    guard let device = unsafe device else { return finish(hasReader ? refusal : .noReader) }
    restartLimit()
    unsafe fp_device_open(
      device,
      cancellable,
      { _, result, data in unsafe session(taking: data).didOpen(result) },
      retainedSelf()
    )
  }

  /// Lets the time begin anew: the reader was armed, or touched.
  func restartLimit() {
    remove(&limitTimer)
    deadline = boottime() + Int64(limit)
    limitTimer = unsafe g_timeout_add(
      limit,
      { data in
        let session = unsafe session(borrowing: data)
        session.limitTimer = 0
        session.stop(.timedOut)
        return 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Why a result that just came does not count, nil if it does.
  ///
  /// A match can beat the cancel, and after a suspend it can come before the timer that would
  /// have ended the wait.
  var objection: ReaderError? {
    if isCancelled.load(ordering: .acquiring) { return .cancelled }
    if let failure { return failure }
    return boottime() > deadline ? .timedOut : nil
  }

  /// Ends the operation under way; its callback then closes.
  func stop(_ reason: ReaderError) {
    guard failure == nil, !isClosing, !isFinished else { return }
    failure = reason
    beginPatience()
    unsafe g_cancellable_cancel(cancellable)
  }

  /// Closes the reader, then ends the session.
  func close(_ failure: ReaderError? = nil) {
    guard !isClosing else { return }
    isClosing = true
    self.failure = failure
    remove(&limitTimer)
    remove(&tickTimer)
    guard isOpen, let device = unsafe device else { return finish(failure) }
    if statusSignal != 0 { unsafe g_signal_handler_disconnect(device, statusSignal) }
    beginPatience()
    // Not cancellable: a claim that is not given up blocks every other program.
    unsafe fp_device_close(
      device,
      nil,
      { _, result, data in
        let session = unsafe session(taking: data)
        var error: UnsafeMutablePointer<GError>?
        _ = unsafe fp_device_close_finish(session.device, result, &error)
        // A reader that was unplugged cannot be closed, and need not be.
        if let error = unsafe error { unsafe g_error_free(error) }
        session.isOpen = false
        session.finish(session.failure)
      },
      retainedSelf()
    )
  }

  private func didOpen(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    isOpen = unsafe fp_device_open_finish(device, result, &error) != 0
    if let error = unsafe error {
      let cause = unsafe ReaderError(consuming: error)
      return close(objection ?? cause)
    }
    if let objection { return close(objection) }
    guard let device = unsafe device else { return }
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    statusSignal = unsafe cfprint_on_finger_status(
      device,
      { _, _, data in unsafe session(borrowing: data).statusChanged() },
      data
    )
    tickTimer = unsafe g_timeout_add(
      Self.tick,
      { data in
        unsafe session(borrowing: data).waits()
        return 1
      },
      data
    )
    restartLimit()
    unsafe opened(device)
  }

  private func statusChanged() {
    guard failure == nil, !isClosing, let device = unsafe device else { return }
    let before = status
    status = unsafe fp_device_get_finger_status(device)
    // A finger was lifted, and the reader wants one.
    let wasOn = before.rawValue & FP_FINGER_STATUS_PRESENT.rawValue != 0
    let isOn = status.rawValue & FP_FINGER_STATUS_PRESENT.rawValue != 0
    if wasOn, !isOn, status.rawValue & FP_FINGER_STATUS_NEEDED.rawValue != 0 { waits() }
  }

  private func beginPatience() {
    remove(&patienceTimer)
    patienceTimer = unsafe g_timeout_add(
      Self.patience,
      { data in
        let session = unsafe session(borrowing: data)
        session.patienceTimer = 0
        session.abandon()
        return 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// Gives up on a driver that does not stop: the end of the process releases its reader.
  ///
  /// Its callback may still come, so that device and session stay, and the reader stays taken.
  private func abandon() {
    guard !isFinished else { return }
    isFinished = true
    isClosing = true
    _ = unsafe Unmanaged.passRetained(self)
    remove(&limitTimer)
    remove(&tickTimer)
    sleep?.end()
    ended(failure ?? .timedOut)
  }

  private func finish(_ failure: ReaderError?) {
    guard !isFinished else { return }
    isFinished = true
    remove(&limitTimer)
    remove(&tickTimer)
    remove(&patienceTimer)
    if let device = unsafe device { unsafe g_object_unref(device) }
    unsafe device = nil
    if let context = unsafe context { unsafe g_object_unref(context) }
    unsafe context = nil
    ReaderThread.shared.release(self)
    sleep?.end()
    ended(failure)
  }

  private func remove(_ timer: inout guint) {
    if timer != 0 { g_source_remove(timer) }
    timer = 0
  }

  /// A reference that one callback of the library gives back.
  func retainedSelf() -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passRetained(self).toOpaque()
  }
}

/// The session that `retainedSelf` gave to a callback.
func session(taking data: gpointer?) -> ReaderSession {
  guard let data = unsafe data else {
    // GIO hands back the pointer that the call was given.
    preconditionFailure("a callback without its session")
  }
  return unsafe Unmanaged<ReaderSession>.fromOpaque(data).takeRetainedValue()
}

/// The session of a callback that comes only while the session lives.
func session(borrowing data: gpointer?) -> ReaderSession {
  guard let data = unsafe data else {
    // GLib hands back the pointer that the call was given.
    preconditionFailure("a callback without its session")
  }
  return unsafe Unmanaged<ReaderSession>.fromOpaque(data).takeUnretainedValue()
}

/// Text of the library's; empty for none.
func text(_ pointer: UnsafePointer<CChar>?) -> String {
  unsafe pointer.map { unsafe String(cString: $0) } ?? ""
}

/// Milliseconds of CLOCK_BOOTTIME, which counts suspend (clock_gettime(2)).
func boottime() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_BOOTTIME, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
