/// Requests to APIs.
extension AuthSession {
  /// Makes a request with an access token.
  ///
  /// The token goes to the provider's own origin and to the hosts that its settings name in
  /// `api_hosts`, along no redirect. On 401 the token is refreshed and the request made once more.
  /// Where the configuration has a `RetryPolicy`, it is made again after a failure of the moment.
  ///
  /// - Throws: what `accessToken()` throws; `invalidArgument`, `invalidURL`, `hostNotAllowed`,
  ///   `offline`, `providerUnavailable`. An answer of any status is a result.
  public func request(_ request: AuthRequest) async throws(AuthError) -> AuthResponse {
    try request.check()
    let token = try await accessToken()
    let response = try await sendRetrying(request) { [self] request throws(AuthError) in
      try await send(request, token)
    }
    guard response.status == 401 else { return response }
    return try await send(request, try await accessToken(replacing: token))
  }

  /// The headers that carry a valid access token, for an HTTP library of the app's own.
  ///
  /// Where the token may be sent is then the app's part. On 401 ask `accessToken(replacing:)`: where
  /// that may come, begin with `accessToken()`, whose `authorization` is this header's value.
  public func authorizationHeaders() async throws(AuthError) -> AuthHeaders {
    ["Authorization": try await accessToken().authorization]
  }

  private func send(
    _ request: AuthRequest,
    _ token: AccessToken
  ) async throws(AuthError) -> AuthResponse {
    let news = facts.news
    do throws(AuthError) {
      let response = try await vault.send(request, with: token, of: account)
      change { $0.providerIs(reachable: true) }
      return response
    } catch {
      await learn(from: error, nil, since: news)
      throw error
    }
  }
}
