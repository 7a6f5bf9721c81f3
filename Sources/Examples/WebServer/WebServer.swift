internal import CMicroHTTPD
internal import Glibc
internal import Synchronization

/// A web server for the browsers of this machine, only on 127.0.0.1 (libmicrohttpd).
package final class WebServer: Sendable {
  /// Why the server could not start.
  package struct Failure: Error, CustomStringConvertible {
    /// The text for a person.
    package let description: String
  }

  private static let mostConnections: UInt32 = 64
  /// The timeout of a connection without traffic, in seconds.
  private static let timeout: UInt32 = 300
  /// The most bytes of a connection's headers.
  private static let headerLimit = 32 * 1024

  package let port: UInt16

  /// Listens on a port, or on any free one if it is 0, and answers with `handler`.
  package init(
    port: UInt16 = 0,
    _ handler: @escaping @Sendable (WebRequest) async -> WebResponse
  ) throws(Failure) {
    // It serves until the process ends, so libmicrohttpd's callbacks keep this reference.
    let context = unsafe Unmanaged.passRetained(ServerContext(handler))
    guard
      let started = unsafe cmicrohttpd_start(
        port,
        Self.mostConnections,
        Self.timeout,
        Self.headerLimit,
        answer,
        context.toOpaque(),
        completed
      )
    else {
      unsafe context.release()
      throw Failure(description: "cannot listen on 127.0.0.1:\(port)")
    }
    self.port = unsafe cmicrohttpd_port(started)
  }
}

/// The context of the callbacks.
final class ServerContext: Sendable {
  let handler: @Sendable (WebRequest) async -> WebResponse

  init(_ handler: @escaping @Sendable (WebRequest) async -> WebResponse) {
    self.handler = handler
  }
}

/// One request, from its first line to its answer.
private final class Exchange: Sendable {
  /// The most bytes of a body.
  static let bodyLimit = 64 * 1024

  struct Content: Sendable {
    var body: [UInt8] = []
    var isTooLong = false
    var isAsked = false
    var response: WebResponse?
  }

  let content = Mutex(Content())
}

/// Carries a connection to the task that resumes it.
@safe
private struct Suspended: @unchecked Sendable {
  let connection: OpaquePointer
}

/// Called by libmicrohttpd at the start of a request, for each part of its body, at its end, and
/// again after a resume (MHD_AccessHandlerCallback).
private func answer(
  _ context: UnsafeMutableRawPointer?,
  _ connection: OpaquePointer?,
  _ url: UnsafePointer<CChar>?,
  _ method: UnsafePointer<CChar>?,
  _ version: UnsafePointer<CChar>?,
  _ upload: UnsafePointer<CChar>?,
  _ uploadCount: UnsafeMutablePointer<Int>?,
  _ pointer: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context = unsafe context, let connection = unsafe connection,
    let pointer = unsafe pointer,
    let uploadCount = unsafe uploadCount
  else { return .NO }
  guard let found = unsafe pointer.pointee else {
    unsafe pointer.pointee = Unmanaged.passRetained(Exchange()).toOpaque()
    return .YES
  }
  let exchange = unsafe Unmanaged<Exchange>.fromOpaque(found).takeUnretainedValue()
  if unsafe uploadCount.pointee > 0 {
    let part = unsafe UnsafeRawBufferPointer(start: upload, count: uploadCount.pointee)
    exchange.content.withLock { content in
      if content.body.count + part.count > Exchange.bodyLimit {
        content.isTooLong = true
      } else {
        unsafe content.body.append(contentsOf: part)
      }
    }
    unsafe uploadCount.pointee = 0
    return .YES
  }
  if let response = exchange.content.withLock({ $0.response }) {
    return unsafe queue(response, on: connection)
  }
  guard let body = exchange.content.withLock({ $0.isTooLong ? nil : $0.body }) else {
    return unsafe queue(WebResponse(status: 413), on: connection)
  }
  guard
    exchange.content.withLock({ content in
      defer { content.isAsked = true }
      return !content.isAsked
    })
  else { return .YES }
  let server = unsafe Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
  let request = unsafe WebRequest(
    method: text(method),
    path: text(url),
    query: query(of: connection),
    headers: headers(of: connection),
    body: body
  )
  unsafe MHD_suspend_connection(connection)
  let suspended = unsafe Suspended(connection: connection)
  Task {
    let response = await server.handler(request)
    exchange.content.withLock { $0.response = response }
    unsafe MHD_resume_connection(suspended.connection)
  }
  return .YES
}

/// Called at the end of a request, answered or not (MHD_RequestCompletedCallback).
private func completed(
  _ context: UnsafeMutableRawPointer?,
  _ connection: OpaquePointer?,
  _ pointer: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
  _ code: MHD_RequestTerminationCode
) {
  guard let pointer = unsafe pointer, let found = unsafe pointer.pointee else { return }
  unsafe Unmanaged<Exchange>.fromOpaque(found).release()
  unsafe pointer.pointee = nil
}

private func queue(_ response: WebResponse, on connection: OpaquePointer) -> MHD_Result {
  let stream = response.rest.map { AnswerStream(response.body, rest: $0) }
  let made = unsafe stream.map { unsafe $0.response(on: connection) } ?? whole(response)
  guard let made = unsafe made else { return .NO }
  defer { unsafe MHD_destroy_response(made) }
  for (name, value) in response.headers {
    _ = unsafe MHD_add_response_header(made, name, value)
  }
  stream?.begin()
  return unsafe MHD_queue_response(connection, UInt32(clamping: response.status), made)
}

private func whole(_ response: WebResponse) -> OpaquePointer? {
  unsafe response.body.withUnsafeBytes { body in
    unsafe MHD_create_response_from_buffer(
      body.count,
      UnsafeMutableRawPointer(mutating: body.baseAddress),
      .RESPMEM_MUST_COPY
    )
  }
}

private func text(_ pointer: UnsafePointer<CChar>?) -> String {
  guard let pointer = unsafe pointer else { return "" }
  return unsafe String(cString: pointer)
}

private func headers(of connection: OpaquePointer) -> [String: String] {
  var found: [String: String] = [:]
  unsafe withUnsafeMutablePointer(to: &found) { pointer in
    _ = unsafe MHD_get_connection_values(
      connection,
      .HEADER_KIND,
      { pointer, _, name, value in
        guard let pointer = unsafe pointer else { return .NO }
        let found = unsafe pointer.assumingMemoryBound(to: [String: String].self)
        let written = unsafe text(name)
        guard written.utf8.count <= WebForm.longestName else { return .YES }
        let name = written.lowercased()
        if unsafe found.pointee[name] == nil { unsafe found.pointee[name] = text(value) }
        return .YES
      },
      pointer
    )
  }
  return found
}

/// The query, reassembled from the parts that libmicrohttpd parsed.
private func query(of connection: OpaquePointer) -> String {
  var parts: [String] = []
  unsafe withUnsafeMutablePointer(to: &parts) { pointer in
    _ = unsafe MHD_get_connection_values(
      connection,
      .GET_ARGUMENT_KIND,
      { pointer, _, name, value in
        guard let pointer = unsafe pointer else { return .NO }
        let parts = unsafe pointer.assumingMemoryBound(to: [String].self)
        unsafe parts.pointee.append("\(encoded(text(name)))=\(encoded(text(value)))")
        return .YES
      },
      pointer
    )
  }
  return parts.joined(separator: "&")
}

private func encoded(_ text: String) -> String {
  var encoded = ""
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      encoded.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      let digits = String(byte, radix: 16, uppercase: true)
      encoded += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
    }
  }
  return encoded
}
