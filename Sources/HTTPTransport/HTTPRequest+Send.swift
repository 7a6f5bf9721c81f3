internal import CCurl
internal import SecretMemory

// Sends a request with a body in locked memory.
extension HTTPRequest {
  /// The user agent of every request; without a version, so that no server can depend on one.
  private static let userAgent = "Thumblatch"

  /// Sends the request once over its own connection, and waits for the complete answer.
  ///
  /// Nothing is ever sent twice: no redirect, no retry, no second protocol version.
  ///
  /// - Parameter begins: called just before the first byte of the request is sent, and only then;
  ///   if it returns false, nothing is sent.
  /// - Returns: the complete answer, of any status.
  /// - Throws: `.interrupted` from the moment when a byte may have been sent.
  package func send(_ begins: @escaping () -> Bool = { true }) throws(HTTPError) -> HTTPAnswer {
    let target = try check()
    var handle = try EasyHandle()
    try setRoute(on: handle, to: target)
    try setTrust(on: &handle, to: target)
    try setLimits(on: handle)
    try setMessage(on: &handle)
    var outcome: (status: Int, retryAfter: Int?) = (0, nil)
    let answer: SecretBytes
    do {
      answer = unsafe try SecretBytes(capacity: maximumBody) { room throws in
        let (status, retryAfter, count) = unsafe try run(handle, to: target, room, begins)
        outcome = (status, retryAfter)
        return count
      }
    } catch let error as HTTPError {
      throw error
    } catch {
      throw .refused(.memory)
    }
    return HTTPAnswer(
      status: outcome.status,
      retryAfter: outcome.retryAfter,
      location: handle.text(CURLINFO_REDIRECT_URL),
      body: answer
    )
  }

  private func run(
    _ handle: borrowing EasyHandle,
    to target: Target,
    _ room: UnsafeMutableRawBufferPointer,
    _ begins: @escaping () -> Bool
  ) throws(HTTPError) -> (status: Int, retryAfter: Int?, count: Int) {
    let transfer = unsafe Transfer(room: room, by: Route(self, to: target))
    transfer.begins = begins
    let line = try credentials.map { secret throws(HTTPError) in
      SharedSecret(try Self.authorization(secret.bytes))
    }
    let code: CURLcode
    if let body {
      code = unsafe try body.bytes.withUnsafeBytes { bytes throws(HTTPError) in
        unsafe try handle.set(body: bytes)
        if method != "POST" { try handle.set(CURLOPT_CUSTOMREQUEST, method) }
        return try handle.perform(transfer, with: line)
      }
    } else {
      code = try handle.perform(transfer, with: line)
    }
    guard code == CURLE_OK else {
      guard transfer.hasBegun else { throw HTTPError(beforeRequest: code, transfer, handle) }
      let reason = transfer.isTooLarge ? .tooLarge : HTTPError.Reason(afterRequest: code)
      throw .interrupted(reason, code: code.rawValue)
    }
    let wait = min(handle.retryAfter, Int64(HTTPAnswer.maximumRetryAfter))
    return (handle.status, wait > 0 ? Int(wait) : nil, transfer.count)
  }

  /// The line of the header, with the terminating NUL for libcurl.
  private static func authorization(
    _ value: borrowing SecretBytes
  ) throws(HTTPError) -> SecretBytes {
    let name = Array("Authorization: ".utf8)
    do throws(SecretMemoryError) {
      return unsafe try SecretBytes(capacity: name.count + value.count + 1) { room in
        unsafe room.copyBytes(from: name)
        unsafe value.withUnsafeBytes { bytes in
          unsafe UnsafeMutableRawBufferPointer(rebasing: room[name.count...])
            .copyMemory(from: bytes)
        }
        unsafe room[name.count + value.count] = 0
        return name.count + value.count + 1
      }
    } catch {
      throw .refused(.memory)
    }
  }

  func setRoute(on handle: borrowing EasyHandle, to target: Target) throws(HTTPError) {
    try handle.set(CURLOPT_URL, url)
    try handle.set(CURLOPT_PATH_AS_IS, 1)
    try handle.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try handle.set(CURLOPT_PROTOCOLS_STR, target.scheme)
    // A token that follows a redirect would reach another server.
    try handle.set(CURLOPT_FOLLOWLOCATION, 0)
    // CURLOPT_PROXY(3): "Setting the proxy string to "" (an empty string) will explicitly disable
    // the use of a proxy, even if there is an environment variable set for it."
    try handle.set(CURLOPT_PROXY, target.isLoopback ? "" : proxy ?? "")
    try handle.set(CURLOPT_NOPROXY, "")
    try handle.set(CURLOPT_HTTPPROXYTUNNEL, 1)
    try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // On a reused connection, libcurl sends a request again if it finds the connection closed.
    try handle.set(CURLOPT_FRESH_CONNECT, 1)
    try handle.set(CURLOPT_FORBID_REUSE, 1)
    try handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
  }

  func setTrust(on handle: inout EasyHandle, to target: Target) throws(HTTPError) {
    try handle.set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
    try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
    try handle.set(CURLOPT_SSL_SESSIONID_CACHE, 0)
    if let authorities {
      try handle.set(CURLOPT_CAINFO_BLOB, contents: authorities)
      // The system's directory is a separate default, and would be trusted in addition to the blob.
      try handle.set(CURLOPT_CAINFO, nil)
      try handle.set(CURLOPT_CAPATH, nil)
    } else if target.scheme == "https",
      let known = SystemAuthorities.current(of: systemAuthorities)
    {
      try handle.trust(known)
    }
    if !pins.isEmpty { try handle.set(CURLOPT_PINNEDPUBLICKEY, pins.joined(separator: ";")) }
  }

  func setLimits(on handle: borrowing EasyHandle) throws(HTTPError) {
    // SIGALRM would interrupt a name resolution, and the programs use it themselves.
    try handle.set(CURLOPT_NOSIGNAL, 1)
    try handle.set(CURLOPT_TIMEOUT_MS, timeout)
    try handle.set(CURLOPT_CONNECTTIMEOUT_MS, min(timeout, connectTimeout))
    // Otherwise a hanging resolver would delay the end of the request beyond its limit.
    try handle.set(CURLOPT_QUICK_EXIT, 1)
    try handle.set(CURLOPT_HTTP09_ALLOWED, 0)
  }

  func setMessage(on handle: inout EasyHandle) throws(HTTPError) {
    let names = Set(headers.map { Self.name(of: $0) })
    // curl_easy_setopt(3) CURLOPT_HTTPHEADER: "Name:" removes one of libcurl's own headers, and
    // "Name;" sends a header without a value.
    var lines = headers.map { header in
      let end = header.firstIndex(of: ":") ?? header.endIndex
      let isEmpty = header[end...].dropFirst().allSatisfy { $0 == " " }
      return isEmpty ? header[..<end] + ";" : header[...]
    }
    lines += ["Accept", "Content-Type", "Expect"].filter { !names.contains($0.lowercased()) }
      .map { $0 + ":" }
    try handle.set(headers: lines.map { String($0) })
    try handle.set(CURLOPT_USERAGENT, Self.userAgent)
    switch method {
    case "POST": unsafe try handle.set(body: UnsafeRawBufferPointer(start: nil, count: 0))
    case "GET": try handle.set(CURLOPT_HTTPGET, 1)
    case "HEAD": try handle.set(CURLOPT_NOBODY, 1)
    default: try handle.set(CURLOPT_CUSTOMREQUEST, method)
    }
  }
}
