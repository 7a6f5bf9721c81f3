internal import CFprint

/// Verifies or identifies a finger.
@safe
final class CheckSession: ReaderSession, @unchecked Sendable {
  private let stored: [StoredPrint]
  private let report: (CheckEvent) -> Void
  private let done: (Result<Verdict, ReaderError>) -> Void

  /// The prints that this reader knows, and the library's objects of them, in the same order.
  private var usable: [StoredPrint] = []
  private var prints: UnsafeMutablePointer<GPtrArray>?
  private var identifies = false
  private var isArming = false
  private var cameEarly = false
  /// A good scan did not match, though its operation may not have ended yet.
  private var hasMissed = false
  private var verdict: Verdict?

  init(
    _ drivers: AllowedDrivers,
    _ stored: [StoredPrint],
    milliseconds: Int,
    report: @escaping (CheckEvent) -> Void,
    done: @escaping (Result<Verdict, ReaderError>) -> Void
  ) {
    self.stored = stored
    self.report = report
    self.done = done
    super.init(drivers, milliseconds: milliseconds)
  }

  override var refusal: ReaderError { .notEnrolled }

  override func accepts(_ device: UnsafeMutablePointer<FpDevice>) -> Bool {
    let prints = unsafe g_ptr_array_new_with_free_func { data in
      if let data = unsafe data { unsafe g_object_unref(data) }
    }
    for candidate in stored {
      // Prints of other readers are not even made into objects.
      guard unsafe candidate.driver == text(fp_device_get_driver(device)),
        unsafe candidate.device == text(fp_device_get_device_id(device)),
        let print = unsafe candidate.deserialized()
      else { continue }
      // The library itself does not look whether a print is the reader's own.
      guard unsafe fp_print_compatible(print, device) != 0 else {
        unsafe release(print)
        continue
      }
      usable.append(candidate)
      unsafe g_ptr_array_add(prints, UnsafeMutableRawPointer(print))
    }
    guard !usable.isEmpty else {
      unsafe g_ptr_array_unref(prints)
      return false
    }
    unsafe self.prints = prints
    identifies = unsafe fp_device_has_feature(device, FP_DEVICE_FEATURE_IDENTIFY) != 0
    return true
  }

  override func opened(_ device: UnsafeMutablePointer<FpDevice>) {
    unsafe arm(device)
    report(.ready(only: identifies || usable.count == 1 ? nil : usable[0].finger))
  }

  override func waits() {
    // While it is being armed, the reader reports what it saw before.
    if !isArming { report(.waiting) }
  }

  override func ended(_ failure: ReaderError?) {
    if let prints = unsafe prints { unsafe g_ptr_array_unref(prints) }
    unsafe prints = nil
    if let failure, verdict != .noMatch {
      done(.failure(failure))
    } else {
      // A miss stays one where the driver then hangs.
      // No failure is given only where there is a verdict.
      done(verdict.map { .success($0) } ?? .failure(.cancelled))
    }
  }

  /// Has the reader look for a finger.
  ///
  /// What it reports before this call has returned it saw before it was armed: such a result is
  /// not an answer to this prompt, and is thrown away.
  private func arm(_ device: UnsafeMutablePointer<FpDevice>) {
    isArming = true
    cameEarly = false
    hasMissed = false
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    // "Should an error happen afterwards, then you will get a match report through this callback
    // and an error when the operation finishes." (FpMatchCb): a cancel is such an error.
    let seen: FpMatchCb = { _, match, _, data, error in
      guard unsafe error == nil, let data = unsafe data else { return }
      let session = unsafe Unmanaged<CheckSession>.fromOpaque(data).takeUnretainedValue()
      if session.isArming { session.cameEarly = true }
      session.hasMissed = unsafe match == nil
    }
    let finished: GAsyncReadyCallback = { _, result, data in
      guard let session = unsafe session(taking: data) as? CheckSession else { return }
      unsafe session.didScan(result)
    }
    if identifies {
      unsafe fp_device_identify(
        device,
        prints,
        cancellable,
        seen,
        data,
        nil,
        finished,
        retainedSelf()
      )
    } else {
      unsafe fp_device_verify(
        device,
        print(0),
        cancellable,
        seen,
        data,
        nil,
        finished,
        retainedSelf()
      )
    }
    isArming = false
  }

  private func didScan(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    let matched = unsafe matched(result, &error)
    if let objection {
      if let error = unsafe error { unsafe g_error_free(error) }
      guard objection == .cancelled, hasMissed, !cameEarly else { return close(objection) }
      verdict = .noMatch
      return close()
    }
    guard let device = unsafe device else { return }
    if let error = unsafe error {
      guard unsafe error.pointee.domain == fp_device_retry_quark() else {
        return close(unsafe ReaderError(consuming: error))
      }
      let hint = unsafe RetryHint(code: error.pointee.code)
      unsafe g_error_free(error)
      report(.retry(hint))
      return unsafe arm(device)
    }
    if cameEarly {
      report(.retry(.removeFinger))
      return unsafe arm(device)
    }
    verdict = matched.map { .matched(usable[$0].finger) } ?? .noMatch
    close()
  }

  /// The index of the print that matched.
  private func matched(
    _ result: OpaquePointer?,
    _ error: inout UnsafeMutablePointer<GError>?
  ) -> Int? {
    guard identifies else {
      // The verdict is this parameter; the return value says that there was a decision.
      var match: gboolean = 0
      let isDecided = unsafe fp_device_verify_finish(device, result, &match, nil, &error)
      return isDecided != 0 && match != 0 ? 0 : nil
    }
    var match: OpaquePointer?
    let isDecided = unsafe fp_device_identify_finish(device, result, &match, nil, &error)
    guard let match = unsafe match else { return nil }
    defer { unsafe release(match) }
    return isDecided == 0 ? nil : usable.indices.first { unsafe print($0) == match }
  }

  private func print(_ index: Int) -> OpaquePointer? {
    guard let entry = unsafe prints?.pointee.pdata[index] else { return nil }
    return OpaquePointer(entry)
  }
}
