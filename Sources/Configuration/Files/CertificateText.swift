/// Reduces a PEM text (RFC 7468) to its certificates.
enum CertificateText {
  /// The greatest length of a provider's certificates: a Varlink message must hold them.
  static let maximumLength = 24 * 1024

  private static let begin = "-----BEGIN CERTIFICATE-----"
  private static let end = "-----END CERTIFICATE-----"

  /// Keeps the certificate blocks and drops the text between them.
  ///
  /// Each line ends with one newline. A private key is refused: it does not belong here and would
  /// be spread.
  static func canonical(_ text: String) throws(ConfigurationError) -> String {
    guard !text.contains("PRIVATE KEY-----") else {
      throw bad("certificates only: this holds a private key")
    }
    var result = ""
    var inside = false
    for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
      let trimmed = line.trimmingSpaces()
      switch (inside, trimmed) {
      case (false, begin[...]): inside = true
      case (false, _): continue
      case (true, end[...]): inside = false
      case (true, _):
        guard isBase64(trimmed) else { throw bad("certificates in PEM form") }
      }
      result += trimmed + "\n"
    }
    guard !inside && !result.isEmpty else {
      throw bad("certificates in PEM form, from BEGIN CERTIFICATE to END CERTIFICATE")
    }
    return result
  }

  private static func isBase64(_ text: Substring) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
          UInt8(ascii: "="):
          true
        default: false
        }
      }
  }

  private static func bad(_ rule: String) -> ConfigurationError {
    ConfigurationError(.badValue(text: nil, rule: rule))
  }
}
