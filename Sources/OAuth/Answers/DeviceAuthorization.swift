internal import Configuration
internal import JSON
internal import PlainText
public import SecretMemory

/// The device authorization response (RFC 8628, section 3.2), for signing in without a browser on
/// this device.
public struct DeviceAuthorization: Sendable {
  /// The longest wait in seconds; a longer `expires_in` is clamped to it.
  public static let longestLife = 900
  /// The longest polling interval in seconds.
  public static let longestInterval = 300
  static let standardInterval = 5

  /// The code that the token request sends.
  public let deviceCode: SharedSecret
  /// The code that the person types in: printable ASCII, at most 64 characters.
  public let userCode: String
  /// The page for the code: an https URL, or plain http on this machine if the issuer is plain http
  /// too.
  public let verificationURI: String
  /// The same page with the code in the URL, for a QR code.
  public let verificationURIComplete: String?
  /// Seconds until the code expires, at most `longestLife`.
  public let expiresIn: Int
  /// Seconds between two polls.
  public let interval: Int
}

/// The meaning of an answer to a device authorization request.
public enum DeviceJudgement: Sendable {
  /// The codes.
  case authorization(DeviceAuthorization)
  /// Too many requests; seconds to wait, if the provider said so.
  case rateLimited(retryAfter: Int?)
  /// The provider is out of order: try again later.
  case failing(status: Int, retryAfter: Int?, message: String)
  /// The provider does not grant the scopes; `message` is its own, fit to be shown.
  case scopeRefused(status: Int, message: String?)
  /// The configuration does not fit the provider.
  case misconfigured(message: String)
}

extension TokenJudge {
  /// Judges an answer to a device authorization request.
  func judgeDeviceAuthorization(
    status: Int,
    retryAfter: Int?,
    body: borrowing SecretBytes
  ) -> DeviceJudgement {
    guard (200...299).contains(status) else {
      // The rules for token answers decide about waiting. Every other error points to the
      // configuration.
      switch judge(status: status, retryAfter: retryAfter, body: body, for: .device, sent: nil) {
      case .rateLimited(let wait): return .rateLimited(retryAfter: wait)
      case .failing(let status, let wait, let message):
        return .failing(status: status, retryAfter: wait, message: message)
      case .scopeRefused(let status, let message):
        return .scopeRefused(status: status, message: message)
      default:
        let object = Answer(body, secretMembers: secretMembers).object
        let code = object.flatMap(errorCode).flatMap { DisplayText.of($0, most: 40) }
        let words = object.flatMap { description(in: $0, hiding: nil) }.map { " (\($0))" }
        return .misconfigured(message: fault("answered \(status) \(code ?? "")\(words ?? "")"))
      }
    }
    guard case .object(let object) = Answer(body, secretMembers: secretMembers) else {
      return .failing(status: status, retryAfter: nil, message: "the answer is not a JSON object")
    }
    do throws(JSONError) {
      return try authorization(in: object)
    } catch {
      return .misconfigured(message: fault("gave no device code: \(error)"))
    }
  }

  /// Judges an answer with the status 429.
  ///
  /// Auth0 sends `slow_down` with it. `slow_down` lengthens all later waits, and a rate limit only
  /// the next one.
  func tooMany(_ answer: Answer, _ wait: Int?, _ purpose: TokenPurpose) -> Judgement {
    let code = purpose == .device ? answer.object.flatMap(errorCode) : nil
    guard code?.isByteEqual(to: "slow_down") == true else { return .rateLimited(retryAfter: wait) }
    return .pending(slowDown: true)
  }

  private func authorization(in object: JSONObject) throws(JSONError) -> DeviceJudgement {
    guard let deviceCode = try object.optionalSecret("device_code") else {
      guard let code = errorCode(in: object), let shown = DisplayText.of(code, most: 40) else {
        throw .missing("device_code")
      }
      return .misconfigured(message: fault("answered \(shown)"))
    }
    guard (1...ProviderClient.maximumCode).contains(deviceCode.bytes.count) else {
      throw .wrongType("device_code")
    }
    let userCode = try object.string("user_code")
    guard (1...64).contains(userCode.utf8.count),
      userCode.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { throw .wrongType("user_code") }
    // Google's first spelling, which some providers still use.
    let name = object["verification_uri"] == nil ? "verification_url" : "verification_uri"
    let uri = try shownURL(object.string(name), name)
    var complete: String?
    if let text = try object.optionalString("verification_uri_complete") {
      complete = try shownURL(text, "verification_uri_complete")
    }
    let life = object["expires_in"].flatMap(Self.lifetime) ?? DeviceAuthorization.longestLife
    let interval = object["interval"].flatMap(Self.lifetime) ?? 0
    return .authorization(
      DeviceAuthorization(
        deviceCode: deviceCode,
        userCode: userCode,
        verificationURI: uri,
        verificationURIComplete: complete,
        expiresIn: min(max(life, 1), DeviceAuthorization.longestLife),
        interval: interval == 0
          ? DeviceAuthorization.standardInterval
          : min(interval, DeviceAuthorization.longestInterval)
      )
    )
  }

  /// Checks a URL that a person will open.
  ///
  /// User information in it could show one host and lead to another.
  private func shownURL(_ text: String, _ name: String) throws(JSONError) -> String {
    guard let target = try? RequestTarget(text),
      target.scheme == "https" || provider.issuer.isPlain
    else { throw .wrongType(name) }
    // The fragment is for the browser. The target leaves it out.
    return target.text + text.drop { $0 != "#" }
  }

  private func fault(_ what: String) -> String {
    "the device authorization endpoint \(what); check provider \(provider.name)"
  }
}
