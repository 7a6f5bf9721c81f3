/// Why a redirect does not complete a sign-in.
///
/// No case quotes the redirect, which holds an authorization code.
public enum RedirectError: Error, Equatable, Sendable, CustomStringConvertible {
  /// More than `RedirectAnswer.maximumCount` bytes or `RedirectAnswer.maximumParameters`.
  case tooLong
  /// A percent sign without two digits, or text that is not UTF-8.
  case malformed
  /// A repeated parameter that must occur once (RFC 6749, section 3.1); its name.
  case duplicate(String)
  /// The `state` is missing or wrong: the redirect belongs to a sign-in that did not start here.
  case wrongState
  /// The `iss` is wrong: the redirect comes from another provider (RFC 9207, section 2.4).
  case wrongIssuer
  /// The provider promises an `iss`, and the redirect has none.
  case missingIssuer
  /// The redirect holds neither a code nor an error.
  case noAnswer
  /// A code and an error together, or a value that cannot be a code.
  case contradictory
  /// There was no memory for the code.
  case memory

  /// One line that quotes nothing from the redirect.
  public var description: String {
    switch self {
    case .tooLong: "the redirect is too long"
    case .malformed: "the redirect cannot be read"
    case .duplicate(let name): "the redirect has `\(name)` twice"
    case .wrongState: "the redirect belongs to another sign-in (wrong `state`)"
    case .wrongIssuer: "the redirect comes from another provider"
    case .missingIssuer: "the redirect does not say which provider it comes from"
    case .noAnswer: "the redirect holds neither a code nor an error"
    case .contradictory: "the redirect contradicts itself"
    case .memory: "there is no locked memory for the code"
    }
  }
}
