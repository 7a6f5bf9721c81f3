internal import Glibc
internal import PlainText

/// The form in which a token is written.
enum TokenForm {
  /// A line of its own.
  case line
  /// A JSON object of HTTP headers.
  case headers
  /// The credential for a client of Kubernetes, in this version of its interface to helpers.
  case kubernetes(version: StaticString)

  /// The most bytes beside a token.
  private static let most = 256

  /// The form that kubectl asks for, as it writes the request; `nil` for any other notation.
  ///
  /// A request that also names the cluster is another one: the engine has to allow its host.
  static func askedByKubernetes() -> TokenForm? {
    guard let text = unsafe getenv(word("KUBERNETES_EXEC_INFO")), unsafe text[0] != 0 else {
      return .kubernetes(version: "v1")
    }
    var reader = unsafe Reader(
      UnsafeRawBufferPointer(start: text, count: strnlen(text, most) + 1)
    )
    guard
      reader.take(#"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"#)
    else { return nil }
    let isBeta = reader.take("beta1")
    guard reader.take(#"","spec":{"interactive":"#), reader.take("false") || reader.take("true"),
      reader.take("}}"), reader.isAtEnd
    else { return nil }
    return .kubernetes(version: isBeta ? "v1beta1" : "v1")
  }

  /// Writes a token, which has no character that JSON escapes, in one piece; false if that failed.
  func write(_ token: UnsafeRawBufferPointer, expiresAt: Int64?) -> Bool {
    let room = token.count + Self.most
    return unsafe withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { room in
      var line = unsafe Line(room)
      switch self {
      case .line: unsafe line.add(token)
      case .headers:
        line.add(#"{"Authorization":"Bearer "#)
        unsafe line.add(token)
        line.add(#""}"#)
      case .kubernetes(let version):
        line.add(#"{"apiVersion":"client.authentication.k8s.io/"#)
        line.add(version)
        line.add(#"","kind":"ExecCredential","status":{"#)
        if let expiresAt {
          line.add(#""expirationTimestamp":""#)
          line.add(DateTime(secondsSince1970: expiresAt))
          line.add(#"","#)
        }
        line.add(#""token":""#)
        unsafe line.add(token)
        line.add(#""}}"#)
      }
      line.add("\n")
      return unsafe StandardOutput.write(UnsafeRawBufferPointer(rebasing: room[..<line.count]))
    }
  }
}

/// Fills a buffer from its beginning.
@safe
private struct Line {
  private let room: UnsafeMutableRawBufferPointer
  private(set) var count = 0

  init(_ room: UnsafeMutableRawBufferPointer) {
    unsafe self.room = unsafe room
  }

  mutating func add(_ byte: UInt8) {
    unsafe room[count] = byte
    count += 1
  }

  mutating func add(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { unsafe add(text.utf8Start[index]) }
  }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    for index in 0..<bytes.count { unsafe add(bytes[index]) }
  }

  /// Adds a time in UTC, as `DateTime.text` has it.
  mutating func add(_ time: DateTime) {
    add(time.year / 100)
    add(time.year % 100)
    add("-")
    add(time.month)
    add("-")
    add(time.day)
    add("T")
    add(time.hour)
    add(":")
    add(time.minute)
    add(":")
    add(time.second)
    add("Z")
  }

  /// Adds a number of two digits.
  private mutating func add(_ number: Int64) {
    add(UInt8(ascii: "0") + UInt8(number / 10))
    add(UInt8(ascii: "0") + UInt8(number % 10))
  }
}
