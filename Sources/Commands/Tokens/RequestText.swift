internal import Configuration
internal import HelperInterface
internal import JSON
internal import PlainText
internal import ProtectedResources
internal import System
internal import VaultInterface

/// Shows the answer to a request.
enum RequestText {
  /// The error for an answer that is not a success; `nil` for a success.
  static func failure(_ status: Int, _ location: String?) -> CommandError? {
    switch status {
    case 200...299, 304: return nil
    case 300...399:
      return CommandError(
        .serverError,
        "HTTP \(status): a redirect\(location.map { " to \($0)" } ?? "")",
        hint: "a redirect is not followed with an access token; request that address itself"
      )
    case 401:
      return CommandError(
        .serverError,
        "HTTP 401: the access token is not accepted, although it was refreshed"
      )
    default: return CommandError(.serverError, "HTTP \(status)")
    }
  }

  /// The error if a host refused a static secret, which cannot be refreshed.
  static func refusedSecret(of account: String, isBasic: Bool) -> CommandError {
    CommandError(
      .serverError,
      "HTTP 401: the secret of \(account) is not accepted",
      hint: (isBasic ? "" : "if it is a password: --basic; ")
        + "to replace it: thumblatch store \(account)"
    )
  }

  /// The error if a server of an account's only resource wants more scopes (RFC 6750, section 3.1).
  static func missingScope(
    _ status: Int,
    _ headers: [String],
    _ terms: RequestTermsReply
  ) -> CommandError? {
    guard status == 403, terms.resource != nil, let challenge = BearerChallenge(headers: headers),
      challenge.error == "insufficient_scope",
      let scopes = challenge.scope.flatMap(ScopeList.scopes)
    else { return nil }
    let words = scopes.joined(separator: " ")
    // The server chose the words, and a person may paste them into a shell.
    let quoted = words.contains("'") ? "SCOPES" : "'\(words)'"
    return CommandError(
      .serverError,
      "HTTP 403: the token lacks a scope of: \(words)",
      hint: "thumblatch login \(terms.account) --scope \(quoted)"
    )
  }

  /// The error if nothing of the request left this machine.
  ///
  /// If another user's program listens at the address, `user` is that user, if it is known.
  /// `proxy` is the proxy that the request goes through.
  static func notSent(
    to host: String,
    _ reason: ExchangeFailure,
    user: Int? = nil,
    through proxy: String? = nil
  ) -> CommandError {
    if reason == .listener, let user {
      return CommandError(
        .unavailable,
        "nothing was sent: a program of user \(user) listens at \(host)",
        hint: UnavailableText.hint(.listener, retryAfter: nil),
        reason: .listener
      )
    }
    if let why = UnavailableText.reason(reason) {
      let place = why == .notAnswering ? proxy.map { "\(host), or its proxy \($0)," } : nil
      return notTrusted(why, at: place ?? host, isSilent: reason == .silent)
    }
    let isOffline = [.resolve, .connect, .timeout].contains(reason)
    let network = "no network" + (proxy.map { ", or no way through the proxy \($0)" } ?? "")
    return CommandError(
      .unavailable,
      (isOffline ? "\(network): \(host) cannot be reached from here" : "\(host) was not asked")
        + "\(reason.note): nothing was sent",
      hint: hint(reason),
      reason: isOffline ? .offline : nil
    )
  }

  /// The error if the request was sent, and no complete answer came.
  static func lost(from host: String, _ reason: ExchangeFailure) -> CommandError {
    guard reason != .tooLarge else {
      return CommandError(.serverError, "the answer has more than 64 MiB")
    }
    return CommandError(
      .unavailable,
      "no complete answer came from \(host)\(reason.note); the request may have taken effect",
      hint: "check whether it did before you send it again"
    )
  }

  private static func notTrusted(
    _ why: UnavailableReason,
    at host: String,
    isSilent: Bool
  ) -> CommandError {
    let hint = UnavailableText.hint(why, retryAfter: nil)
    let isSaid = hint.hasPrefix("nothing was sent")
    return CommandError(
      .unavailable,
      UnavailableText.text(why, at: host, isSilent: isSilent)
        + (isSaid ? "" : ": nothing was sent"),
      hint: hint,
      reason: CommandError.Reason(word: why.rawValue)
    )
  }

  /// The hint if no answer came.
  static func hint(_ reason: ExchangeFailure) -> String {
    reason == .resolve ? "check the host name and the network" : "nothing is lost; try again later"
  }

  /// The answer as JSON: a body that is text goes into `body`, any other into `body_base64`.
  static func object(
    _ account: String,
    _ url: String,
    _ status: Int,
    _ type: String?,
    _ length: Int,
    _ file: String?,
    _ answer: borrowing MemoryFile,
    _ failure: CommandError?
  ) throws(CommandError) -> JSONObject {
    var object: JSONObject = [
      "account": .string(account), "url": .string(url), "status": .integer(Int64(status)),
      "content_type": AccountText.optional(type), "length": .integer(Int64(length)),
      "file": AccountText.optional(failure == nil ? file : nil),
    ]
    if file == nil {
      var bytes: [UInt8] = []
      answer.read { bytes += $0 }
      if let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) {
        object["body"] = .string(text)
      } else {
        object["body"] = .null
        object["body_base64"] = .string(base64(bytes))
      }
    }
    if let failure {
      object["error"] = [
        "code": .string(failure.code.name), "message": .string(failure.message),
        "hint": AccountText.optional(failure.hint),
      ]
    }
    return object
  }

  /// Writes the body to standard output.
  ///
  /// It is unchanged except on a terminal, which would obey the control characters of a server.
  static func print(_ answer: borrowing MemoryFile, on output: Output) throws(CommandError) {
    guard output.isTerminal else {
      return try answer.read { bytes throws(CommandError) in try output.data(bytes: bytes) }
    }
    var bytes: [UInt8] = []
    answer.read { bytes += $0 }
    guard !bytes.isEmpty else { return }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw .usage(
        "the answer is not text, and standard output is a terminal",
        hint: "use -o FILE or a pipe"
      )
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let plain = lines.map { PlainText.line(String($0), limit: Int.max) }
    try output.data(plain.joined(separator: "\n"))
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let part = bytes[start..<min(start + 3, bytes.count)]
      var group: UInt32 = 0
      for index in 0..<3 {
        group = group << 8 | UInt32(index < part.count ? part[start + index] : 0)
      }
      for index in 0..<4 {
        let isPadding = index > part.count
        text.append(
          isPadding ? UInt8(ascii: "=") : alphabet[Int(group >> (18 - 6 * UInt32(index)) & 63)]
        )
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
