internal import ProtectedResources
internal import SecretMemory

extension ClientRegistration {
  /// Registers a client: a public one, or one with a secret if the server accepts no other.
  ///
  /// - Parameters:
  ///   - url: the registration endpoint.
  ///   - redirect: the redirect URI with its port.
  ///   - scopes: the scopes that the client may ask for.
  ///   - listed: the client authentication methods that the server lists; `nil` if it does not say.
  ///   - session: the session.
  /// - Returns: the client, or the reason why the last request failed.
  /// - Throws: exit 5 if the server does not answer.
  static func made(
    at url: String,
    redirect: String,
    scopes: [String],
    listed: [String]?,
    _ session: Session
  ) throws(CommandError) -> Result<ClientRegistration, RegistrationError> {
    var refusal = RegistrationError.notAnObject
    for method in methods(listed: listed) {
      let body = request(redirect: redirect, scopes: scopes, method: method)
      let answer = try PublicDocument(url, sending: body, session)
      do throws(RegistrationError) {
        return .success(
          try ClientRegistration(
            status: answer.status,
            body: answer.body.bytes,
            redirect: redirect
          )
        )
      } catch {
        refusal = error
        guard case .refused = error else { break }
      }
    }
    return .failure(refusal)
  }
}
