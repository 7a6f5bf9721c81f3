internal import CFprint
package import SecretMemory

/// Why bytes are not a print that libfprint may be given.
package enum PrintFlaw: Error, Equatable, Sendable, CustomStringConvertible {
  /// Longer than any print.
  case tooLong
  /// Not the format that libfprint writes.
  case malformed
  /// A value that no reader writes.
  case badValue
  /// The print of another finger than the expected one.
  case otherFinger

  /// The text for a person.
  package var description: String {
    switch self {
    case .tooLong: "it is too long"
    case .malformed: "it is damaged"
    case .badValue: "it holds a value that no reader writes"
    case .otherFinger: "it is of another finger"
    }
  }
}

/// An enrolled print: bytes that libfprint wrote, or that were checked to be in its format.
///
/// A print makes a reader accept a finger. So it is a secret, and must come from an authenticated
/// store only.
package struct StoredPrint: Sendable {
  /// The most bytes of a print.
  package static let maximumCount = 64 * 1024

  package let finger: Finger
  /// The driver that can use it.
  package let driver: String
  /// The reader of that driver that can use it.
  package let device: String
  /// Whether the reader stores the template itself, so that this print is only its name there.
  package let isOnReader: Bool
  /// The user of the enrollment, if the enrolling program recorded it.
  package let user: String?
  /// The bytes that libfprint wrote (fp_print_serialize).
  package let bytes: SharedSecret

  /// Takes the bytes of a print after a check that libfprint itself does not make.
  ///
  /// fp_print_deserialize aborts the process on damaged bytes, because it asserts their content.
  package init(_ bytes: SharedSecret, finger: Finger) throws(PrintFlaw) {
    let facts = unsafe try bytes.bytes.withUnsafeBytes { buffer throws(PrintFlaw) in
      unsafe try PrintCheck.facts(of: buffer)
    }
    guard facts.finger == finger.rawValue else { throw .otherFinger }
    self.finger = finger
    driver = facts.driver
    device = facts.device
    isOnReader = facts.isOnReader
    user = facts.user
    self.bytes = bytes
  }

  /// SHA-256 of the bytes (g_checksum_new(3)).
  package var digest: [UInt8] {
    guard let checksum = unsafe g_checksum_new(G_CHECKSUM_SHA256) else { return [] }
    defer { unsafe g_checksum_free(checksum) }
    unsafe bytes.bytes.withUnsafeBytes { buffer in
      let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      unsafe g_checksum_update(checksum, start, gssize(buffer.count))
    }
    var digest = [UInt8](repeating: 0, count: 32)
    var count = gsize(digest.count)
    unsafe g_checksum_get_digest(checksum, &digest, &count)
    return digest
  }

  /// The library's own object, which the caller must unreference; `nil` if the library refuses it.
  package func deserialized() -> OpaquePointer? {
    unsafe bytes.bytes.withUnsafeBytes { buffer in
      var error: UnsafeMutablePointer<GError>?
      let print = unsafe fp_print_deserialize(
        buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
        gsize(buffer.count),
        &error
      )
      if let error = unsafe error { unsafe g_error_free(error) }
      return unsafe print
    }
  }
}

/// Releases an object of the library; `nil` does nothing.
package func release(_ object: OpaquePointer?) {
  if let object = unsafe object { unsafe g_object_unref(UnsafeMutableRawPointer(object)) }
}
