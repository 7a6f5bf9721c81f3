internal import System

extension AsyncStream where Element: Sendable {
  /// Starts a thread that tells something until nothing reads it any more.
  ///
  /// - Parameters:
  ///   - policy: which elements are kept for the reader.
  ///   - failure: the only element if no thread can be started.
  ///   - body: runs on the thread. Its first argument is readable once nothing reads the stream.
  /// - Returns: what the thread tells.
  static func ofThread(
    keeping policy: Continuation.BufferingPolicy = .unbounded,
    orElse failure: (SystemError) -> Element,
    running body: @escaping @Sendable (_ interrupt: Int32, Continuation) -> Void
  ) -> AsyncStream {
    AsyncStream(bufferingPolicy: policy) { continuation in
      do throws(SystemError) {
        let wake = try SharedWake()
        continuation.onTermination = { _ in wake.event.signal() }
        try startThread {
          body(wake.event.descriptor.number, continuation)
          continuation.finish()
        }
      } catch {
        continuation.yield(failure(error))
        continuation.finish()
      }
    }
  }
}
