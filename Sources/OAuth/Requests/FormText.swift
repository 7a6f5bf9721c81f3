internal import JSON
internal import SecretMemory

/// Names and values as `application/x-www-form-urlencoded` (RFC 6749, appendix B).
///
/// A body is written straight into locked memory. Everything but letters, digits and `-._~` is
/// encoded. A space becomes `%20`, so that the same text is also right in a URL's query.
struct FormText {
  private enum Value {
    case text(String)
    case secret(SharedSecret)
  }

  private var members: [(name: String, value: Value)] = []

  mutating func add(_ name: String, _ text: String?) {
    if let text { members.append((name, .text(text))) }
  }

  mutating func add(_ name: String, _ secret: SharedSecret) {
    members.append((name, .secret(secret)))
  }

  /// The text as a request body.
  func body() throws(OAuthError) -> SharedSecret {
    SharedSecret(try Self.held { put in write(put) })
  }

  /// A name and a secret as the value of the header `Authorization`: each is form-encoded, then the
  /// pair becomes base64 (RFC 7617, section 2).
  static func basic(_ name: String, _ secret: SharedSecret) throws(OAuthError) -> SharedSecret {
    let pair = try held { write in
      for byte in name.utf8 { put(byte, write) }
      write(UInt8(ascii: ":"))
      secret.bytes.withBytes { bytes in
        for index in bytes.indices { put(bytes[index], write) }
      }
    }
    let scheme = Array("Basic ".utf8)
    do throws(SecretMemoryError) {
      return SharedSecret(
        unsafe try SecretBytes(
          capacity: scheme.count + Base64.standard.count(ofBytes: pair.count)
        ) { room in
          unsafe room.copyBytes(from: scheme)
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[scheme.count...])
          return unsafe pair.withUnsafeBytes { bytes in
            unsafe scheme.count + Base64.standard.encode(bytes, into: rest)
          }
        }
      )
    } catch {
      throw OAuthError.memory(error)
    }
  }

  /// Returns the output of `body` in locked memory.
  ///
  /// `body` runs twice and must write the same bytes each time.
  private static func held(_ body: ((UInt8) -> Void) -> Void) throws(OAuthError) -> SecretBytes {
    var count = 0
    body { _ in count += 1 }
    guard count <= SecretBytes.maximumCount else {
      throw OAuthError.unusable(what: "request", rule: "shorter")
    }
    do throws(SecretMemoryError) {
      return unsafe try SecretBytes(capacity: count) { room in
        var position = 0
        body { byte in
          unsafe room[position] = byte
          position += 1
        }
        return position
      }
    } catch {
      throw OAuthError.memory(error)
    }
  }

  /// The text as the query of a URL, without the secrets: they must never be in a URL.
  var query: String {
    members.compactMap { member in
      guard case .text(let text) = member.value else { return nil }
      return Self.encoded(member.name) + "=" + Self.encoded(text)
    }.joined(separator: "&")
  }

  static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 { put(byte) { bytes.append($0) } }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func write(_ put: (UInt8) -> Void) {
    for (index, member) in members.enumerated() {
      if index > 0 { put(UInt8(ascii: "&")) }
      for byte in member.name.utf8 { Self.put(byte, put) }
      put(UInt8(ascii: "="))
      switch member.value {
      case .text(let text):
        for byte in text.utf8 { Self.put(byte, put) }
      case .secret(let secret):
        secret.bytes.withBytes { bytes in
          for index in bytes.indices { Self.put(bytes[index], put) }
        }
      }
    }
  }

  private static func put(_ byte: UInt8, _ write: (UInt8) -> Void) {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      write(byte)
    default:
      let digits = Array("0123456789ABCDEF".utf8)
      write(UInt8(ascii: "%"))
      write(digits[Int(byte >> 4)])
      write(digits[Int(byte & 15)])
    }
  }
}
