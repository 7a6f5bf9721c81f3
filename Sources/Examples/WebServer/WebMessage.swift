package struct WebRequest: Sendable {
  /// The method, such as `GET`.
  package let method: String
  /// The path without the query, percent-decoded.
  package let path: String
  /// The query after the question mark, unchanged; empty if there is none.
  package let query: String
  /// The headers by lower-case name; the first one of several with the same name.
  package let headers: [String: String]
  package let body: [UInt8]

  package init(
    method: String,
    path: String,
    query: String = "",
    headers: [String: String] = [:],
    body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }

  /// A cookie's value (RFC 6265, section 5.4).
  package func cookie(_ name: String) -> String? {
    for pair in headers["cookie", default: ""].utf8.split(separator: UInt8(ascii: ";")) {
      let parts = pair.drop { $0 == UInt8(ascii: " ") }
        .split(separator: UInt8(ascii: "="), maxSplits: 1)
      // Compare bytes: comparing runs of combining marks as text is quadratic.
      if parts.count == 2, parts[0].elementsEqual(name.utf8) {
        return String(Substring(parts[1]))
      }
    }
    return nil
  }

  /// The fields of a submitted form, or of the query.
  package var form: [String: String] {
    WebForm.fields(method == "POST" ? String(decoding: body, as: UTF8.self) : query)
  }
}

/// An answer to a browser.
package struct WebResponse: Sendable {
  package var status: Int
  /// The headers, in their order.
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// The part after the body, which comes later; the browser shows the body in the meantime.
  package var rest: (@Sendable () async -> [UInt8])?

  package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// Redirects the browser with GET (RFC 9110, section 15.4.4).
  package static func see(_ location: String) -> WebResponse {
    WebResponse(status: 303, headers: [("Location", location)])
  }
}

/// Parses `application/x-www-form-urlencoded` (URL Standard, section 5.1).
package enum WebForm {
  /// The most bytes in the name of a field or a header; longer ones are left out.
  ///
  /// Swift normalizes text before it hashes it, which is quadratic in a run of combining marks: a
  /// name of 64 KiB took 234 ms.
  static let longestName = 128
  private static let mostFields = 100

  /// The fields of a form; the first one of several with the same name.
  ///
  /// Fields with long names are left out.
  package static func fields(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in text.utf8.split(separator: UInt8(ascii: "&")).prefix(mostFields) {
      let parts = pair.split(
        separator: UInt8(ascii: "="),
        maxSplits: 1,
        omittingEmptySubsequences: false
      )
      let name = decoded(parts[0])
      guard name.utf8.count <= longestName, fields[name] == nil else { continue }
      fields[name] = parts.count == 2 ? decoded(parts[1]) : ""
    }
    return fields
  }

  private static func decoded(_ text: Substring.UTF8View) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        // A number may have a sign, but an escape may not.
        guard rest.count >= 2, rest.first != UInt8(ascii: "+"), rest.first != UInt8(ascii: "-"),
          let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else {
          bytes.append(byte)
          continue
        }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
