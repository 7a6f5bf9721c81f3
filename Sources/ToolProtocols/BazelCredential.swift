internal import JSON
internal import PlainText

/// A request of Bazel, or of another tool, to a credential helper (EngFlow's specification of
/// credential helpers).
package struct BazelCredential: Sendable {
  /// The URL of the server, with the scheme of HTTP.
  package let url: String

  /// Reads the JSON object of `get`.
  package init(_ bytes: [UInt8]) throws(ToolRequestError) {
    let object = try ToolRequest.object(bytes)
    let uri = try ToolRequest.reading { () throws(JSONError) in try object.string("uri") }
    // gRPC is HTTP/2, with and without TLS.
    let schemes = [("grpcs://", "https://"), ("grpc://", "http://")]
    let scheme = schemes.first { uri.utf8.starts(with: $0.0.utf8) }
    url = scheme.map { $0.1 + uri.dropFirst($0.0.count) } ?? uri
  }

  /// The answer: the headers for the server.
  ///
  /// With a user name for `basic`, the token is its password (RFC 7617).
  package func answer(_ token: ToolToken, basic username: String? = nil) -> [UInt8] {
    let value =
      username.map { "Basic " + Base64.standard.text(Array("\($0):\(token.text)".utf8)) }
      ?? "Bearer \(token.text)"
    var answer: JSONObject = ["headers": ["Authorization": .array([.string(value)])]]
    answer["expires"] = token.expiresAt.map { .string(DateTime.text($0)) }
    return ToolRequest.line(answer)
  }
}
