internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// An answer whose last part comes later; the connection is suspended until then.
final class AnswerStream: Sendable {
  @safe
  private struct Content: @unchecked Sendable {
    var bytes: [UInt8]
    var isWhole = false
    /// The suspended connection.
    var suspended: OpaquePointer?
  }

  private let content: Mutex<Content>
  private let rest: @Sendable () async -> [UInt8]

  init(_ bytes: [UInt8], rest: @escaping @Sendable () async -> [UInt8]) {
    content = unsafe Mutex(Content(bytes: bytes))
    self.rest = rest
  }

  func response(on connection: OpaquePointer) -> OpaquePointer? {
    let reader = unsafe AnswerReader(self, connection)
    return unsafe MHD_create_response_from_callback(
      UInt64.max,
      4096,
      readAnswer,
      unsafe Unmanaged.passRetained(reader).toOpaque(),
      releaseAnswer
    )
  }

  /// Starts to wait for the rest.
  func begin() {
    Task {
      let bytes = await rest()
      let suspended = content.withLock { content in
        content.bytes += bytes
        content.isWhole = true
        defer { unsafe content.suspended = nil }
        return unsafe Suspended(connection: content.suspended)
      }
      if let connection = unsafe suspended.connection { unsafe MHD_resume_connection(connection) }
    }
  }

  /// Carries a connection out of the lock.
  @safe
  private struct Suspended: @unchecked Sendable {
    let connection: OpaquePointer?
  }

  /// The next bytes from `position`.
  ///
  /// 0 means that no bytes are available and the connection was suspended. -1 means the end.
  fileprivate func read(
    from position: Int,
    into buffer: UnsafeMutableRawBufferPointer,
    _ connection: OpaquePointer
  ) -> Int {
    let reader = unsafe Suspended(connection: connection)
    let output = unsafe Output(buffer: buffer)
    return content.withLock { content in
      let next = content.bytes.dropFirst(position).prefix(unsafe output.buffer.count)
      guard next.isEmpty else {
        unsafe output.buffer.copyBytes(from: next)
        return next.count
      }
      // MHD_CONTENT_READER_END_OF_STREAM, which is a cast in C.
      if content.isWhole { return -1 }
      // Suspend inside the lock, so that the rest cannot arrive before the connection is recorded.
      unsafe content.suspended = reader.connection
      if let connection = unsafe reader.connection { unsafe MHD_suspend_connection(connection) }
      return 0
    }
  }

  /// Carries a buffer into the lock.
  @safe
  private struct Output: @unchecked Sendable {
    let buffer: UnsafeMutableRawBufferPointer
  }
}

@safe
private final class AnswerReader {
  let stream: AnswerStream
  let connection: OpaquePointer

  init(_ stream: AnswerStream, _ connection: OpaquePointer) {
    self.stream = stream
    unsafe self.connection = connection
  }
}

/// Called by libmicrohttpd for the next bytes (MHD_ContentReaderCallback).
private func readAnswer(
  _ context: UnsafeMutableRawPointer?,
  _ position: UInt64,
  _ buffer: UnsafeMutablePointer<CChar>?,
  _ size: Int
) -> Int {
  guard let context = unsafe context, let buffer = unsafe buffer else { return -1 }
  let reader = unsafe Unmanaged<AnswerReader>.fromOpaque(context).takeUnretainedValue()
  return unsafe reader.stream.read(
    from: Int(clamping: position),
    into: UnsafeMutableRawBufferPointer(start: buffer, count: size),
    reader.connection
  )
}

/// Called by libmicrohttpd after the last read (MHD_ContentReaderFreeCallback).
private func releaseAnswer(_ context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  unsafe Unmanaged<AnswerReader>.fromOpaque(context).release()
}
