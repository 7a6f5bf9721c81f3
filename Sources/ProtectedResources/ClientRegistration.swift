package import Configuration
package import JSON
internal import PlainText
package import SecretMemory

/// A client that an authorization server has registered for this installation (RFC 7591).
package struct ClientRegistration: Sendable {
  /// The most bytes of an answer.
  package static let maximumCount = 64 * 1024

  /// The identifier of the client.
  package let clientID: String
  /// The secret, if the server gave one that it wants to see again.
  package let clientSecret: ClientSecret?
  /// How the client authenticates to the token endpoint.
  package let authentication: OAuthSettings.ClientAuthentication

  /// The client authentication methods to ask for, one after the other.
  ///
  /// A public client has no secret to keep. Some servers take one and do not list that, and some
  /// take none.
  ///
  /// - Parameter listed: the methods that the server lists; `nil` if it does not say.
  /// - Returns: one or two methods.
  package static func methods(listed: [String]?) -> [OAuthSettings.ClientAuthentication] {
    let secret = [OAuthSettings.ClientAuthentication.post, .basic].first {
      listed?.contains($0.registeredName) == true
    }
    return [.none] + (secret.map { [$0] } ?? [])
  }

  /// The body of the request: a package client of this machine.
  ///
  /// - Parameters:
  ///   - redirect: the redirect URI with its port.
  ///   - scopes: the scopes that the client may ask for; empty to leave them to the server.
  ///   - method: the client authentication method, one of `methods(listed:)`.
  /// - Returns: the body, as JSON.
  package static func request(
    redirect: String,
    scopes: [String],
    method: OAuthSettings.ClientAuthentication = .none
  ) -> [UInt8] {
    var object: JSONObject = [
      "client_name": "Thumblatch",
      "redirect_uris": [.string(redirect)],
      "grant_types": ["authorization_code", "refresh_token"],
      "response_types": ["code"],
      "token_endpoint_auth_method": .string(method.registeredName),
      "application_type": "native",
    ]
    if !scopes.isEmpty { object["scope"] = .string(scopes.joined(separator: " ")) }
    return (try? JSONWriter.write(.object(object))) ?? []
  }

  /// Reads the answer.
  ///
  /// - Parameters:
  ///   - status: the HTTP status.
  ///   - body: the answer.
  ///   - redirect: the redirect URI of the request.
  /// - Throws: `RegistrationError`. The server's own choices count (RFC 7591, section 3.2.1).
  package init(
    status: Int,
    body: borrowing SecretBytes,
    redirect: String
  ) throws(RegistrationError) {
    guard body.count <= Self.maximumCount else { throw .tooLong }
    let secrets: Set = [ClientSecret.key, "registration_access_token"]
    let rules = JSONRules(secretMembers: secrets, keepsRest: true)
    let answer = try? JSONReader.read(body, rules)
    guard status == 200 || status == 201 else {
      throw .refused(status: status, message: answer.flatMap(Self.message))
    }
    guard case .object(let object)? = answer else { throw .notAnObject }
    let method: String?
    let secret: SharedSecret?
    let redirects: [JSONValue]?
    do throws(JSONError) {
      clientID = try object.string("client_id")
      method = try object.optionalString("token_endpoint_auth_method")
      secret = try object.optionalSecret(ClientSecret.key)
      redirects = try object.optionalArray("redirect_uris")
    } catch {
      throw .member(error)
    }
    guard redirects?.contains(where: { $0 == .string(redirect) }) ?? true else {
      throw .otherRedirect
    }
    // The default is `client_secret_basic` (RFC 7591, section 2).
    let usual = secret == nil ? OAuthSettings.ClientAuthentication.none : .basic
    let named = OAuthSettings.ClientAuthentication.allCases.first { $0.registeredName == method }
    guard let chosen = method == nil ? usual : named, chosen == .none || secret != nil else {
      throw .otherAuthentication
    }
    authentication = chosen
    guard authentication != .none, let secret else {
      clientSecret = nil
      return
    }
    do throws(ConfigurationError) { clientSecret = try ClientSecret(secret) } catch {
      throw .secret(error)
    }
  }

  /// The error code and the message of a refusal (RFC 7591, section 3.2.2), fit to be shown.
  private static func message(_ answer: JSONValue) -> String? {
    guard case .object(let object) = answer else { return nil }
    let words = ["error", "error_description"].compactMap { try? object.optionalString($0) }
    return words.isEmpty ? nil : PlainText.line(words.joined(separator: ": "), limit: 300)
  }
}

/// Why a client was not registered.
package enum RegistrationError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server refused; `message` is fit to be shown.
  case refused(status: Int, message: String?)
  /// More than `ClientRegistration.maximumCount` bytes.
  case tooLong
  /// Not one JSON object.
  case notAnObject
  /// A member is missing or of the wrong type.
  case member(JSONError)
  /// The client is registered for other redirect URIs.
  case otherRedirect
  /// The client would have to authenticate in another way.
  case otherAuthentication
  /// The client secret cannot be used.
  case secret(ConfigurationError)

  /// One line, without the secret.
  package var description: String {
    switch self {
    case .refused(let status, let message): message ?? "HTTP \(status)"
    case .tooLong: "the answer is too long"
    case .notAnObject: "the answer is not a JSON object"
    case .member(let error): "the answer: \(error)"
    case .otherRedirect: "the answer names other redirect URIs than the one of the request"
    case .otherAuthentication:
      "the client would have to authenticate in a way that is not known here"
    case .secret(let error): "the answer: \(error)"
    }
  }
}
