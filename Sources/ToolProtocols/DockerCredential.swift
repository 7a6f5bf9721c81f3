internal import Configuration
internal import JSON

/// The protocol of docker's credential helpers (docker-credential-helpers, `credentials.go`).
///
/// The client sends the address of a registry, or one JSON object. Errors are on standard output,
/// with exit status 1.
package enum DockerCredential {
  /// The message that tells a client to continue without a credential.
  package static let notFound = "credentials not found in native keychain"
  /// The user name to send with a token, for registries that accept any.
  package static let usualUsername = "oauth2accesstoken"
  /// The key of Docker Hub in the client's configuration.
  private static let hub = (host: "index.docker.io", key: "https://index.docker.io/v1/")
  /// The paths under which docker stores the tokens of a web login at Docker Hub, before the
  /// credential for Docker Hub itself.
  private static let webLoginPaths = ["/v1/access-token", "/v1/refresh-token"]

  /// The most bytes of an address, including the white space around it.
  private static let longestServer = 8192

  package enum Action: String, Sendable {
    case get, store, erase, list, version
  }

  /// Reads the address of a registry, as `get` and `erase` send it.
  package static func server(_ bytes: [UInt8]) throws(ToolRequestError) -> String {
    // Searching a megabyte for white space takes 50 ms.
    guard bytes.count <= longestServer else {
      throw ToolRequestError(description: "the request is not one address")
    }
    let server = try ToolRequest.text(bytes).split(whereSeparator: \.isWhitespace)
    guard let first = server.first else {
      throw ToolRequestError(description: "no credentials server URL")
    }
    guard server.count == 1 else {
      throw ToolRequestError(description: "the request is not one address")
    }
    return String(first)
  }

  /// Reads the registry of a credential to store, and the credential.
  ///
  /// The user name `<token>` marks an identity token.
  package static func stored(
    _ bytes: [UInt8]
  ) throws(ToolRequestError) -> (server: String, secret: ToolSecret) {
    let object = try ToolRequest.object(bytes)
    let (server, username, secret) = try ToolRequest.reading { () throws(JSONError) in
      (
        try object.optionalString("ServerURL") ?? "", try object.optionalString("Username") ?? "",
        try object.optionalString("Secret") ?? ""
      )
    }
    guard !server.isEmpty else { throw ToolRequestError(description: "no credentials server URL") }
    guard !username.isEmpty else { throw ToolRequestError(description: "no credentials username") }
    guard !secret.isEmpty else { throw ToolRequestError(description: "no credentials secret") }
    return (server, ToolSecret(secret, username: username))
  }

  /// The URLs that an address may mean; the client omits the scheme.
  package static func urls(of server: String) -> [String] {
    server.rangeOfSchemeEnd != nil ? [server] : ["https://" + server, "http://" + server]
  }

  /// Whether an address is for a token of a web login at Docker Hub.
  ///
  /// A host has only one secret. So these tokens would replace the credential for Docker Hub, and
  /// each other.
  package static func isOfWebLogin(_ server: String) -> Bool {
    webLoginPaths.contains { server.hasSuffix($0) }
      && (try? TokenHost(ofURL: urls(of: server)[0]))?.text == hub.host
  }

  /// The answer to `get`.
  package static func answer(_ token: ToolToken, server: String, username: String) -> [UInt8] {
    ToolRequest.line([
      "ServerURL": .string(server), "Username": .string(username), "Secret": .string(token.text),
    ])
  }

  /// The answer to `list`: the registries with their user names, without a scheme as in docker's
  /// files.
  package static func list(_ hosts: [(host: String, username: String)]) -> [UInt8] {
    ToolRequest.line(
      JSONObject(
        hosts.map { host, username in
          let address = host.hasPrefix("http://") ? String(host.dropFirst(7)) : host
          return (address == hub.host ? hub.key : address, .string(username))
        }
      )
    )
  }

  /// The answer to `version`.
  package static func version(_ version: String) -> [UInt8] {
    Array("docker-credential-thumblatch (thumblatch) \(version)\n".utf8)
  }
}
