public import Configuration
public import SecretMemory

/// The provider's answer in the browser's redirect (RFC 6749, sections 4.1.2 and 4.1.2.1).
public enum RedirectAnswer: Sendable {
  /// The authorization code.
  case code(SharedSecret)
  /// The provider or the person refused.
  ///
  /// The error code and the message for people are both fit to be shown.
  case refused(error: String, message: String?)

  /// The most bytes of a redirect.
  public static let maximumCount = 16 * 1024
  /// The most parameters of a redirect.
  public static let maximumParameters = 32

  /// Reads the query of a redirect, or a whole URL that the person pasted.
  ///
  /// - Parameters:
  ///   - redirect: the text after the `?`, or the URL.
  ///   - state: the state of `ProviderClient.authorization`.
  ///   - provider: the provider that the browser was sent to.
  /// - Throws: `RedirectError`. Nothing in it counts before `state` and `iss` are verified, not
  ///   even an error: any page can send a browser here.
  /// - Returns: the code, or the refusal.
  public static func parse(
    _ redirect: borrowing SecretBytes,
    state: String,
    provider: Provider
  ) throws(RedirectError) -> RedirectAnswer {
    guard redirect.count <= maximumCount else { throw .tooLong }
    return try redirect.withBytes { bytes throws(RedirectError) in
      let fields = try Fields(bytes)
      try fields.check(state: state, bytes)
      try fields.check(issuer: provider, bytes)
      return try fields.answer(bytes)
    }
  }
}

/// The positions of the parameters.
///
/// Unknown parameters are ignored (RFC 6749, section 4.1.2).
private struct Fields {
  private static let names = ["code", "error", "error_description", "iss", "state"]

  private var ranges: [String: Range<Int>] = [:]

  init(_ bytes: borrowing Span<UInt8>) throws(RedirectError) {
    var start = Self.start(of: bytes)
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "#") { end += 1 }
    var count = 0
    while start < end {
      var next = start
      while next < end, bytes[next] != UInt8(ascii: "&") { next += 1 }
      count += 1
      guard count <= RedirectAnswer.maximumParameters else { throw .tooLong }
      try add(start..<next, bytes)
      start = next + 1
    }
  }

  /// The start of the query: after the first `?` of a pasted URL, or after a leading `?`.
  private static func start(of bytes: borrowing Span<UInt8>) -> Int {
    let isURL = ["http://", "https://", "?"].contains { prefix in
      let prefix = Array(prefix.utf8)
      return bytes.count >= prefix.count
        && prefix.indices.allSatisfy { bytes[$0] == prefix[$0] }
    }
    guard isURL else { return 0 }
    for index in 0..<bytes.count where bytes[index] == UInt8(ascii: "?") { return index + 1 }
    return bytes.count
  }

  private mutating func add(
    _ range: Range<Int>,
    _ bytes: borrowing Span<UInt8>
  ) throws(RedirectError) {
    var equals = range.lowerBound
    while equals < range.upperBound, bytes[equals] != UInt8(ascii: "=") { equals += 1 }
    // A name with percent escapes is the same name. Otherwise an attacker could repeat a parameter.
    var decoder = Decoder(position: range.lowerBound, end: equals)
    var name: [UInt8] = []
    while let byte = try decoder.next(bytes) {
      if name.count <= 64 { name.append(byte) }
    }
    guard let known = Self.names.first(where: { Array($0.utf8) == name }) else { return }
    let value = min(equals + 1, range.upperBound)..<range.upperBound
    guard ranges.updateValue(value, forKey: known) == nil else { throw .duplicate(known) }
  }

  /// Compares in constant time, so that the timing does not reveal how much of a guess was right.
  func check(state: String, _ bytes: borrowing Span<UInt8>) throws(RedirectError) {
    let wanted = Array(state.utf8)
    guard let range = ranges["state"], !wanted.isEmpty else { throw .wrongState }
    var decoder = Decoder(range)
    var difference = 0
    var count = 0
    while let byte = try decoder.next(bytes) {
      difference |= Int(byte ^ wanted[count % wanted.count])
      count += 1
    }
    guard difference == 0, count == wanted.count else { throw .wrongState }
  }

  /// Stops the mix-up attack (RFC 9207, section 1).
  ///
  /// There the same browser is sent to two providers, and the redirect of one hands its code to the
  /// other.
  func check(issuer provider: Provider, _ bytes: borrowing Span<UInt8>) throws(RedirectError) {
    guard let range = ranges["iss"] else {
      if provider.oauth?.responseIssuerRequired == true { throw .missingIssuer }
      return
    }
    let issuer = try text(range, bytes, most: 2048)
    guard issuer.utf8.elementsEqual(provider.issuer.text.utf8) else { throw .wrongIssuer }
  }

  func answer(_ bytes: borrowing Span<UInt8>) throws(RedirectError) -> RedirectAnswer {
    switch (ranges["code"], ranges["error"]) {
    case (let code?, nil): return .code(try secret(code, bytes))
    case (nil, let error?):
      let message = try ranges["error_description"].flatMap { range throws(RedirectError) in
        DisplayText.of(try text(range, bytes, most: 2048), most: 200)
      }
      let shown = DisplayText.of(try text(error, bytes, most: 256), most: 40)
      return .refused(error: shown ?? "unknown", message: message)
    case (nil, nil): throw .noAnswer
    case (_?, _?): throw .contradictory
    }
  }

  private func secret(
    _ range: Range<Int>,
    _ bytes: borrowing Span<UInt8>
  ) throws(RedirectError) -> SharedSecret {
    var decoder = Decoder(range)
    var count = 0
    // VSCHAR (RFC 6749, appendix A.11).
    while let byte = try decoder.next(bytes) {
      guard (0x20...0x7E).contains(byte) else { throw .contradictory }
      count += 1
    }
    guard (1...ProviderClient.maximumCode).contains(count) else { throw .contradictory }
    let secret: SecretBytes
    do {
      secret = unsafe try SecretBytes(capacity: count) { room in
        var decoder = Decoder(range)
        var written = 0
        while written < count, let byte = try decoder.next(bytes) {
          unsafe room[written] = byte
          written += 1
        }
        return written
      }
    } catch {
      throw .memory
    }
    return SharedSecret(secret)
  }

  private func text(
    _ range: Range<Int>,
    _ bytes: borrowing Span<UInt8>,
    most: Int
  ) throws(RedirectError) -> String {
    var decoder = Decoder(range)
    var text: [UInt8] = []
    while let byte = try decoder.next(bytes) {
      guard text.count < most else { throw .tooLong }
      text.append(byte)
    }
    guard let valid = String(validating: text, as: UTF8.self) else { throw .malformed }
    return valid
  }
}

/// Decodes a form-encoded value byte by byte (RFC 6749, appendix B).
private struct Decoder {
  private var position: Int
  private let end: Int

  init(_ range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  init(position: Int, end: Int) {
    self.position = position
    self.end = end
  }

  mutating func next(_ bytes: borrowing Span<UInt8>) throws(RedirectError) -> UInt8? {
    guard position < end else { return nil }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "+"): return UInt8(ascii: " ")
    case UInt8(ascii: "%"):
      guard position + 2 <= end, let high = Self.digit(bytes[position]),
        let low = Self.digit(bytes[position + 1])
      else { throw .malformed }
      position += 2
      return high << 4 | low
    // An HTTP listener never passes these bytes on, but a pasted text may hold them.
    case 0..<0x21, 0x7F: throw .malformed
    default: return byte
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
