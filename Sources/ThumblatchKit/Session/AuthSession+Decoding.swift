public import FoundationEssentials

/// JSON values in requests and answers.
extension AuthSession {
  /// Makes a request, and decodes the body of its answer.
  ///
  /// - Throws: the errors of `request(_:)`, `http` for a status that is no success, `undecodable`.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self,
    from request: AuthRequest,
    with decoder: JSONDecoder = JSONDecoder()
  ) async throws(AuthError) -> Value {
    try await self.request(request).validated().decode(type, with: decoder)
  }
}

extension AuthResponse {
  /// Decodes the body as a value, whatever the status is.
  ///
  /// An API may describe its own error there.
  ///
  /// - Throws: `undecodable`.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self,
    with decoder: JSONDecoder = JSONDecoder()
  ) throws(AuthError) -> Value {
    do {
      return try decoder.decode(type, from: Data(body))
    } catch {
      // The decoder's error may quote the answer, which may hold anything. Its kind is enough.
      throw AuthError(.undecodable, "the answer is not what was expected (\(Self.kind(of: error)))")
    }
  }

  private static func kind(of error: any Error) -> String {
    guard let error = error as? DecodingError else { return "no JSON" }
    return switch error {
    case .typeMismatch(_, let context): "another type at \(path(context))"
    case .valueNotFound(_, let context): "no value at \(path(context))"
    case .keyNotFound(let key, let context): "no \(key.stringValue) at \(path(context))"
    case .dataCorrupted: "no JSON"
    @unknown default: "no JSON"
    }
  }

  private static func path(_ context: DecodingError.Context) -> String {
    let names = context.codingPath.map(\.stringValue)
    return names.isEmpty ? "the top" : names.joined(separator: ".")
  }
}

extension AuthError: LocalizedError {
  /// The description of the error, for code that reads only `localizedDescription`.
  public var errorDescription: String? { message }
}

extension AuthRequest {
  /// Makes a request with a value as its JSON body.
  ///
  /// Its type is `application/json` unless the headers name another.
  public static func json(
    _ url: String,
    method: String = "POST",
    headers: AuthHeaders = [:],
    body: some Encodable,
    with encoder: JSONEncoder = JSONEncoder()
  ) throws(AuthError) -> AuthRequest {
    let data: Data
    // The encoder's error quotes the value, which may be secret.
    do { data = try encoder.encode(body) } catch {
      throw AuthError(.invalidArgument, "the body cannot be written as JSON")
    }
    var headers = headers
    headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
    return AuthRequest(url, method: method, headers: headers, body: Array(data))
  }
}
