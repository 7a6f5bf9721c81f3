internal import CCurl
internal import Glibc
internal import System

/// Receives the answer of a running request.
///
/// The body goes straight into locked memory or a file, within its limit.
@safe
final class Transfer {
  /// The most bytes of all header lines together.
  private static let maximumHeaders = 64 * 1024

  private let room: UnsafeMutableRawBufferPointer
  /// The descriptor for the body instead of `room`; -1 if there is none.
  private let output: Int32
  private let limit: Int
  private(set) var count = 0
  private var headerCount = 0
  /// Whether more bytes came than there was room for.
  private(set) var isTooLarge = false
  /// Whether libcurl was about to send the request's first byte.
  private(set) var hasBegun = false
  /// Called once before that byte; if it returns false, nothing is sent.
  var begins: () -> Bool = { true }
  private let route: Route
  /// Why an address was not used.
  var obstacle: Route.Obstacle? { route.obstacle }

  init(room: UnsafeMutableRawBufferPointer, by route: Route) {
    unsafe self.room = room
    self.route = route
    output = -1
    limit = room.count
  }

  /// Writes the body to a descriptor, at most `limit` bytes of it.
  init(output: Int32, limit: Int, by route: Route) {
    self.route = route
    unsafe room = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    self.output = output
    self.limit = limit
  }

  /// CURLOPT_WRITEFUNCTION(3): a return value other than the received count ends the transfer.
  ///
  /// The limit is checked here because CURLOPT_MAXFILESIZE(3) does not know the length of a chunked
  /// body.
  static let takeBody: ccurl_data_function = { bytes, size, count, context in
    guard let context = unsafe context else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    let (total, overflow) = size.multipliedReportingOverflow(by: count)
    guard !overflow, total <= transfer.limit - transfer.count else {
      transfer.isTooLarge = true
      return 0
    }
    guard total > 0, let bytes = unsafe bytes else { return total }
    if transfer.output >= 0 {
      guard unsafe transfer.put(bytes, total) else { return 0 }
    } else {
      guard let base = unsafe transfer.room.baseAddress else { return total }
      unsafe (base + transfer.count).copyMemory(from: bytes, byteCount: total)
    }
    transfer.count += total
    return total
  }

  /// Writes bytes to the descriptor (write(2)); false on failure.
  private func put(_ bytes: UnsafeRawPointer, _ total: Int) -> Bool {
    var done = 0
    while done < total {
      let wrote = unsafe write(output, bytes + done, total - done)
      if wrote > 0 {
        done += wrote
      } else if wrote == 0 || errno != EINTR {
        return false
      }
    }
    return true
  }

  /// CURLOPT_HEADERFUNCTION(3): counts the header lines and leaves the rest to libcurl.
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

  /// CURLOPT_OPENSOCKETFUNCTION(3): the last check of an address before the connection.
  ///
  /// Names are resolved by then. So this also sees a name that changes its address, a number in
  /// another spelling, and the address of a proxy.
  static let opensSocket: ccurl_open_function = { context, _, address in
    guard let context = unsafe context, let address = unsafe address else { return -1 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    var bytes = [UInt8](repeating: 0, count: 16)
    var port: UInt16 = 0
    let count = unsafe ccurl_address_bytes(address, &bytes, &port)
    guard
      transfer.route.admits(
        bytes.prefix(count),
        port: port,
        isOwn: unsafe ccurl_is_own(address)
      )
    else { return -1 }
    return unsafe ccurl_socket(address)
  }

  /// CURLOPT_PREREQFUNCTION(3): called when tunnel and handshake are complete.
  ///
  /// Until then no byte of the request has been sent: this separates "not sent" from "interrupted".
  static let requestBegins: ccurl_before_function = { context, peer, own, peerPort, ownPort in
    guard let context = unsafe context else { return Int32(CURL_PREREQFUNC_ABORT) }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    guard let there = unsafe address(peer, peerPort), let here = unsafe address(own, ownPort),
      transfer.route.admits(there, from: here), transfer.begins()
    else { return Int32(CURL_PREREQFUNC_ABORT) }
    transfer.hasBegun = true
    return Int32(CURL_PREREQFUNC_OK)
  }

  private static func address(
    _ text: UnsafeMutablePointer<CChar>?,
    _ port: Int32
  ) -> LoopbackAddress? {
    guard let text = unsafe text, let port = UInt16(exactly: port) else { return nil }
    return LoopbackAddress(unsafe String(cString: text), port: port)
  }
}
