internal import GTK
internal import System

extension AsyncStream where Element: Sendable {
  /// Starts a thread that tells something until nothing reads it any more.
  ///
  /// If no thread can be started now, it is started as soon as it can be.
  ///
  /// - Parameters:
  ///   - policy: which elements are kept for the reader.
  ///   - failure: the element at each try that fails.
  ///   - body: runs on the thread. Its first argument is readable once nothing reads the stream.
  /// - Returns: what the thread tells.
  @MainActor
  static func ofThread(
    keeping policy: Continuation.BufferingPolicy = .unbounded,
    orElse failure: @escaping @MainActor (SystemError) -> Element,
    running body: @escaping @Sendable (_ interrupt: Int32, Continuation) -> Void
  ) -> AsyncStream {
    let (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: policy)
    start(continuation, orElse: failure, running: body, RetryPause())
    return stream
  }

  @MainActor
  private static func start(
    _ continuation: Continuation,
    orElse failure: @escaping @MainActor (SystemError) -> Element,
    running body: @escaping @Sendable (_ interrupt: Int32, Continuation) -> Void,
    _ pause: RetryPause
  ) {
    do throws(SystemError) {
      let wake = try SharedWake()
      continuation.onTermination = { _ in wake.event.signal() }
      try startThread {
        body(wake.event.descriptor.number, continuation)
        continuation.finish()
      }
    } catch {
      if case .terminated = continuation.yield(failure(error)) { return }
      var next = pause
      let seconds = next.next()
      // The delay holds itself.
      _ = Delay(seconds: Int(seconds)) { [next] in
        start(continuation, orElse: failure, running: body, next)
      }
    }
  }
}
