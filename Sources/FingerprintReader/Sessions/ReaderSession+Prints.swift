internal import CFprint
internal import Glibc
internal import SecretMemory

// The prints that a reader stores or has scanned.
extension ReaderSession {
  /// Makes the reader delete a print that it stores, and releases the object.
  ///
  /// `next` gets `nil` if the reader no longer has the print. The deletion is not cancellable: the
  /// next touch would match a print that stays.
  func delete(_ print: OpaquePointer, then next: @escaping (ReaderError?) -> Void) {
    guard let device = unsafe device, hasFeature(FP_DEVICE_FEATURE_STORAGE_DELETE) else {
      unsafe release(print)
      return next(.unsupported)
    }
    let call = unsafe DeletionCall(session: self, print: print, next: next)
    unsafe fp_device_delete_print(
      device,
      print,
      nil,
      { _, result, data in
        guard let data = unsafe data else { return }
        unsafe Unmanaged<DeletionCall>.fromOpaque(data).takeRetainedValue().finish(result)
      },
      Unmanaged.passRetained(call).toOpaque()
    )
  }

  /// A print as bytes (fp_print_serialize).
  func serialized(_ print: OpaquePointer) throws(ReaderError) -> StoredPrint {
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
      let number = unsafe UInt8(clamping: fp_print_get_finger(print).rawValue)
      guard let finger = Finger(rawValue: number)
      else { throw PrintFlaw.badValue }
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

@safe
private final class DeletionCall {
  private let session: ReaderSession
  private let print: OpaquePointer
  private let next: (ReaderError?) -> Void

  init(session: ReaderSession, print: OpaquePointer, next: @escaping (ReaderError?) -> Void) {
    self.session = session
    unsafe self.print = print
    self.next = next
  }

  func finish(_ result: OpaquePointer?) {
    var error: UnsafeMutablePointer<GError>?
    _ = unsafe fp_device_delete_print_finish(session.device, result, &error)
    unsafe release(print)
    guard let error = unsafe error else { return next(nil) }
    switch unsafe session.cause(consuming: error) {
    // FP_DEVICE_ERROR_DATA_NOT_FOUND: the print was not there.
    case .notEnrolled: next(nil)
    case let failure: next(failure)
    }
  }
}
