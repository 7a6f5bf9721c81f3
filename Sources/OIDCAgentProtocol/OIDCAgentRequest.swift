internal import JSON
internal import PlainText
package import ToolProtocols

/// A request of a client of oidc-agent (`docs/api/api-ipc.md` of oidc-agent).
///
/// Each connection carries one JSON object, and one object that answers it.
package enum OIDCAgentRequest: Sendable, Equatable {
  case accessToken(OIDCAgentTokenRequest)
  case loadedAccounts
  /// A request that changes accounts, or that asks for more than an access token.
  case other(OIDCAgentRefusal)

  /// The most bytes of a request; those of real clients have a few hundred.
  package static let maximumCount = 8192

  /// Reads a request; unknown members are ignored.
  package init(_ bytes: [UInt8]) throws(ToolRequestError) {
    guard bytes.count <= Self.maximumCount else {
      throw ToolRequestError(description: "the request is longer than 8 KiB")
    }
    let object = try ToolRequest.object(bytes)
    self = try ToolRequest.reading { () throws(JSONError) in
      switch try object.string("request") {
      case "access_token": .accessToken(try OIDCAgentTokenRequest(object))
      case "loaded_accounts": .loadedAccounts
      case let name: .other(OIDCAgentRefusal(of: name))
      }
    }
  }

  /// The answer with a token.
  package static func answer(_ token: ToolToken, issuer: String) -> [UInt8] {
    ToolRequest.line([
      "status": "success", "access_token": .string(token.text), "issuer": .string(issuer),
      // Clients expect a number: 0 means that the expiry is not known.
      "expires_at": .integer(token.expiresAt ?? 0),
    ])
  }

  /// The answer with the names of the accounts.
  package static func answer(accounts: [String]) -> [UInt8] {
    ToolRequest.line(["status": "success", "info": .array(accounts.map { .string($0) })])
  }

  /// The answer to a request that is not carried out, with what to do about it.
  package static func answer(error: String, info: String?) -> [UInt8] {
    var answer: JSONObject = ["status": "failure", "error": .string(error)]
    answer["info"] = info.map { .string($0) }
    return ToolRequest.line(answer)
  }
}

/// The parameters of a request for an access token.
package struct OIDCAgentTokenRequest: Sendable, Equatable {
  /// The account's short name; `nil` if the issuer names the account.
  package let account: String?
  package let issuer: String?
  /// For how many seconds the token must be valid.
  package let minimumLifetime: Int?
  /// Whether the client wants a newer token than the present one, which a negative lifetime means.
  package let isForced: Bool
  package let scope: String?
  package let audience: String?
  /// The name that the program gives itself.
  package let hint: String?

  fileprivate init(_ object: JSONObject) throws(JSONError) {
    // An empty text counts as absent.
    func text(_ name: String) throws(JSONError) -> String? {
      try object.optionalString(name).flatMap { $0.isEmpty ? nil : $0 }
    }
    account = try text("account")
    issuer = try text("issuer")
    guard account != nil || issuer != nil else { throw .missing("account") }
    let lifetime = try object.optionalInteger("min_valid_period")
    isForced = lifetime.map { $0 < 0 } ?? false
    minimumLifetime = lifetime.flatMap { $0 > 0 ? Int($0) : nil }
    scope = try text("scope")
    audience = try text("audience")
    hint = try text("application_hint")
  }

  /// The text about the program for the person.
  ///
  /// It is the same for each run of a program, so that two runs at once wait for one prompt.
  package var reason: String {
    "a client of oidc-agent" + (hint.map { " that calls itself \($0)" } ?? "")
  }

  /// Whether an account at `other` is meant, with or without a slash at the end.
  package func isIssued(by other: String) -> Bool {
    func plain(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
    return issuer.map { plain($0) == plain(other) } ?? false
  }
}

/// Why a request of a client of oidc-agent is refused.
package struct OIDCAgentRefusal: Sendable, Equatable {
  package let error: String
  package let info: String

  private static let signIn = "to sign in: thumblatch login NAME --provider PROVIDER"

  /// No account, or one of several, belongs to an issuer.
  package init(ofAccounts names: [String]) {
    if names.isEmpty {
      error = "no account is signed in there"
      info = Self.signIn
    } else {
      error = "several accounts are there: \(names.joined(separator: ", "))"
      info = "name one of them, or: thumblatch account default NAME"
    }
  }

  init(of request: String) {
    error = "this socket gives access tokens only"
    info =
      switch request {
      case "add", "gen", "register", "reauthenticate", "code_exchange", "device", "state_lookup":
        Self.signIn
      case "remove", "remove_all", "delete": "to sign out: thumblatch logout NAME"
      case "lock": "to lock the vault: thumblatch lock"
      case "unlock": "to unlock an account: thumblatch unlock NAME"
      default: "the vault keeps everything else: thumblatch --help"
      }
  }
}
