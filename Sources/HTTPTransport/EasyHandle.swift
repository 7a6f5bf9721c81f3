internal import CCurl
internal import Glibc
internal import SecretMemory

/// libcurl's state for one request, freed with its owner.
@safe
struct EasyHandle: ~Copyable {
  private let handle: UnsafeMutableRawPointer
  private var list: UnsafeMutablePointer<curl_slist>?
  private let sockets = ClosedSockets()
  private var authorities: SystemAuthorities?

  /// Whether libcurl is initialized, which happens once in this process, with memory that is wiped.
  ///
  /// Check this before any use of libcurl: earlier allocations use other memory, and freeing them
  /// later would wipe adjacent memory.
  static let isReady: Bool = {
    // At initialization libcurl opens the file that this variable names. It writes each
    // connection's keys into the file, which decrypt a recording of the connection.
    _ = unsafe unsetenv("SSLKEYLOGFILE")
    return ccurl_global_init() == CURLE_OK
  }()

  init() throws(HTTPError) {
    guard Self.isReady, let made = unsafe curl_easy_init() else { throw .refused(.memory) }
    unsafe handle = made
    unsafe list = nil
  }

  deinit {
    withExtendedLifetime((sockets, authorities)) { unsafe curl_easy_cleanup(handle) }
    // CURLOPT_HTTPHEADER(3): the list must live until the transfer has ended.
    unsafe curl_slist_free_all(list)
  }

  func set(_ option: CURLoption, _ value: Int) throws(HTTPError) {
    try Self.check(unsafe ccurl_set_long(handle, option, value))
  }

  /// Sets text; `nil` removes the library's default.
  func set(_ option: CURLoption, _ value: String?) throws(HTTPError) {
    guard let value else { return try Self.check(unsafe ccurl_set_string(handle, option, nil)) }
    guard !value.utf8.contains(0) else { throw .refused(.url) }
    try Self.check(unsafe ccurl_set_string(handle, option, value))
  }

  func set(_ option: CURLoption, contents: String) throws(HTTPError) {
    var text = contents
    let code = text.withUTF8 {
      unsafe ccurl_set_blob(handle, option, $0.baseAddress, $0.count)
    }
    try Self.check(code)
  }

