/// Reads the head of an HTTP request (RFC 9112), and tells the redirect that a login waits for from
/// everything else that comes to a port of this machine.
///
/// Other programs, other users and every web page that is open can send requests there. What does
/// not look like a browser that follows a redirect to the right address changes nothing.
public struct RedirectRequest: Equatable {
  /// The most bytes of a head; cookies of other servers of this machine come along.
  static let maximumHead = 64 * 1024

  /// What the bytes that came so far mean.
  enum Verdict: Equatable {
    /// The head has not ended.
    case incomplete
    /// The redirect; where its query stands.
    case redirect(query: Range<Int>)
    /// Something else, and the status to answer it with; what it is where it holds an answer.
    case refused(status: Int, RedirectStray? = nil)
  }

  /// The path of the redirect's address.
  let path: String
  /// What the header Host must say: host and port.
  ///
  /// A page of another name that its owner lets resolve to this machine sends that name (DNS
  /// rebinding).
  let authority: String

  /// The redirect to this path of this host and port.
  package init(path: String, authority: String) {
    self.path = path
    self.authority = authority
  }

  /// Judges what has come of a head.
  ///
  /// `searched` is how far the end has been looked for, so that a head that comes byte by byte costs
  /// no more than another.
  func judge(_ bytes: [UInt8], searched: inout Int) -> Verdict {
    // TLS, and whatever else begins no method, need not be waited for.
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
    return .redirect(query: query)
  }

  /// Whether a query is what a provider sends at the end of a login: more than a guess.
  public static func holdsAnswer(_ query: ArraySlice<UInt8>) -> Bool {
    holdsState(query) && (holds("code", query) || holds("error", query))
  }

  /// Whether a query has a parameter `state` that is not empty (RFC 6749, section 4.1.2).
  static func holdsState(_ query: ArraySlice<UInt8>) -> Bool {
    holds("state", query)
  }

  /// Whether a query has a parameter of this name that is not empty.
  static func holds(_ name: String, _ query: ArraySlice<UInt8>) -> Bool {
    let start = [UInt8](name.utf8) + [UInt8(ascii: "=")]
    return query.split(separator: UInt8(ascii: "&")).contains { part in
      part.starts(with: start) && part.count > start.count
    }
  }

  private static func equal(_ bytes: ArraySlice<UInt8>, _ text: String) -> Bool {
    bytes.elementsEqual(text.utf8)
  }

  /// Where the empty line begins that ends the head.
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

/// The answer to some login, which comes in a way that is not to be trusted.
public enum RedirectStray: Sendable, CaseIterable {
  /// From a program of another user, or of nobody who is known.
  case user
  /// Under another name or port of this machine.
  case host
  /// To another path.
  case path
}

/// What of a request's headers matters here.
private struct Headers {
  /// Of the header Host; `nil` if there is none.
  var host: String?
  /// Whether more than a head was announced.
  var hasBody = false
  /// Whether a person's browser wants to show the answer: an image, a script or a frame of another
  /// page says otherwise (Fetch Metadata Request Headers, W3C), and so does a look ahead.
  var isNavigation = true

  /// Reads lines; `nil` if one is no header, or Host comes twice.
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
