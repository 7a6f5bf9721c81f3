internal import VaultClient

/// Requests to APIs.
extension AuthSession {
  /// Makes a request with an access token.
  ///
  /// The token is sent only to the provider's own origin and to the hosts that its settings name in
  /// `api_hosts`. It follows no redirect. After a 401 the token is refreshed and the request is
  /// made once more. If the configuration has a `RetryPolicy`, the request is made again after a
  /// temporary failure. The policy applies to each of the two tokens.
  ///
  /// A request to a host that gets no token is refused before a presence check for the token. If
  /// the vault must be opened first, its prompt comes earlier.
  ///
  /// - Throws: the errors of `accessToken()`; `invalidArgument`, `invalidURL`, `hostNotAllowed`,
  ///   `offline`, `notAnswering`, `providerNotTrusted`, `providerUnavailable`, `undecodable` for an
  ///   answer that is too large. An answer of any status is a result.
  public func request(_ request: AuthRequest) async throws(AuthError) -> AuthResponse {
    try request.check()
    if cachedToken(for: nanoseconds(TokenRequest().minimumLifetime)) == nil {
      try await refuseOtherHosts(request)
    }
    let token = try await accessToken()
    let response = try await sendRetrying(request, token)
    guard response.status == 401 else { return response }
    return try await sendRetrying(request, try await accessToken(replacing: token))
  }

  /// Refuses a request to a host that may not get the token, before a presence check for the token.
  private func refuseOtherHosts(_ request: AuthRequest) async throws(AuthError) {
    do throws(AuthError) { try await vault.checkHost(of: request, for: account) } catch {
      // A vault that needs a touch reports nothing before it is open. The call for the token asks
      // for it. A caller that may not ask for the hosts may send no request either.
      let isForbidden = (error.cause as? VaultClientError)?.forbidsTheMethod == true
      guard error.kind != .hostNotAllowed, !isForbidden else { throw error }
    }
  }

  private func sendRetrying(
    _ request: AuthRequest,
    _ token: AccessToken
  ) async throws(AuthError) -> AuthResponse {
    try await sendRetrying(request) { [self] request throws(AuthError) in
      try await send(request, token)
    }
  }

  /// The headers that carry a valid access token, for the app's own HTTP library.
  ///
  /// The app then decides to which hosts the token may be sent. After a 401, call
  /// `accessToken(replacing:)`. If a 401 is possible, call `accessToken()` first: its
  /// `authorization` is the value of this header.
  public func authorizationHeaders() async throws(AuthError) -> AuthHeaders {
    ["Authorization": try await accessToken().authorization]
  }

  private func send(
    _ request: AuthRequest,
    _ token: AccessToken
  ) async throws(AuthError) -> AuthResponse {
    let begin = facts.moment
    do throws(AuthError) {
      let response = try await vault.send(request, with: token, of: account)
      change { $0.providerIs(reachable: true) }
      return response
    } catch {
      await learn(from: error, nil, since: begin)
      throw error
    }
  }
}
