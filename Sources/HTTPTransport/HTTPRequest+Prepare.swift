internal import CCurl
internal import System

extension HTTPRequest {
  /// Initializes libcurl and OpenSSL, which every request needs.
  package static func initializeLibrary() {
    _ = EasyHandle.isReady
  }

  /// Makes libraries and types ready before the first request.
  ///
  /// The system's authorities are read in the background. No byte leaves this process.
  package static func prepare() {
    // The port of discard (RFC 863), where no listener is expected.
    let address = LoopbackAddress([127, 0, 0, 1], port: 9)
    _ = address.flatMap { try? LoopbackServer(at: $0, for: []) }
    // libcurl 7.88 would connect even a connected socket, so OpenSSL begins this handshake without
    // it.
    _ = ccurl_begin_handshake()
    // This comes last, because contention for OpenSSL's locks would make both slower.
    _ = SystemAuthorities.current(of: .system, inBackground: true)
  }
}
