internal import CFprint

/// One use of the reader, from finding it to closing it, on the reader's thread.
///
/// Every exit calls `close`, so that the library's claim on the device ends. A session may report
/// its result earlier, but the thread stays taken until the reader is closed.
@safe
class ReaderSession: ReaderAttempt, @unchecked Sendable {
  /// The interval of the reports that the reader still waits for a touch, in milliseconds.
  private static let tick: guint = 5000
  /// How long a driver may take to stop, in milliseconds; then it is abandoned.
  ///
  /// It may finish a scan first, whose result counts.
  private static let stopTimeout: guint = 8000
  /// How long a driver may take to close, in milliseconds, while the result waits for it; then it
  /// is abandoned.
  private static let closeTimeout: guint = 2000
  /// The same if the result is already known.
  private static let lateCloseTimeout: guint = 10_000

  private let readers: ReaderList
  private let cancellation: Cancellation
  private let limit: guint

  private var isOpen = false
  private var isClosing = false
  private var isEnding = false
  private var isFinished = false
  private var limitTimer = Timer()
  private var tickTimer = Timer()
  private var hangTimer = Timer()
  private var signals: [gulong] = []
  private var status = FP_FINGER_STATUS_NONE
  private var deadline: Int64 = .max
  private var failure: ReaderError?

  /// The library stops when this is cancelled; only this session's thread cancels it.
  let cancellable: UnsafeMutablePointer<GCancellable>?
  /// The reader, from `begin` to the end.
  private(set) var device: UnsafeMutablePointer<FpDevice>?

  /// Makes a session that ends after so many milliseconds without a touch.
  init(_ readers: ReaderList, _ cancellation: Cancellation, milliseconds: Int) {
    self.readers = readers
    self.cancellation = cancellation
    limit = guint(clamping: milliseconds)
    unsafe cancellable = g_cancellable_new()
  }

  deinit {
    unsafe g_object_unref(cancellable)
  }

  // Customization points of a kind of session.

  /// Whether this reader is suitable; called for each permitted reader.
  func accepts(_ device: UnsafeMutablePointer<FpDevice>) -> Bool { true }
  /// The error if readers exist but none is suitable.
  var refusal: ReaderError { .noReader }
  /// Called when the reader is open.
  func opened(_ device: UnsafeMutablePointer<FpDevice>) {}
  /// Called while the reader waits for a touch; `isTouched` if a finger is on it and must be
  /// lifted.
  func waits(isTouched: Bool) {}
  /// Whether the running operation may be cancelled.
  ///
  /// GIO discards the result of a task that has ended by itself and is cancelled before its
  /// callback.
  var mayBeCancelled: Bool { true }
  /// Called when the reader is closed or its driver hangs, with the reason of a failure.
  func ended(_ failure: ReaderError?) {}

  /// Finds a reader and opens it.
  func begin() {
    guard !isFinished else { return }
    switch ReaderThread.shared.take(self, orLater: { [self] in begin() }) {
    case .taken: break
    case .later: return
    case .busy: return finish(.busy(nil))
    }
    if let reason = failure ?? (cancellation.isCancelled ? .cancelled : nil) {
      return finish(reason)
    }
    let candidates = unsafe readers.readers()
    if let chosen = unsafe candidates.first(where: { unsafe accepts($0) }) {
      unsafe g_object_ref(UnsafeMutableRawPointer(chosen))
      unsafe device = chosen
    }
    guard let device = unsafe device else {
      return finish(unsafe candidates.isEmpty ? .noReader : refusal)
    }
    signals.append(
      unsafe cfprint_on_removed(
        device,
        { _, _, data in unsafe session(borrowing: data).unplugged() },
        Unmanaged.passUnretained(self).toOpaque()
      )
    )
    restartLimit()
    unsafe fp_device_open(
      device,
      cancellable,
      { _, result, data in unsafe session(taking: data).didOpen(result) },
      retainedSelf()
    )
  }

  /// Restarts the time limit, because the reader was armed or touched.
  func restartLimit() {
    deadline = boottime() + Int64(limit)
    limitTimer.start(limit) { [self] in stop(.timedOut) }
  }

  /// Why a new result does not count; `nil` if it does.
  ///
  /// A match can beat the cancel. After a suspend it can come before the timer that would have
  /// ended the wait.
  var objection: ReaderError? {
    if cancellation.isCancelled { return .cancelled }
    if let failure { return failure }
    return boottime() > deadline ? .timedOut : nil
  }

  /// Ends the running operation; its callback then closes the reader.
  func stop(_ reason: ReaderError) {
    guard failure == nil, !isEnding, !isClosing, !isFinished else { return }
    failure = reason
    // The session waits for another one to close, and never had the reader.
    guard ReaderThread.shared.isTaken(by: self) else { return finish(reason) }
    startHangTimer(Self.stopTimeout)
    if mayBeCancelled { unsafe g_cancellable_cancel(cancellable) }
  }

  /// Gives the operation time to end by itself, because the result is known and reported.
  ///
  /// Drivers of image readers wait until the finger is lifted.
  func endSoon(_ milliseconds: guint) {
    guard !isEnding else { return }
    isEnding = true
    ReaderThread.shared.markEnding(self)
    limitTimer.stop()
    tickTimer.stop()
    hangTimer.start(milliseconds) { [self] in hurry() }
  }

  func hurry() {
    guard isEnding, !isClosing else { return }
    startHangTimer(Self.closeTimeout)
    unsafe g_cancellable_cancel(cancellable)
  }

