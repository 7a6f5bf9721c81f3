internal import CCurl
internal import SecretMemory

/// The parts of an answer besides its body.
package struct HTTPHead: Sendable, Equatable {
  /// The status code, such as 200; a redirect is returned like any other answer.
  package let status: Int
  /// The length of the body in bytes.
  package let length: Int
  /// The media type of the body.
  package let contentType: String?
  /// The target of a redirect, which is not followed.
  package let location: String?
  /// The header fields as `Name: value`, in order, up to the limits.
  package let headers: [String]

  package static let maximumHeaders = 100
  /// The most bytes of all header fields.
  package static let maximumHeaderBytes = 16 * 1024
}

extension HTTPRequest {
  /// The most bytes of a streamed body.
  package static let maximumStream = 64 * 1024 * 1024

  /// Sends the request once, as `send` does, with bodies that are too long for locked memory.
  ///
  /// - Parameters:
  ///   - bytes: the bytes to send after the headers; `nil` sends no body. They must not change
  ///     during the call.
  ///   - output: a descriptor for the answer's body, written from its current position.
  /// - Throws: `.interrupted` from the moment when a byte may have been sent.
  /// - Returns: the other parts of the answer.
  package func send(
    body bytes: UnsafeRawBufferPointer?,
    to output: Int32
  ) throws(HTTPError) -> HTTPHead {
    let target = try check(mostBytes: Self.maximumStream)
    guard unsafe method != "HEAD" || bytes == nil else { throw .refused(.method) }
    var handle = try EasyHandle()
    try setRoute(on: handle, to: target)
    try setTrust(on: &handle, to: target)
    try setLimits(on: handle)
    // A server that stalls must not hold the caller until the end of the time limit.
    try handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
    try handle.set(CURLOPT_LOW_SPEED_TIME, 60)
    try setMessage(on: &handle)
    if let bytes = unsafe bytes {
      unsafe try handle.set(body: bytes)
      if method != "POST" { try handle.set(CURLOPT_CUSTOMREQUEST, method) }
    }
    let transfer = Transfer(output: output, limit: maximumBody, by: Route(self, to: target))
    let code = try handle.perform(transfer)
    guard code == CURLE_OK else {
      guard transfer.hasBegun else { throw HTTPError(beforeRequest: code, transfer, handle) }
      let reason = transfer.isTooLarge ? .tooLarge : HTTPError.Reason(afterRequest: code)
      throw .interrupted(reason, code: code.rawValue)
    }
    return HTTPHead(
      status: handle.status,
      length: transfer.count,
      contentType: handle.text(CURLINFO_CONTENT_TYPE),
      location: handle.text(CURLINFO_REDIRECT_URL),
      headers: handle.headers(most: HTTPHead.maximumHeaders, bytes: HTTPHead.maximumHeaderBytes)
    )
  }
}
