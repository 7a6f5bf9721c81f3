internal import CFprint
internal import Glibc
internal import SecretMemory

/// Takes a new print.
@safe
final class EnrollSession: ReaderSession, @unchecked Sendable {
  private let finger: Finger
  private let operation: ReaderOperation<StoredPrint>
  private let report: @Sendable (EnrollEvent) -> Void
  private var template: OpaquePointer?
  private var stages = 0
  private var enrolled: StoredPrint?

  init(
    _ drivers: AllowedDrivers,
    _ finger: Finger,
    milliseconds: Int,
    operation: ReaderOperation<StoredPrint>,
    report: @escaping @Sendable (EnrollEvent) -> Void
  ) {
    self.finger = finger
    self.operation = operation
    self.report = report
    super.init(drivers, milliseconds: milliseconds)
  }

  override func opened(_ device: UnsafeMutablePointer<FpDevice>) {
    stages = Int(unsafe fp_device_get_nr_enroll_stages(device))
    let print = unsafe fp_print_new(device)
    unsafe g_object_ref_sink(UnsafeMutableRawPointer(print))
    unsafe template = print
    unsafe fp_print_set_finger(print, FpFinger(UInt32(finger.rawValue)))
    if let date = unsafe g_date_new() {
      unsafe g_date_set_time_t(date, time(nil))
      unsafe fp_print_set_enroll_date(print, date)
      unsafe g_date_free(date)
    }
    let progress: FpEnrollProgress = { _, done, _, data, error in
      guard let data = unsafe data else { return }
      let session = unsafe Unmanaged<EnrollSession>.fromOpaque(data).takeUnretainedValue()
      unsafe session.didScan(Int(done), error)
    }
    let finished: GAsyncReadyCallback = { _, result, data in
      guard let session = unsafe session(taking: data) as? EnrollSession else { return }
      unsafe session.didEnroll(result)
    }
    let data = unsafe Unmanaged.passUnretained(self).toOpaque()
    report(.ready(stages: stages))
    unsafe fp_device_enroll(
      device,
      print,
      cancellable,
      progress,
      data,
      nil,
      finished,
      retainedSelf()
    )
  }

  override func waits() { report(.waiting) }

  override func ended(_ failure: ReaderError?) {
    unsafe release(template)
    unsafe template = nil
    if let failure {
      operation.finish(.failure(failure))
    } else {
      // No failure is given only where there is a print.
      operation.finish(enrolled.map { .success($0) } ?? .failure(.cancelled))
    }
  }

  private func didScan(_ done: Int, _ error: UnsafeMutablePointer<GError>?) {
    guard objection == nil else { return }
    restartLimit()
    if let error = unsafe error {
      // The error stays the library's.
      report(.retry(unsafe RetryHint(code: error.pointee.code)))
    } else {
      report(.stage(done, of: stages))
    }
  }

  private func didEnroll(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    let print = unsafe fp_device_enroll_finish(device, result, &error)
    defer { unsafe release(print) }
    if let objection {
      if let error = unsafe error { unsafe g_error_free(error) }
      return close(objection)
    }
    if let error = unsafe error { return close(unsafe ReaderError(consuming: error)) }
    guard let print = unsafe print else { return close(.cancelled) }
    do throws(ReaderError) {
      enrolled = unsafe try serialized(print)
    } catch {
      return close(error)
    }
    close()
  }

  private func serialized(_ print: OpaquePointer) throws(ReaderError) -> StoredPrint {
    var data: UnsafeMutablePointer<UInt8>?
    var count: gsize = 0
    var error: UnsafeMutablePointer<GError>?
    guard unsafe fp_print_serialize(print, &data, &count, &error) != 0, let data = unsafe data
    else {
      guard let error = unsafe error else { throw .unsupported }
      throw unsafe ReaderError(consuming: error)
    }
    defer {
      unsafe explicit_bzero(data, Int(count))
      unsafe g_free(data)
    }
    do {
      let buffer = unsafe UnsafeRawBufferPointer(start: data, count: Int(count))
      guard buffer.count <= StoredPrint.maximumCount else { throw PrintFlaw.tooLong }
      let secret = SharedSecret(unsafe try SecretBytes(copying: buffer))
      return try StoredPrint(secret, finger: finger)
    } catch let flaw as PrintFlaw {
      throw .badPrint(flaw)
    } catch let error as SecretMemoryError {
      throw .memory(error)
    } catch {
      throw .unsupported
    }
  }
}
