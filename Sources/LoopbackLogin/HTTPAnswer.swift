/// Writes the answers of the loopback listener in wire format (RFC 9112).
enum HTTPAnswer {
  /// Headers that forbid caching, content sniffing, embedding, and a referrer to the target of a
  /// link.
  private static let common = """
    Cache-Control: no-store\r
    X-Content-Type-Options: nosniff\r
    X-Frame-Options: DENY\r
    Referrer-Policy: no-referrer\r
    Cross-Origin-Opener-Policy: same-origin\r
    Connection: close\r\n
    """

  /// Writes one of our own pages.
  ///
  /// - Parameters:
  ///   - html: the whole page.
  ///   - policy: its Content-Security-Policy.
  ///   - status: the HTTP status.
  /// - Returns: head and body.
  static func page(_ html: String, policy: String, status: Int) -> [UInt8] {
    let body = [UInt8](html.utf8)
    let head = """
      HTTP/1.1 \(status) \(reason(status))\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(body.count)\r
      Content-Security-Policy: \(policy)\r
      \(common)\r\n
      """
    return [UInt8](head.utf8) + body
  }

  /// The answer to any request that is not the redirect.
  static func refusal(status: Int) -> [UInt8] {
    let body = "\(status) \(reason(status))\n"
    let head = """
      HTTP/1.1 \(status) \(reason(status))\r
      Content-Type: text/plain; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r
      \(status == 405 ? "Allow: GET\r\n" : "")\(common)\r\n
      """
    return [UInt8]((head + body).utf8)
  }

  private static func reason(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 400: "Bad Request"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 431: "Request Header Fields Too Large"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Error"
    }
  }
}
