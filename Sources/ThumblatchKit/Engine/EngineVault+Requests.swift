internal import Configuration
internal import HelperInterface
internal import System
internal import VaultClient
internal import VaultInterface

extension EngineVault {
  /// Refuses a request to a host that may not get the account's token.
  public func checkHost(
    of request: AuthRequest,
    for account: String
  ) async throws(AuthError) {
    _ = try await terms(of: account, for: try request.target())
  }

  /// Sends a request with an access token, through an exchange helper of the app's own.
  public func send(
    _ request: AuthRequest,
    with token: AccessToken,
    of account: String
  ) async throws(AuthError) -> AuthResponse {
    let target = try request.target()
    let headers = try request.headerLines()
    let terms = try await terms(of: account, for: target)
    let call = HelperRequestCall(
      httpMethod: request.method,
      url: target.text,
      headers: headers + ["Authorization: \(token.authorization)"],
      sendsBody: request.body != nil,
      ca: terms.ca,
      // Plain http on this machine has no certificate for a pin to check.
      pins: target.scheme == "http" ? [] : terms.pins,
      proxy: terms.proxy,
      timeout: min(wholeSeconds(request.timeout), AuthRequest.longestTimeout) * 1000,
      maximumBody: request.maximumBody,
      listeners: terms.listeners,
      connectTimeout: terms.connectMilliseconds
    )
    return try await BlockingWork.elsewhere.run { interrupt throws(AuthError) in
      try Self.perform(call, request, target, interrupt)
    }
  }

  /// The terms of the account's provider, if the target may get the account's token.
  private func terms(
    of account: String,
    for target: RequestTarget
  ) async throws(AuthError) -> RequestTermsReply {
    let terms = try await EngineCall.run { _ in RequestTermsCall(account: account) }
    guard let issuer = try? Issuer(terms.issuer),
      target.mayGetToken(issuer: issuer, hosts: terms.hosts, resource: terms.resource)
    else {
      throw AuthError(
        .hostNotAllowed,
        "Refusing to send \(account)'s token to \(target.hostAndPort)",
        recoverySuggestion: terms.resource.map { "the token is only for \($0)" }
          ?? "name it in the provider's api_hosts, and sign in again"
      )
    }
    return terms
  }

  private static func perform(
    _ call: HelperRequestCall,
    _ request: AuthRequest,
    _ target: RequestTarget,
    _ interrupt: Int32
  ) throws(AuthError) -> AuthResponse {
    let output = try memory(holding: [])
    let input = try memory(holding: request.body ?? [])
    let reply: HelperRequestReply
    do throws(VaultClientError) {
      reply = try RequestExchangeHelper(interrupt: interrupt).perform(
        call,
        input: request.body == nil ? nil : input.descriptor.number,
        output: output.descriptor.number
      )
    } catch {
      throw AuthError(error)
    }
    switch reply {
    case .answered(let status, _, let type, let location, let headers):
      do throws(SystemError) {
        return AuthResponse(
          status: status,
          headers: AuthHeaders(lines: headers),
          contentType: type,
          location: location,
          body: try output.bytes()
        )
      } catch {
        throw .system(error)
      }
    case .notSent(let reason, _): throw notSent(reason, to: target.hostAndPort)
    case .lost(let reason): throw lost(reason, from: target.hostAndPort, request)
    }
  }

  /// The error for a request that may have been sent, and that has no whole answer.
  static func lost(
    _ reason: ExchangeFailure,
    from host: String,
    _ request: AuthRequest
  ) -> AuthError {
    // The same request would have the same answer, so the error is not temporary.
    guard reason != .tooLarge else {
      return AuthError(
        .undecodable,
        "the answer of \(host) is too large: its body may have at most \(request.maximumBody) bytes",
        recoverySuggestion: "the request may have taken effect; give it a larger maximumBody"
      )
    }
    return AuthError(
      .providerUnavailable(retryAfter: nil, status: nil),
      "no complete answer came from \(host)\(reason.note)",
      recoverySuggestion: "the request may have taken effect: check before you send it again"
    )
  }

  /// The error for a request of which no part left this machine.
  static func notSent(_ reason: ExchangeFailure, to host: String) -> AuthError {
    switch reason {
    case .resolve, .connect, .timeout:
      AuthError(
        .offline,
        "\(host) cannot be reached\(reason.note): nothing was sent",
        recoverySuggestion: "try again when there is a network"
      )
    case .refused, .silent:
      AuthError(
        .notAnswering,
        "\(host) is not answering: nothing was sent",
        recoverySuggestion: "try again later"
      )
    case .listener:
      AuthError(
        .providerNotTrusted,
        "another user's program listens at \(host): nothing was sent",
        recoverySuggestion: "name its user in the provider's loopback_users, if it is the provider"
      )
    // An attacker may be in between, so this is not the error for a missing network.
    case .tls, .authority, .expired, .notYetValid, .name:
      AuthError(
        .providerNotTrusted,
        "the certificate of \(host) is not trusted here: nothing was sent",
        recoverySuggestion: "check the clock and the server's certificate, or use another network"
      )
    case .pin:
      AuthError(
        .providerNotTrusted,
        "the key of \(host) is not one of the pinned keys: nothing was sent",
        recoverySuggestion: "check the provider's pins, or use another network"
      )
    default:
      AuthError(
        .providerUnavailable(retryAfter: nil, status: nil),
        "nothing was sent to \(host)\(reason.note)"
      )
    }
  }

  private static func memory(holding bytes: [UInt8]) throws(AuthError) -> MemoryFile {
    do throws(SystemError) {
      let file = try MemoryFile()
      try file.descriptor.write(bytes)
      return file
    } catch {
      throw .system(error)
    }
  }
}