  mutating func set(headers: [String]) throws(HTTPError) {
    for header in headers {
      guard let longer = unsafe curl_slist_append(list, header) else { throw .refused(.memory) }
      unsafe list = longer
    }
    try Self.check(unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, list))
  }

  /// Trusts these authorities and no others, for a server and for a proxy.
  mutating func trust(_ authorities: SystemAuthorities) throws(HTTPError) {
    self.authorities = authorities
    // libcurl would read its own defaults too.
    try set(CURLOPT_CAINFO, nil)
    try set(CURLOPT_CAPATH, nil)
    try set(CURLOPT_PROXY_CAINFO, nil)
    try set(CURLOPT_PROXY_CAPATH, nil)
    let context = unsafe Unmanaged.passUnretained(authorities).toOpaque()
    try Self.check(unsafe ccurl_set_context(handle, SystemAuthorities.setsStore, context))
  }

  /// Sets the body; `bytes` must live until `perform` has returned.
  func set(body bytes: UnsafeRawBufferPointer) throws(HTTPError) {
    try Self.check(unsafe ccurl_set_body(handle, bytes.baseAddress, bytes.count))
  }

  /// Runs the request (curl_easy_perform(3)); `transfer` receives the answer.
  func perform(_ transfer: Transfer) throws(HTTPError) -> CURLcode {
    let context = unsafe Unmanaged.passUnretained(transfer).toOpaque()
    try Self.check(unsafe ccurl_set_write(handle, Transfer.takeBody, context))
    try Self.check(unsafe ccurl_set_header(handle, Transfer.takeHeader, context))
    try Self.check(unsafe ccurl_set_before_request(handle, Transfer.requestBegins, context))
    try Self.check(unsafe ccurl_set_open(handle, Transfer.opensSocket, context))
    let sockets = unsafe Unmanaged.passUnretained(sockets).toOpaque()
    try Self.check(unsafe ccurl_set_close(handle, ClosedSockets.closes, sockets))
    return withExtendedLifetime(transfer) { unsafe curl_easy_perform(handle) }
  }

  /// Runs the request with one more header: a line that ends with NUL and keeps its address.
  ///
  /// curl_slist_append(3) "copies the string" into memory that is not locked. So the line is the
  /// first node of a list that is made here, before the nodes from libcurl.
  func perform(_ transfer: Transfer, with line: SharedSecret?) throws(HTTPError) -> CURLcode {
    guard let line else { return try perform(transfer) }
    return try unsafe line.bytes.withUnsafeBytes { bytes throws(HTTPError) in
      let text = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      var node = unsafe curl_slist(data: text?.assumingMemoryBound(to: CChar.self), next: list)
      let result = unsafe withUnsafeMutablePointer(to: &node) { first in
        Result { () throws(HTTPError) in
          try Self.check(unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, first))
          defer { _ = unsafe ccurl_set_list(handle, CURLOPT_HTTPHEADER, list) }
          return try perform(transfer)
        }
      }
      return try result.get()
    }
  }

  /// The status code of the last answer (CURLINFO_RESPONSE_CODE(3)).
  var status: Int { number(CURLINFO_RESPONSE_CODE) }

  /// The errno of the last failed connection (CURLINFO_OS_ERRNO(3)); 0 if there is none.
  var systemError: Int32 { Int32(truncatingIfNeeded: number(CURLINFO_OS_ERRNO)) }

  /// Whether a closed connection had been established.
  ///
  /// libcurl's own times, such as CURLINFO_CONNECT_TIME(3), are 0 until the TLS handshake is
  /// complete.
  var hadConnection: Bool { sockets.hadConnection }

  /// The result of verifying the server's or the proxy's certificate; 0 if both are valid
  /// (CURLINFO_SSL_VERIFYRESULT(3), CURLINFO_PROXY_SSL_VERIFYRESULT(3)).
  var verification: Int {
    let ofServer = number(CURLINFO_SSL_VERIFYRESULT)
    return ofServer != 0 ? ofServer : number(CURLINFO_PROXY_SSL_VERIFYRESULT)
  }

  private func number(_ info: CURLINFO) -> Int {
    var value = 0
    return unsafe ccurl_get_long(handle, info, &value) == CURLE_OK ? value : 0
  }

  /// A text of the last answer, such as its CURLINFO_CONTENT_TYPE(3); only printable ASCII.
  func text(_ info: CURLINFO) -> String? {
    var found: UnsafePointer<CChar>?
    guard unsafe ccurl_get_text(handle, info, &found) == CURLE_OK, let text = unsafe found else {
      return nil
    }
    let plain = unsafe String(cString: text)
    let isPlain = plain.utf8.count <= 2048 && plain.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    return isPlain ? plain : nil
  }

  /// The header fields of the last answer as `Name: value`, up to the first that exceeds the
  /// limits.
  ///
  /// Fields of a proxy or of earlier answers are left out, and so are fields that are not text
  /// (curl_easy_nextheader(3)).
  func headers(most: Int, bytes: Int) -> [String] {
    var found: [String] = []
    var room = bytes
    var field: UnsafeMutablePointer<curl_header>?
    while found.count < most {
      unsafe field = curl_easy_nextheader(handle, UInt32(CURLH_HEADER), -1, field)
      guard let next = unsafe field, let name = unsafe next.pointee.name,
        let value = unsafe next.pointee.value
      else { break }
      guard let text = unsafe String(validatingCString: value) else { continue }
      // libcurl leaves the CR of the line end in an empty value.
      let bytes = text.utf8.last == 0x0D ? text.utf8.dropLast() : text.utf8[...]
      let line = unsafe "\(String(cString: name)): \(String(decoding: bytes, as: UTF8.self))"
      room -= line.utf8.count
      guard room >= 0 else { break }
      guard line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { continue }
      found.append(line)
    }
    return found
  }

  /// Seconds, given as a number or a date (CURLINFO_RETRY_AFTER(3)); 0 if there are none.
  var retryAfter: Int64 {
    var value: Int64 = 0
    return unsafe ccurl_get_offset(handle, CURLINFO_RETRY_AFTER, &value) == CURLE_OK ? value : 0
  }

  private static func check(_ code: CURLcode) throws(HTTPError) {
    switch code {
    case CURLE_OK: return
    case CURLE_OUT_OF_MEMORY: throw .refused(.memory)
    default: throw .notSent(.other, code: code.rawValue)
    }
  }
}
