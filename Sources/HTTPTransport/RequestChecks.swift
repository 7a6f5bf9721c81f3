internal import CCurl
internal import SecretMemory

/// Checks of a request before libcurl sees any of it.
extension HTTPRequest {
  /// Headers that decide the framing or the destination of a message.
  ///
  /// With them a caller could split one request into two, or send it to another host on the same
  /// server.
  private static let ownHeaders: Set<String> = [
    "host", "content-length", "transfer-encoding", "connection", "expect", "te", "trailer",
    "upgrade", "keep-alive", "proxy-connection", "proxy-authorization", "user-agent",
  ]

  /// Checks everything that needs no network, and returns the parsed target.
  func check(mostBytes: Int = 128 * 1024) throws(HTTPError) -> Target {
    guard (1...16).contains(method.utf8.count),
      method.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      method != "CONNECT" && method != "TRACE", method != "HEAD" || body == nil
    else { throw .refused(.method) }
    for header in headers { try Self.check(header: header) }
    if let credentials {
      guard !headers.contains(where: { Self.name(of: $0) == "authorization" }),
        Self.isValue(credentials.bytes)
      else { throw .refused(.header) }
    }
    for pin in pins {
      guard Self.isPin(pin) else { throw .refused(.pin) }
    }
    if let authorities, authorities.isEmpty || authorities.utf8.contains(0) {
      throw .refused(.authorities)
    }
    // libcurl reads 0 as its own default of five minutes (CURLOPT_CONNECTTIMEOUT_MS(3)).
    guard timeout > 0 && timeout <= 600_000, connectTimeout > 0 && connectTimeout <= 600_000,
      maximumBody >= 0, maximumBody <= mostBytes
    else { throw .refused(.limit) }
    guard let target = Target(url) else { throw .refused(.url) }
    if target.scheme == "http" {
      guard target.isLoopback else { throw .refused(.plainText) }
      // A pin that nothing checks must not look effective.
      guard pins.isEmpty else { throw .refused(.pin) }
    }
    if let proxy {
      guard let relay = Target(proxy, anyScheme: true),
        ["http", "https", "socks5", "socks5h"].contains(relay.scheme)
      else { throw .refused(.proxy) }
    }
    return target
  }

  private static func check(header: String) throws(HTTPError) {
    let bytes = Array(header.utf8)
    guard bytes.count <= 32 * 1024, let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0
    else { throw .refused(.header) }
    guard bytes[..<colon].allSatisfy(isTokenCharacter) else { throw .refused(.header) }
    // RFC 9110 section 5.5: CR, LF and NUL in a field value are invalid and dangerous.
    guard bytes[colon...].allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .refused(.header) }
    guard !ownHeaders.contains(name(of: header)) else { throw .refused(.header) }
  }

  /// Whether it is a valid header value: printable ASCII.
  private static func isValue(_ secret: borrowing SecretBytes) -> Bool {
    secret.withBytes { bytes in
      (1...32 * 1024).contains(bytes.count)
        && bytes.indices.allSatisfy { (0x20...0x7E).contains(bytes[$0]) }
    }
  }

  /// A header's name in lower case.
  static func name(of header: String) -> String {
    String(header.prefix { $0 != ":" }).lowercased()
  }

  /// RFC 9110 section 5.6.2.
  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// `sha256//` and the base64 of 32 bytes: 43 characters and one `=`.
  private static func isPin(_ pin: String) -> Bool {
    let prefix = "sha256//"
    guard pin.hasPrefix(prefix) else { return false }
    let digits = Array(pin.utf8.dropFirst(prefix.utf8.count))
    return digits.count == 44 && digits.last == UInt8(ascii: "=")
      && digits.dropLast().allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}

/// The destination of a URL.
///
/// It is parsed by libcurl's own parser (curl_url_set(3)), so that no second interpretation of the
/// text can differ.
struct Target: Equatable {
  let scheme: String
  let host: String

  init?(_ url: String, anyScheme: Bool = false) {
    guard url.utf8.count <= 8192, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    // libcurl reads `https:///host` as `https://host`, which a person may not expect.
    guard url.contains("://"), !url.contains(":///") else { return nil }
    guard EasyHandle.isReady, let handle = unsafe curl_url() else { return nil }
    defer { unsafe curl_url_cleanup(handle) }
    let flags = UInt32(anyScheme ? CURLU_NON_SUPPORT_SCHEME : CURLU_DISALLOW_USER)
    guard unsafe curl_url_set(handle, CURLUPART_URL, url, flags) == CURLUE_OK,
      let scheme = unsafe Self.part(CURLUPART_SCHEME, of: handle),
      let host = unsafe Self.part(CURLUPART_HOST, of: handle),
      anyScheme || scheme == "https" || scheme == "http"
    else { return nil }
    self.scheme = scheme
    self.host = host
  }

  /// 127.0.0.0/8, ::1, or the name that libcurl resolves to them without a DNS query.
  var isLoopback: Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  private static func part(_ part: CURLUPart, of handle: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe curl_url_get(handle, part, &text, 0) == CURLUE_OK, let found = unsafe text else {
      return nil
    }
    defer { unsafe curl_free(found) }
    return unsafe String(cString: found)
  }
}
