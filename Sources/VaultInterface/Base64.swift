internal import JSON
internal import SecretMemory

/// Bytes in a JSON string: base64 with padding (RFC 4648 section 4), in its one canonical form.
struct Base64: WireValue {
  let bytes: [UInt8]

  static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    let text = Array(try String.from(value, name: name).utf8)
    var bytes = [UInt8](repeating: 0, count: text.count / 4 * 3)
    let count = unsafe text.withUnsafeBytes { text in
      unsafe bytes.withUnsafeMutableBytes { room in unsafe decodeBase64(text, into: room) }
    }
    guard let count else { throw .badValue(name) }
    return Base64(bytes: Array(bytes.prefix(count)))
  }

  var wire: JSONValue {
    .string(
      unsafe String(unsafeUninitializedCapacity: base64Count(bytes.count)) { room in
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe encodeBase64(bytes, into: UnsafeMutableRawBufferPointer(room))
        }
      }
    )
  }
}

/// Secret bytes in a JSON string, which never leave locked memory.
struct Base64Secret: WireValue {
  let secret: SharedSecret

  static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    guard case .secret(let text) = value else { throw .wrongType(name) }
    var isValid = true
    let bytes = try held { () throws in
      unsafe try SecretBytes(capacity: text.bytes.count / 4 * 3) { room in
        let count = unsafe text.bytes.withUnsafeBytes { unsafe decodeBase64($0, into: room) }
        isValid = count != nil
        return count ?? 0
      }
    }
    guard isValid else { throw .badValue(name) }
    return Base64Secret(secret: SharedSecret(bytes))
  }

  var wire: JSONValue {
    get throws(MessageError) {
      .secret(
        SharedSecret(
          try held { () throws in
            unsafe try SecretBytes(capacity: base64Count(secret.bytes.count)) { room in
              unsafe secret.bytes.withUnsafeBytes { unsafe encodeBase64($0, into: room) }
            }
          }
        )
      )
    }
  }
}

/// Makes a secret, with an error of this room.
private func held(_ make: () throws -> SecretBytes) throws(MessageError) -> SecretBytes {
  do {
    return try make()
  } catch let error as SecretMemoryError {
    throw .memory(error)
  } catch {
    throw .memory(.tooLong(SecretBytes.maximumCount))
  }
}

private func base64Count(_ count: Int) -> Int {
  (count + 2) / 3 * 4
}

/// The letter of six bits, without a table: no memory is read at a place that depends on a secret.
private func letter(_ bits: UInt32) -> UInt8 {
  let bits = UInt8(truncatingIfNeeded: bits & 63)
  return switch bits {
  case 0..<26: bits + UInt8(ascii: "A")
  case 26..<52: bits - 26 + UInt8(ascii: "a")
  case 52..<62: bits - 52 + UInt8(ascii: "0")
  case 62: UInt8(ascii: "+")
  default: UInt8(ascii: "/")
  }
}

private func bits(_ letter: UInt8) -> UInt32? {
  switch letter {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
  case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
  case UInt8(ascii: "+"): 62
  case UInt8(ascii: "/"): 63
  default: nil
  }
}

/// Writes the text of the bytes to a room of `base64Count`, and returns how many it wrote.
private func encodeBase64(
  _ bytes: UnsafeRawBufferPointer,
  into room: UnsafeMutableRawBufferPointer
) -> Int {
  var written = 0
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let count = min(3, bytes.count - start)
    guard written + 4 <= room.count else { return written }
    var group: UInt32 = 0
    for index in 0..<3 {
      group = group << 8 | (index < count ? UInt32(unsafe bytes[start + index]) : 0)
    }
    for index in 0..<4 {
      let isPadding = index > count
      unsafe room[written] = isPadding ? UInt8(ascii: "=") : letter(group >> UInt32(18 - 6 * index))
      written += 1
    }
  }
  return written
}

/// Writes the bytes of the text; nil where it is not base64 in its canonical form.
private func decodeBase64(
  _ text: UnsafeRawBufferPointer,
  into room: UnsafeMutableRawBufferPointer
) -> Int? {
  guard text.count % 4 == 0, room.count >= text.count / 4 * 3 else { return nil }
  var written = 0
  for start in stride(from: 0, to: text.count, by: 4) {
    var padding = 0
    if start + 4 == text.count {
      if unsafe text[start + 3] == UInt8(ascii: "=") { padding = 1 }
      if unsafe padding == 1 && text[start + 2] == UInt8(ascii: "=") { padding = 2 }
    }
    var group: UInt32 = 0
    for index in 0..<4 {
      var six: UInt32 = 0
      if index < 4 - padding {
        guard let known = unsafe bits(text[start + index]) else { return nil }
        six = known
      }
      group = group << 6 | six
    }
    // What padding cuts off is zero, or two texts would stand for the same bytes.
    guard group & ((1 << UInt32(8 * padding)) - 1) == 0 else { return nil }
    for index in 0..<3 - padding {
      unsafe room[written] = UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * index))
      written += 1
    }
  }
  return written
}
