internal import PlainText

/// Parses the head of an HTTP request (RFC 9112), and recognizes the redirect of a sign-in.
///
/// Other programs, other users and every open web page can send requests to the port. A request
/// changes nothing unless it looks like a browser that follows a redirect to the right address.
package struct RedirectRequest: Equatable {
  /// The most bytes of a head, which may include cookies of other servers on this machine.
  static let maximumHead = 64 * 1024

  /// The meaning of the bytes received so far.
  enum Verdict: Equatable {
    /// The head is not complete.
    case incomplete
    case redirect(query: Range<Int>)
    /// Another request, with the status to answer; its kind if it holds an answer to some sign-in.
    case refused(status: Int, RedirectStray? = nil)
  }

  let path: String
  /// The required value of the header Host: host and port.
  ///
  /// In a DNS rebinding attack, a page's name resolves to this machine. Then the browser sends that
  /// name instead.
  let authority: String
  /// The `state` of the sign-in; `nil` accepts any.
  ///
  /// A browser that restores its tabs sends the answer to an earlier sign-in again.
  var state: [UInt8]?

  /// Makes a matcher for the redirect to this path at this host and port.
  package init(path: String, authority: String) {
    self.path = path
    self.authority = authority
  }

  /// Judges the bytes of a head received so far.
  ///
  /// `searched` is the position up to which the end was searched. So a head that arrives byte by
  /// byte costs no more than another.
  func judge(_ bytes: [UInt8], searched: inout Int) -> Verdict {
    // TLS, or anything else that does not begin with a method, needs no more bytes.
    if let first = bytes.first, !(UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
      return .refused(status: 400)
    }
    guard let end = Self.end(of: bytes, from: searched) else {
      searched = max(0, bytes.count - 3)
      return bytes.count < Self.maximumHead ? .incomplete : .refused(status: 431)
    }
    guard end <= Self.maximumHead else { return .refused(status: 431) }
    var lines = Self.lines(of: bytes, to: end)[...]
    guard let first = lines.popFirst() else { return .refused(status: 400) }
    let words = bytes[first].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3, words[1].allSatisfy({ (0x21...0x7E).contains($0) }),
      words[1].first == UInt8(ascii: "/"), !words[1].contains(UInt8(ascii: "#"))
    else { return .refused(status: 400) }
    guard Self.equal(words[2], "HTTP/1.1") else { return .refused(status: 505) }
    guard Self.equal(words[0], "GET") else { return .refused(status: 405) }
    guard let headers = Headers(bytes, lines), !headers.hasBody else {
      return .refused(status: 400)
    }
    guard headers.isNavigation else { return .refused(status: 404) }
    let target = words[1]
    guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return .refused(status: 404) }
    let query = mark + 1..<target.endIndex
    func stray(_ kind: RedirectStray) -> Verdict {
      .refused(status: 404, Self.holdsAnswer(bytes[query]) ? kind : nil)
    }
    guard headers.host?.lowercased() == authority else { return stray(.host) }
    guard Self.equal(target[..<mark], path) else { return stray(.path) }
    guard Self.holdsState(bytes[query]) else { return .refused(status: 404) }
    if let state, !Self.states(in: bytes[query]).contains(state) {
      return .refused(status: 400, .state)
    }
    return .redirect(query: query)
  }

  /// The `state` in the address that a browser opens; `nil` if there is none.
  ///
  /// The last one counts: an endpoint may have a query of its own.
  static func state(of address: String) -> [UInt8]? {
    let bytes = [UInt8](address.utf8)
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return states(in: bytes[(mark + 1)...].prefix { $0 != UInt8(ascii: "#") }).last
  }

  /// The values of the parameter `state`, without percent escapes.
  private static func states(in query: ArraySlice<UInt8>) -> [[UInt8]] {
    let start = [UInt8]("state=".utf8)
    return query.split(separator: UInt8(ascii: "&")).filter { $0.starts(with: start) }
      .compactMap { PercentEncoding.decoded($0.dropFirst(start.count)) }
  }

  /// Whether a query is a provider's final answer to a sign-in, not just a guess.
  package static func holdsAnswer(_ query: ArraySlice<UInt8>) -> Bool {
    holdsState(query) && (holds("code", query) || holds("error", query))
  }

  /// Whether a query has a nonempty parameter `state` (RFC 6749, section 4.1.2).
  static func holdsState(_ query: ArraySlice<UInt8>) -> Bool {
    holds("state", query)
  }

  /// Whether a query has a nonempty parameter with this name.
  static func holds(_ name: String, _ query: ArraySlice<UInt8>) -> Bool {
    let start = [UInt8](name.utf8) + [UInt8(ascii: "=")]
    return query.split(separator: UInt8(ascii: "&")).contains { part in
      part.starts(with: start) && part.count > start.count
    }
  }

  private static func equal(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
    bytes.elementsEqual(text.utf8)
  }

  /// The start of the empty line that ends the head.
  private static func end(of bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= start + 4 else { return nil }
    return (start...bytes.count - 4).first { index in
      bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13
        && bytes[index + 3] == 10
    }
  }

  private static func lines(of bytes: [UInt8], to end: Int) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    while start <= end {
      let stop =
        (start..<end).first { bytes[$0] == 13 && bytes[$0 + 1] == 10 } ?? end
      lines.append(start..<stop)
      start = stop + 2
    }
    return lines
  }
}

/// Why the answer to some sign-in is not trusted.
package enum RedirectStray: Sendable, CaseIterable {
  /// It comes from a program of another or an unknown user.
  case user
  /// It uses another name or port of this machine.
  case host
  /// It goes to another path.
  case path
  /// It answers another sign-in.
  case state
}

private struct Headers {
  /// The value of the header Host; `nil` if there is none.
  var host: String?
  var hasBody = false
  /// Whether a browser wants to show the answer to the person.
  ///
  /// An image, a script or a frame of another page says otherwise (Fetch Metadata Request Headers,
  /// W3C), and so does a prefetch.
  var isNavigation = true

  /// Parses lines; `nil` if one is not a header, or if Host is repeated.
  init?(_ bytes: [UInt8], _ lines: ArraySlice<Range<Int>>) {
    for line in lines {
      guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")), colon > line.lowerBound,
        bytes[line.lowerBound..<colon].allSatisfy(Self.isToken),
        bytes[line].allSatisfy({ $0 == 9 || ($0 >= 0x20 && $0 != 0x7F) })
      else { return nil }
      let name = String(decoding: bytes[line.lowerBound..<colon], as: UTF8.self).lowercased()
      let value = Self.trimmed(bytes[colon + 1..<line.upperBound])
      switch name {
      case "host":
        guard host == nil else { return nil }
        host = value
      case "content-length": hasBody = hasBody || value != "0"
      case "transfer-encoding": hasBody = true
      case "sec-fetch-mode": isNavigation = isNavigation && value == "navigate"
      case "sec-fetch-dest": isNavigation = isNavigation && value == "document"
      case "sec-purpose", "purpose": isNavigation = isNavigation && !value.contains("prefetch")
      default: break
      }
    }
  }

  /// RFC 9110, section 5.6.2.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      return true
    default: return "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let start = bytes.firstIndex { $0 != 0x20 && $0 != 9 } ?? bytes.endIndex
    let end = bytes.lastIndex { $0 != 0x20 && $0 != 9 }.map { $0 + 1 } ?? start
    return String(decoding: bytes[start..<end], as: UTF8.self)
  }
}
