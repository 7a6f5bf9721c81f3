internal import CFido2
internal import Glibc
internal import SecretMemory

/// libfido2, loaded at the first search for a key, and never freed.
@safe
struct KeyLibrary: @unchecked Sendable {
  private static let shared = unsafe cfido2_load().map { unsafe KeyLibrary(functions: $0.pointee) }

  /// The relying party of all credentials.
  static let domain = "thumblatch"

  /// The maximum number of examined nodes.
  private static let maximumNodes = 64

  private let functions: cfido2

  /// The functions of the library.
  ///
  /// - Throws: `noLibrary`.
  static func loaded() throws(KeyFailure) -> cfido2 {
    guard let shared else { throw .noLibrary }
    return shared.functions
  }

  /// The paths of the nodes of the keys.
  static func paths(_ nodes: KeyNodes) throws(KeyFailure) -> [String] {
    switch nodes {
    case .paths(let paths): paths
    case .plugged: try plugged()
    }
  }

  private static func plugged() throws(KeyFailure) -> [String] {
    let fido = try loaded()
    guard let list = fido.dev_info_new(maximumNodes) else { return [] }
    var rest: OpaquePointer? = unsafe list
    defer { unsafe fido.dev_info_free(&rest, maximumNodes) }
    var count = 0
    let code = unsafe fido.dev_info_manifest(list, maximumNodes, &count)
    guard code == FIDO_OK else { return [] }
    return (0..<count).compactMap { index in
      let entry = unsafe fido.dev_info_ptr(list, index)
      return unsafe fido.dev_info_path(entry).map { unsafe String(cString: $0) }
    }
  }

  /// Copies bytes that the library owns.
  static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
  }

  /// Lends a PIN in the library's form, with NUL at its end.
  ///
  /// - Throws: `wrongPIN` if no key can have this PIN, so that no try is used up.
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
    // CTAP 2.1, section 6.5.1: at least 4 characters, and at most 63 bytes.
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
