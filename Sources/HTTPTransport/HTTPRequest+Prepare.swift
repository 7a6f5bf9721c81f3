internal import System

extension HTTPRequest {
  /// Loads the kernel's tables and this room's types once, before the first request.
  ///
  /// The system's authorities are read in the background.
  package static func prepare() {
    // The port of discard (RFC 863), where no listener is expected.
    let address = LoopbackAddress([127, 0, 0, 1], port: 9)
    _ = address.flatMap { try? LoopbackServer(at: $0, for: []) }
    _ = SystemAuthorities.current(of: .system, inBackground: true)
  }
}
