internal import CFido2
internal import Glibc
internal import SecretMemory

/// libfido2, prepared once.
enum KeyLibrary {
  /// The relying party of all credentials.
  static let domain = "thumblatch"

  /// The most nodes that are looked at.
  private static let maximumNodes = 64

  /// Prepares the library without U2F, which knows neither a silent look nor a PIN.
  private static let isPrepared: Void = fido_init(FIDO_DISABLE_U2F_FALLBACK)

  /// The paths of the nodes of the keys.
  static func paths(_ nodes: KeyNodes) -> [String] {
    _ = isPrepared
    switch nodes {
    case .paths(let paths): return paths
    case .plugged: return plugged()
    }
  }

  private static func plugged() -> [String] {
    guard let list = unsafe fido_dev_info_new(maximumNodes) else { return [] }
    var rest: OpaquePointer? = unsafe list
    defer { unsafe fido_dev_info_free(&rest, maximumNodes) }
    var count = 0
    guard unsafe fido_dev_info_manifest(list, maximumNodes, &count) == FIDO_OK else { return [] }
    return (0..<count).compactMap { index in
      unsafe fido_dev_info_path(fido_dev_info_ptr(list, index)).map { unsafe String(cString: $0) }
    }
  }

  /// Copies bytes that the library owns.
  static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  }

  /// Lends a PIN as the library takes it: NUL at its end.
  ///
  /// - Throws: `wrongPIN` if no key can have this PIN, so that none of its tries is used up.
  static func withPIN<Result>(
    _ pin: SharedSecret?,
    _ body: (UnsafePointer<CChar>?) throws(KeyFailure) -> Result
  ) throws(KeyFailure) -> Result {
    guard let pin else { return try body(nil) }
    let text: SecretBytes
    do throws(SecretMemoryError) {
      text = try terminated(pin)
    } catch {
      throw .unexpected(FIDO_ERR_INTERNAL)
    }
    // CTAP 2.1, section 6.5.1: 4 characters at least, and 63 bytes at most.
    guard (4...63).contains(pin.bytes.count) else { throw .wrongPIN(retries: nil) }
    return unsafe try text.withUnsafeBytes { bytes throws(KeyFailure) in
      unsafe try body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
  }

  private static func terminated(_ pin: SharedSecret) throws(SecretMemoryError) -> SecretBytes {
    unsafe try SecretBytes(capacity: pin.bytes.count + 1) { buffer in
      pin.bytes.withBytes { bytes in
        for index in bytes.indices { unsafe buffer[index] = bytes[index] }
      }
      unsafe buffer[pin.bytes.count] = 0
      return pin.bytes.count + 1
    }
  }
}
