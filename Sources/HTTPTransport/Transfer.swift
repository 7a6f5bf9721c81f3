internal import CCurl

/// What arrives while a request runs: the body, straight into locked memory, within its limit.
@safe
final class Transfer {
  /// The most bytes of all header lines together.
  private static let maximumHeaders = 64 * 1024

  private let room: UnsafeMutableRawBufferPointer
  private(set) var count = 0
  private var headerCount = 0
  /// Whether more came than there was room for.
  private(set) var isTooLarge = false
  /// Whether libcurl was about to send the request's first byte.
  private(set) var hasBegun = false

  init(room: UnsafeMutableRawBufferPointer) {
    unsafe self.room = room
  }

  /// CURLOPT_WRITEFUNCTION(3): any number but the one it got ends the transfer.
  ///
  /// The limit stands here because CURLOPT_MAXFILESIZE(3) does not see how long a chunked body is.
  static let takeBody: ccurl_data_function = { bytes, size, count, context in
    guard let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let (total, overflow) = size.multipliedReportingOverflow(by: count)
    guard !overflow, unsafe total <= transfer.room.count - transfer.count else {
      transfer.isTooLarge = true
      return 0
    }
    guard total > 0, let bytes = unsafe bytes, let base = unsafe transfer.room.baseAddress else {
      return total
    }
    unsafe (base + transfer.count).copyMemory(from: bytes, byteCount: total)
    transfer.count += total
    return total
  }

  /// CURLOPT_HEADERFUNCTION(3): header lines are counted and otherwise left to libcurl.
  static let takeHeader: ccurl_data_function = { _, size, count, context in
    guard let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let (total, overflow) = size.multipliedReportingOverflow(by: count)
    guard !overflow, total <= maximumHeaders - transfer.headerCount else {
      transfer.isTooLarge = true
      return 0
    }
    transfer.headerCount += total
    return total
  }

  /// CURLOPT_PREREQFUNCTION(3): called when tunnel and handshake are done.
  ///
  /// Until then no byte of the request has been sent: the line between "not sent" and "interrupted".
  static let requestBegins: ccurl_before_function = { context, _, _, _, _ in
    guard let context = unsafe context else { return Int32(CURL_PREREQFUNC_ABORT) }
    unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().hasBegun = true
    return Int32(CURL_PREREQFUNC_OK)
  }
}
