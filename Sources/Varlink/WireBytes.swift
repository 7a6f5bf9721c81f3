package import JSON
package import SecretMemory

/// Bytes in a JSON string: base64 with padding (RFC 4648, section 4).
package struct WireBytes: WireValue {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    guard let bytes = Base64.standard.bytes(try String.from(value, name: name).utf8) else {
      throw .badValue(name)
    }
    return WireBytes(bytes: bytes)
  }

  package var wire: JSONValue { .string(Base64.standard.text(bytes)) }
}

/// Secret bytes in a JSON string, which never leave locked memory.
package struct WireSecret: WireValue {
  package let secret: SharedSecret

  package init(secret: SharedSecret) { self.secret = secret }

  package static func from(_ value: JSONValue, name: String) throws(MessageError) -> Self {
    guard case .secret(let text) = value else { throw .wrongType(name) }
    var isValid = true
    let bytes = try held { () throws in
      unsafe try SecretBytes(capacity: Base64.standard.mostBytes(ofText: text.bytes.count)) {
        room in
        let count = unsafe text.bytes.withUnsafeBytes {
          unsafe Base64.standard.decode($0, into: room)
        }
        isValid = count != nil
        return count ?? 0
      }
    }
    guard isValid else { throw .badValue(name) }
    return WireSecret(secret: SharedSecret(bytes))
  }

  package var wire: JSONValue {
    get throws(MessageError) {
      .secret(
        SharedSecret(
          try held { () throws in
            unsafe try SecretBytes(capacity: Base64.standard.count(ofBytes: secret.bytes.count)) {
              room in
              unsafe secret.bytes.withUnsafeBytes { unsafe Base64.standard.encode($0, into: room) }
            }
          }
        )
      )
    }
  }
}

/// Makes a secret, and maps the error to this room's type.
private func held(_ make: () throws -> SecretBytes) throws(MessageError) -> SecretBytes {
  do {
    return try make()
  } catch let error as SecretMemoryError {
    throw .memory(error)
  } catch {
    throw .memory(.tooLong(SecretBytes.maximumCount))
  }
}
