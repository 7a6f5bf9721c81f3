internal import CCurl
internal import Glibc

/// Remembers whether a socket that libcurl has closed was connected.
@safe
final class ClosedSockets {
  private(set) var hadConnection = false

  /// CURLOPT_CLOSESOCKETFUNCTION(3): closes the socket.
  static let closes: ccurl_close_function = { context, socket in
    if let context = unsafe context, ccurl_is_connected(socket) {
      unsafe Unmanaged<ClosedSockets>.fromOpaque(context).takeUnretainedValue().hadConnection = true
    }
    return close(socket)
  }
}