  /// Whether a finger is on the reader, as far as its driver reports that.
  var isTouched: Bool { status.rawValue & FP_FINGER_STATUS_PRESENT.rawValue != 0 }

  /// Whether the reader has a feature (fp_device_has_feature).
  func hasFeature(_ feature: FpDeviceFeature) -> Bool {
    guard let device = unsafe device else { return false }
    return unsafe fp_device_has_feature(device, feature) != 0
  }

  /// Closes the reader, then ends the session.
  func close(_ failure: ReaderError? = nil) {
    guard !isClosing else { return }
    isClosing = true
    self.failure = failure
    ReaderThread.shared.markEnding(self)
    limitTimer.stop()
    tickTimer.stop()
    guard isOpen, let device = unsafe device else { return finish(failure) }
    startHangTimer(isEnding ? Self.lateCloseTimeout : Self.closeTimeout)
    // Not cancellable: a claim that stays blocks every other program.
    unsafe fp_device_close(
      device,
      nil,
      { _, result, data in
        let session = unsafe session(taking: data)
        var error: UnsafeMutablePointer<GError>?
        _ = unsafe fp_device_close_finish(session.device, result, &error)
        // An unplugged reader cannot be closed, and need not be.
        if let error = unsafe error { unsafe g_error_free(error) }
        session.isOpen = false
        session.finish(session.failure)
      },
      retainedSelf()
    )
  }

  /// Translates the error of an operation, and frees it.
  ///
  /// If the reader is no longer plugged in, that is the reason.
  func cause(consuming error: UnsafeMutablePointer<GError>) -> ReaderError {
    let cause = unsafe ReaderError(consuming: error)
    guard case .failed = cause, let device = unsafe device else { return cause }
    // libfprint may learn of the removal later than its transfer fails.
    return unsafe cfprint_is_removed(device) != 0 || readers.isAnyMissing ? .removed : cause
  }

  private func didOpen(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    isOpen = unsafe fp_device_open_finish(device, result, &error) != 0
    if let error = unsafe error {
      let cause = unsafe cause(consuming: error)
      return close(objection ?? cause)
    }
    if let objection { return close(objection) }
    guard let device = unsafe device else { return }
    signals.append(
      unsafe cfprint_on_finger_status(
        device,
        { _, _, data in unsafe session(borrowing: data).statusChanged() },
        Unmanaged.passUnretained(self).toOpaque()
      )
    )
    tickTimer.repeat(Self.tick) { [self] in
      readers.isAnyMissing ? unplugged() : waits(isTouched: isTouched)
    }
    restartLimit()
    unsafe opened(device)
  }

  private func statusChanged() {
    guard failure == nil, !isEnding, !isClosing, let device = unsafe device else { return }
    let wasTouched = isTouched
    status = unsafe fp_device_get_finger_status(device)
    // A finger was lifted, and the reader needs one.
    let isNeeded = status.rawValue & FP_FINGER_STATUS_NEEDED.rawValue != 0
    if wasTouched, !isTouched, isNeeded { waits(isTouched: false) }
  }

  /// Cancels the operation: some drivers never end it after the reader was removed.
  private func unplugged() {
    guard !isFinished else { return }
    if !isEnding, !isClosing { failure = failure ?? .removed }
    startHangTimer(Self.closeTimeout / 2)
    unsafe g_cancellable_cancel(cancellable)
  }

  private func disconnect() {
    guard let device = unsafe device else { return }
    for signal in signals { unsafe g_signal_handler_disconnect(device, signal) }
    signals = []
  }

  private func startHangTimer(_ milliseconds: guint) {
    hangTimer.start(milliseconds) { [self] in abandon() }
  }

  /// Gives up on a driver that does not stop: the end of the process releases its reader.
  ///
  /// Its callback may still come, so the device and the session stay alive, and the reader stays
  /// taken.
  private func abandon() {
    guard !isFinished else { return }
    isFinished = true
    isClosing = true
    disconnect()
    _ = unsafe Unmanaged.passRetained(self)
    limitTimer.stop()
    tickTimer.stop()
    hangTimer.stop()
    ReaderThread.shared.giveUp(self)
    ended(failure ?? .timedOut)
  }

  private func finish(_ failure: ReaderError?) {
    guard !isFinished else { return }
    isFinished = true
    limitTimer.stop()
    tickTimer.stop()
    hangTimer.stop()
    disconnect()
    if let device = unsafe device { unsafe g_object_unref(device) }
    unsafe device = nil
    ReaderThread.shared.release(self)
    ended(failure)
  }

  /// A reference that one callback of the library releases.
  func retainedSelf() -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passRetained(self).toOpaque()
  }
}

/// The session that `retainedSelf` passed to a callback.
func session(taking data: gpointer?) -> ReaderSession {
  guard let data = unsafe data else {
    // GIO hands back the pointer that the call was given.
    preconditionFailure("a callback without its session")
  }
  return unsafe Unmanaged<ReaderSession>.fromOpaque(data).takeRetainedValue()
}

/// The session of a callback that runs only during the session's lifetime.
func session(borrowing data: gpointer?) -> ReaderSession {
  guard let data = unsafe data else {
    // GLib hands back the pointer that the call was given.
    preconditionFailure("a callback without its session")
  }
  return unsafe Unmanaged<ReaderSession>.fromOpaque(data).takeUnretainedValue()
}
