internal import SecretMemory

/// Extracts the client secret from a provider's file before the file becomes a `String`.
enum ClientSecretExtraction {
  /// Separates the values of the lines `client_secret = value` from the file.
  ///
  /// It returns the other bytes and the first of those values. The lines stay, so that errors name
  /// the right line, and a repeated key is found.
  static func separate(
    _ bytes: borrowing Span<UInt8>
  ) throws(ConfigurationError) -> (rest: [UInt8], secret: SharedSecret?) {
    var rest: [UInt8] = []
    rest.reserveCapacity(bytes.count)
    var secret: SharedSecret?
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      let value = value(in: start..<end, of: bytes)
      if secret == nil, !value.isEmpty { secret = try copy(value, of: bytes) }
      for index in start..<min(end + 1, bytes.count) where !value.contains(index) {
        rest.append(bytes[index])
      }
      start = end + 1
    }
    return (rest, secret)
  }

  /// The range of the secret in a line; empty if the line holds none.
  private static func value(in line: Range<Int>, of bytes: borrowing Span<UInt8>) -> Range<Int> {
    var line = line
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if line.lowerBound == 0, line.count >= mark.count,
      mark.indices.allSatisfy({ bytes[$0] == mark[$0] })
    {
      line = mark.count..<line.upperBound
    }
    if let last = line.last, bytes[last] == UInt8(ascii: "\r") {
      line = line.lowerBound..<line.upperBound - 1
    }
    let none = line.lowerBound..<line.lowerBound
    guard let equals = line.first(where: { bytes[$0] == UInt8(ascii: "=") }) else { return none }
    let key = trimmed(line.lowerBound..<equals, of: bytes)
    let wanted = Array(ClientSecret.key.utf8)
    guard key.count == wanted.count,
      wanted.indices.allSatisfy({ bytes[key.lowerBound + $0] == wanted[$0] })
    else { return none }
    return trimmed(equals + 1..<line.upperBound, of: bytes)
  }

  /// The range without spaces and tabs at both ends.
  private static func trimmed(_ range: Range<Int>, of bytes: borrowing Span<UInt8>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, isSpace(bytes[start]) { start += 1 }
    while start < end, isSpace(bytes[end - 1]) { end -= 1 }
    return start..<end
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func copy(
    _ range: Range<Int>,
    of bytes: borrowing Span<UInt8>
  ) throws(ConfigurationError) -> SharedSecret {
    do throws(SecretMemoryError) {
      return SharedSecret(
        unsafe try SecretBytes(capacity: range.count) { room in
          for (offset, index) in range.enumerated() { unsafe room[offset] = bytes[index] }
          return range.count
        }
      )
    } catch {
      throw ConfigurationError(.unreadable("\(error)"), key: ClientSecret.key)
    }
  }
}
