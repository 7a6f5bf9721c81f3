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
    try? HTTPRequest(method: "GET", url: "https://127.0.0.1:9/").beginHandshakeNowhere()
    // Last, because OpenSSL's locks would make both slower.
    _ = SystemAuthorities.current(of: .system, inBackground: true)
  }

  /// Makes what a handshake begins with: the context of TLS and a key.
  private func beginHandshakeNowhere() throws(HTTPError) {
    let target = try check()
    var handle = try EasyHandle()
    try setRoute(on: handle, to: target)
    // The handshake does not get as far as a certificate, so no authority need be read.
    try handle.set(CURLOPT_CAINFO, nil)
    try handle.set(CURLOPT_CAPATH, nil)
    try setLimits(on: handle)
    try setMessage(on: &handle)
    try handle.beginHandshakeNowhere()
  }
}
