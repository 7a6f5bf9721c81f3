package import SecretMemory

/// The outcome of an exchange with a provider, as the exchange helper leaves it for the engine.
///
/// If it is unknown whether the provider received the request, the slot stays empty.
package enum ExchangeOutcome: Sendable {
  /// No byte of the request was sent; the reason is a word such as `resolve`.
  case notSent(reason: String)
  /// The provider answered: status code, `Retry-After` in seconds, and the body.
  case answered(status: Int, retryAfter: Int?, body: SharedSecret)

  /// The most bytes of a body.
  package static let maximumBodyCount = 60 * 1024
  /// The most bytes of a reason.
  package static let maximumReasonCount = 256
}

extension ExchangeOutcome {
  private static let version: UInt8 = 1
  private static let notSentTag: UInt8 = 1
  private static let answeredTag: UInt8 = 2
  /// Version, tag, status (2), whether there is a Retry-After (1), Retry-After (8), length (4).
  private static let answeredHeaderCount = 17
  /// Version, tag, length (4).
  private static let notSentHeaderCount = 6

  /// The plaintext of the slot's box.
  func encoded() throws(CryptographyError) -> SecretBytes {
    switch self {
    case .notSent(let reason):
      let text = [UInt8](reason.utf8)
      guard text.count <= Self.maximumReasonCount else { throw .wrongLength }
      let bytes = [Self.version, Self.notSentTag] + lengthPrefixed(text)
      return unsafe try filled(capacity: bytes.count) { output in
        unsafe output.copyBytes(from: bytes)
      }
    case .answered(let status, let retryAfter, let body):
      guard body.bytes.count <= Self.maximumBodyCount else { throw .wrongLength }
      guard (0...999).contains(status), retryAfter ?? 0 >= 0 else { throw .malformed }
      let header =
        [Self.version, Self.answeredTag] + littleEndian(UInt16(status))
        + [retryAfter == nil ? 0 : 1] + littleEndian(Int64(retryAfter ?? 0))
        + littleEndian(UInt32(body.bytes.count))
      return unsafe try body.bytes.withUnsafeBytes { bytes throws(CryptographyError) in
        unsafe try filled(capacity: header.count + bytes.count) { output in
          unsafe output.copyBytes(from: header)
          let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: output.dropFirst(header.count))
          unsafe rest.copyMemory(from: bytes)
        }
      }
    }
  }

  /// Reads only bytes that `encoded` has written.
  init(decoding plaintext: borrowing SecretBytes) throws(CryptographyError) {
    self = unsafe try plaintext.withUnsafeBytes { bytes throws(CryptographyError) in
      guard bytes.count >= Self.notSentHeaderCount else { throw .wrongLength }
      guard unsafe bytes[0] == Self.version else { throw .unknownVersion(unsafe bytes[0]) }
      switch unsafe bytes[1] {
      case Self.notSentTag: return unsafe try Self.decodeNotSent(bytes)
      case Self.answeredTag: return unsafe try Self.decodeAnswered(bytes)
      default: throw .malformed
      }
    }
  }

  private static func decodeNotSent(
    _ bytes: UnsafeRawBufferPointer
  ) throws(CryptographyError) -> ExchangeOutcome {
    let length: UInt32 = unsafe integer(bytes[2..<notSentHeaderCount])
    guard Int(length) == bytes.count - notSentHeaderCount, length <= maximumReasonCount
    else { throw .wrongLength }
    guard
      let reason = unsafe String(validating: bytes.dropFirst(notSentHeaderCount), as: UTF8.self)
    else { throw .malformed }
    return .notSent(reason: reason)
  }

  private static func decodeAnswered(
    _ bytes: UnsafeRawBufferPointer
  ) throws(CryptographyError) -> ExchangeOutcome {
    guard bytes.count >= answeredHeaderCount else { throw .wrongLength }
    let status: UInt16 = unsafe integer(bytes[2..<4])
    let retryAfter: Int64 = unsafe integer(bytes[5..<13])
    let length: UInt32 = unsafe integer(bytes[13..<answeredHeaderCount])
    guard Int(length) == bytes.count - answeredHeaderCount, length <= maximumBodyCount
    else { throw .wrongLength }
    let hasRetryAfter = unsafe bytes[4]
    guard status <= 999, hasRetryAfter <= 1, retryAfter >= 0, hasRetryAfter == 1 || retryAfter == 0
    else { throw .malformed }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst(answeredHeaderCount))
    let body: SecretBytes
    do throws(SecretMemoryError) {
      body = unsafe try SecretBytes(copying: rest)
    } catch {
      throw .memory(error)
    }
    return .answered(
      status: Int(status),
      retryAfter: hasRetryAfter == 1 ? Int(retryAfter) : nil,
      body: SharedSecret(body)
    )
  }
}
