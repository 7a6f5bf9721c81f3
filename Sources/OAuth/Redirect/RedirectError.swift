/// Why a redirect is not the answer to a login.
///
/// Nothing of the redirect is quoted: it holds an authorization code.
public enum RedirectError: Error, Equatable, Sendable, CustomStringConvertible {
  /// More than `RedirectAnswer.maximumCount` bytes or `RedirectAnswer.maximumParameters`.
  case tooLong
  /// A percent sign without two digits, or text that is not UTF-8.
  case malformed
  /// A parameter that comes twice, under the name that it must have once (RFC 6749, section 3.1).
  case duplicate(String)
  /// The `state` is missing or another: it answers a login that was not begun here.
  case wrongState
  /// The `iss` is another: the answer is another provider's (RFC 9207, section 2.4).
  case wrongIssuer
  /// The provider promises an `iss`, and there is none.
  case missingIssuer
  /// Neither a code nor an error.
  case noAnswer
  /// A code and an error at once, or a code that cannot be one.
  case contradictory
  /// There was no memory for the code.
  case memory

  /// One line, without anything of the redirect.
  public var description: String {
    switch self {
    case .tooLong: "the redirect is too long"
    case .malformed: "the redirect cannot be read"
    case .duplicate(let name): "the redirect has `\(name)` twice"
    case .wrongState: "the redirect answers another login"
    case .wrongIssuer: "the redirect comes from another provider"
    case .missingIssuer: "the redirect does not say which provider it comes from"
    case .noAnswer: "the redirect holds neither a code nor an error"
    case .contradictory: "the redirect contradicts itself"
    case .memory: "there is no locked memory for the code"
    }
  }
}
