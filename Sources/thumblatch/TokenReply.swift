/// A reply to `AccessToken`, located in the bytes of the message.
///
/// It accepts only the engine's exact form: members in order, without white space, and only if
/// nothing besides the token must be reported. The front treats any other message as no reply.
struct TokenReply {
  /// The range of the account's name.
  let account: Range<Int>
  /// The range of the token: printable ASCII without quotation marks and reverse solidi.
  let token: Range<Int>
  /// When the token expires, in seconds since 1970; `nil` if the provider did not say.
  private(set) var expiresAt: Int64?
  /// The range of the scopes that were not granted; `nil` if the engine reports none.
  let missingScope: Range<Int>?

  /// Parses a message with its NUL.
  init?(_ message: UnsafeRawBufferPointer) {
    var reader = unsafe Reader(message)
    guard reader.take(#"{"parameters":{"account":""#), let account = reader.text(from: 0x21),
      reader.take(#","access_token":""#), let token = reader.text(from: 0x21), !token.isEmpty,
      reader.take(#","token_type":""#), reader.text(from: 0x21) != nil
    else { return nil }
    if reader.take(#","expires_at":"#) {
      guard let end = reader.number() else { return nil }
      expiresAt = end
    }
    guard reader.take(#","shorter_than_requested":false"#) else { return nil }
    if reader.take(#","scope":""#) {
      guard reader.text(from: 0x20) != nil else { return nil }
    }
    var missing: Range<Int>?
    if reader.take(#","missing_scope":""#) {
      guard let found = reader.text(from: 0x20) else { return nil }
      missing = found
    }
    guard reader.take("}}"), reader.isAtEnd else { return nil }
    self.account = account
    self.token = token
    missingScope = missing
  }
}

/// A reply to `RequestTerms` that allows the token for each host that the user names.
///
/// It holds ranges of the message's bytes.
///
/// It accepts only the engine's exact form, as `TokenReply` does.
struct TermsReply {
  /// The range of the account's name.
  let account: Range<Int>

  /// Parses a message with its NUL.
  init?(_ message: UnsafeRawBufferPointer) {
    var reader = unsafe Reader(message)
    guard reader.take(#"{"parameters":{"account":""#), let account = reader.text(from: 0x21),
      reader.take(#","issuer":""#), reader.skipText(),
      reader.take(#","hosts":["#), reader.skipTexts()
    else { return nil }
    guard !reader.take(#","ca":""#) || reader.skipText(),
      reader.take(#","pins":["#), reader.skipTexts(),
      !reader.take(#","proxy":""#) || reader.skipText(),
      !reader.take(#","listeners":["#) || reader.skipNumbers(),
      !reader.take(#","connect_timeout":"#) || reader.number() != nil,
      !reader.take(#","resource":""#) || reader.skipText(),
      reader.take(#","any_host":true}}"#), reader.isAtEnd
    else { return nil }
    self.account = account
  }
}

/// Reads a message from the beginning.
@safe
struct Reader {
  private let bytes: UnsafeRawBufferPointer
  private var next = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = unsafe bytes
  }

  /// Whether only the NUL follows.
  var isAtEnd: Bool { unsafe next == bytes.count - 1 && bytes[next] == 0 }

  /// Consumes exactly these bytes, or nothing.
  mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard unsafe bytes.count - next >= count else { return false }
    for index in 0..<count {
      guard unsafe bytes[next + index] == text.utf8Start[index] else { return false }
    }
    next += count
    return true
  }

  /// Consumes a text up to its quotation mark.
  ///
  /// It returns `nil` if a character needs escaping or could control a terminal.
  mutating func text(from least: UInt8) -> Range<Int>? {
    let start = next
    while unsafe next < bytes.count {
      let byte = unsafe bytes[next]
      if byte == UInt8(ascii: "\"") {
        next += 1
        return start..<(next - 1)
      }
      guard byte >= least, byte <= 0x7E, byte != UInt8(ascii: "\\") else { return nil }
      next += 1
    }
    return nil
  }

  /// Consumes a text with escapes, up to its quotation mark; false if it has no end.
  mutating func skipText() -> Bool {
    while unsafe next < bytes.count {
      let byte = unsafe bytes[next]
      next += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == UInt8(ascii: "\"") { return true }
      guard byte >= 0x20 else { return false }
    }
    return false
  }

  /// Consumes the texts of a list, and its end.
  mutating func skipTexts() -> Bool {
    guard !take("]") else { return true }
    repeat {
      guard take("\""), skipText() else { return false }
    } while take(",")
    return take("]")
  }

  /// Consumes the numbers of a list, and its end.
  mutating func skipNumbers() -> Bool {
    guard !take("]") else { return true }
    repeat {
      guard number() != nil else { return false }
    } while take(",")
    return take("]")
  }

  /// Consumes a number without a sign; `nil` if there is none, or if it has more than 18 digits.
  mutating func number() -> Int64? {
    let start = next
    var value: Int64 = 0
    while unsafe next < bytes.count, next - start <= 18, unsafe bytes[next] >= 0x30,
      unsafe bytes[next] <= 0x39
    {
      value = unsafe value &* 10 &+ Int64(bytes[next] - 0x30)
      next += 1
    }
    return (1...18).contains(next - start) ? value : nil
  }
}
