internal import TokenFile
package import Varlink

/// A call of `AccessToken` with no other parameters than an account, a lifetime, whether a person
/// can be asked, whether the caller is a helper, and its reason.
///
/// It wants one reply.
///
/// Nearly all calls have this form, and this type reads them without a JSON object.
package struct UsualTokenCall: Sendable, Equatable {
  /// The account; `nil` for the default account.
  package private(set) var account: String?
  /// For how many seconds the token must be valid; `nil` for 10.
  package private(set) var minimumLifetime: Int?
  /// Whether the client can ask a person; `nil` if it does not say.
  package private(set) var ask: Bool?
  /// Whether the client is a helper that a tool runs again after a 401; `nil` if it does not say.
  package private(set) var helper: Bool?
  /// What the client needs the token for; `nil` if it does not say.
  package private(set) var reason: String?

  /// Reads a message without its NUL.
  ///
  /// Each message that is read here means the same to `VarlinkCall`. `nil` does not mean that the
  /// message is invalid: it is another call, or has another notation.
  package init?(_ message: UnsafeRawBufferPointer) {
    var reader = unsafe Reader(message)
    guard reader.take("{"), reader.take(#""method""#), reader.take(":"),
      reader.take(#""io.thumblatch.Vault.AccessToken""#)
    else { return nil }
    if reader.take(",") {
      guard reader.take(#""parameters""#), reader.take(":"), readParameters(&reader) else {
        return nil
      }
    }
    if reader.take(",") {
      guard reader.take(#""more""#), reader.take(":"), reader.take("false") else { return nil }
    }
    guard reader.take("}"), reader.isAtEnd else { return nil }
  }

  package var call: VarlinkCall {
    get throws(MessageError) {
      try VarlinkCall(
        AccessTokenCall(
          account: account,
          minimumLifetime: minimumLifetime,
          ask: ask,
          reason: reason,
          helper: helper
        )
      )
    }
  }

  private mutating func readParameters(_ reader: inout Reader) -> Bool {
    guard reader.take("{") else { return false }
    if reader.take("}") { return true }
    repeat {
      if account == nil, reader.take(#""account""#) {
        guard reader.take(":"), let name = reader.accountName() else { return false }
        account = name
      } else if minimumLifetime == nil, reader.take(#""minimum_lifetime""#) {
        guard reader.take(":"), let number = reader.number() else { return false }
        minimumLifetime = number
      } else if ask == nil, reader.take(#""ask""#) {
        guard reader.take(":"), let mayAsk = reader.boolean() else { return false }
        ask = mayAsk
      } else if helper == nil, reader.take(#""helper""#) {
        guard reader.take(":"), let isHelper = reader.boolean() else { return false }
        helper = isHelper
      } else if reason == nil, reader.take(#""reason""#) {
        guard reader.take(":"), let text = reader.plainText() else { return false }
        reason = text
      } else {
        return false
      }
    } while reader.take(",")
    return reader.take("}")
  }
}

/// Reads a message from its beginning.
///
/// White space before a token is skipped.
@safe
private struct Reader {
  private let bytes: UnsafeRawBufferPointer
  private var next = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = unsafe bytes
  }

  /// Whether only white space follows.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return unsafe next == bytes.count
    }
  }

  /// Takes these bytes if they come next.
  mutating func take(_ token: StaticString) -> Bool {
    skipSpace()
    let count = token.utf8CodeUnitCount
    guard unsafe bytes.count - next >= count else { return false }
    for index in 0..<count {
      guard unsafe bytes[next + index] == token.utf8Start[index] else { return false }
    }
    next += count
    return true
  }

  /// Takes the name of an account, which needs no escapes.
  mutating func accountName() -> String? {
    guard take("\"") else { return nil }
    let start = next
    while unsafe next < bytes.count, unsafe NameRule.isOfName(bytes[next]) { next += 1 }
    let name = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<next])
    guard unsafe NameRule.accepts(name.bindMemory(to: UInt8.self).span), unsafe next < bytes.count,
      unsafe bytes[next] == UInt8(ascii: "\"")
    else { return nil }
    next += 1
    return unsafe String(decoding: name, as: UTF8.self)
  }

  /// Takes a text of printable ASCII without escapes, of up to 200 characters.
  mutating func plainText() -> String? {
    guard take("\"") else { return nil }
    let start = next
    while unsafe next < bytes.count, unsafe Self.isPlain(bytes[next]) { next += 1 }
    guard next - start <= 200, unsafe next < bytes.count,
      unsafe bytes[next] == UInt8(ascii: "\"")
    else { return nil }
    defer { next += 1 }
    return unsafe String(
      decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<next]),
      as: UTF8.self
    )
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    0x20...0x7E ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  /// Takes `true` or `false`.
  ///
  /// The caller takes the text after it.
  mutating func boolean() -> Bool? {
    if take("false") { return false }
    return take("true") ? true : nil
  }

  /// Takes a number of up to nine digits.
  ///
  /// The character after it must end the member.
  mutating func number() -> Int? {
    skipSpace()
    let start = next
    var value = 0
    while unsafe next < bytes.count, unsafe 0x30...0x39 ~= bytes[next], next - start < 10 {
      value = unsafe value * 10 + Int(bytes[next] - 0x30)
      next += 1
    }
    let count = next - start
    guard 1...9 ~= count, unsafe count == 1 || bytes[start] != 0x30, unsafe next < bytes.count,
      unsafe bytes[next] == UInt8(ascii: ",") || bytes[next] == UInt8(ascii: "}")
    else { return nil }
    return value
  }

  private mutating func skipSpace() {
    while unsafe next < bytes.count, unsafe Self.isSpace(bytes[next]) { next += 1 }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }
}
