internal import JSON
internal import PlainText

/// A request of cargo to a credential provider (The Cargo Book, "Credential Provider Protocol").
///
/// Each message is a line of JSON. The provider sends the first one.
package struct CargoCredential: Sendable, Equatable {
  /// The provider's first message: the versions that it knows.
  package static let hello = Array("{\"v\":[1]}\n".utf8)

  package enum Kind: String, Sendable, CaseIterable {
    case get, login, logout
  }

  /// Why there is no token.
  package enum Failure: String, Sendable {
    /// Another provider may know the registry.
    case urlNotSupported = "url-not-supported"
    case operationNotSupported = "operation-not-supported"
    case other
  }

  /// What is asked for; `nil` for a kind of a later version.
  package let kind: Kind?
  /// The URL of the registry's index.
  package let url: String
  /// The token of a login; `nil` if cargo has none.
  package let token: String?
  /// Whether the registry takes the bare token, as the configuration's `--raw` says.
  package let isRaw: Bool

  /// Reads one line.
  package init(_ bytes: [UInt8]) throws(ToolRequestError) {
    let object = try ToolRequest.object(bytes)
    (kind, url, token, isRaw) = try ToolRequest.reading { () throws(JSONError) in
      guard try object.integer("v") == 1 else { throw .wrongType("v") }
      let index = try object.object("registry").string("index-url")
      let arguments = try object.optionalArray("args") ?? []
      let token = try object.optionalString("token")
      return (
        Kind(named: try object.string("kind")), Self.plain(index),
        token?.isEmpty == true ? nil : token, arguments.contains("--raw")
      )
    }
  }

  /// The URL without the mark of the index's kind.
  private static func plain(_ index: String) -> String {
    for mark in ["sparse+", "registry+"] where index.utf8.starts(with: mark.utf8) {
      return String(index.dropFirst(mark.count))
    }
    return index
  }

  /// The answer to `get`.
  ///
  /// Cargo sends the text as the whole Authorization header.
  package func answer(_ token: ToolToken) -> [UInt8] {
    var answer: JSONObject = [
      "kind": "get", "token": .string(isRaw ? token.text : "Bearer \(token.text)"),
    ]
    answer["cache"] = token.expiresAt == nil ? "session" : "expires"
    answer["expiration"] = token.expiresAt.map { .integer($0) }
    answer["operation_independent"] = true
    return ToolRequest.line(["Ok": .object(answer)])
  }

  /// The answer to a login or a logout that is done.
  package static func done(_ kind: Kind) -> [UInt8] {
    ToolRequest.line(["Ok": ["kind": .string(kind.rawValue)]])
  }

  /// The answer to a request that cannot be served.
  package static func answer(_ failure: Failure, _ message: String) -> [UInt8] {
    ToolRequest.line([
      "Err": [
        "kind": .string(failure.rawValue), "message": .string(message), "caused-by": [],
      ]
    ])
  }
}
