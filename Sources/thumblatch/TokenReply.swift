/// A reply to `AccessToken`, found in the bytes of the message.
///
/// It takes exactly what the engine writes, members in their order and without white space, and
/// only where nothing has to be said but the token; whatever else comes is no reply to the front.
struct TokenReply {
  /// Where the account's name stands.
  let account: Range<Int>
  /// Where the token stands: printable ASCII without quotation marks and reverse solidi.
  let token: Range<Int>
  /// Where the scopes stand that were not granted; `nil` if the engine tells of none.
  let missingScope: Range<Int>?

  /// Reads one message with its NUL.
  init?(_ message: UnsafeRawBufferPointer) {
    var reader = unsafe Reader(message)
    guard reader.take(#"{"parameters":{"account":""#), let account = reader.text(from: 0x21),
      reader.take(#","access_token":""#), let token = reader.text(from: 0x21), !token.isEmpty,
      reader.take(#","token_type":""#), reader.text(from: 0x21) != nil
    else { return nil }
    if reader.take(#","expires_at":"#) {
      guard reader.digits() else { return nil }
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

  /// Whether it is of the account that was asked for.
  func isOf(_ name: UnsafePointer<CChar>?, in message: UnsafeRawBufferPointer) -> Bool {
    guard let name = unsafe name else { return false }
    for index in 0..<account.count {
      // A name that is shorter has its NUL here, and no byte of the account's is one.
      guard unsafe UInt8(bitPattern: name[index]) == message[account.lowerBound + index] else {
        return false
      }
    }
    return unsafe name[account.count] == 0
  }
}

/// Goes through a message from its beginning.
@safe
private struct Reader {
  private let bytes: UnsafeRawBufferPointer
  private var next = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    unsafe self.bytes = unsafe bytes
  }

  /// Whether nothing follows but the NUL.
  var isAtEnd: Bool { unsafe next == bytes.count - 1 && bytes[next] == 0 }

  /// Takes these bytes, or none.
  mutating func take(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard unsafe bytes.count - next >= count else { return false }
    for index in 0..<count {
      guard unsafe bytes[next + index] == text.utf8Start[index] else { return false }
    }
    next += count
    return true
  }

  /// Takes a text up to its quotation mark; `nil` if anything in it would have to be escaped, or
  /// could steer a terminal.
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

  /// Takes the digits of a number.
  mutating func digits() -> Bool {
    let start = next
    while unsafe next < bytes.count, unsafe bytes[next] >= 0x30, unsafe bytes[next] <= 0x39 {
      next += 1
    }
    return next > start
  }
}
