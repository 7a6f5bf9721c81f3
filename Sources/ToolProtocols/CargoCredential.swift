internal import JSON
internal import PlainText

/// A request of cargo to a credential provider (The Cargo Book, "Credential Provider Protocol").
///
/// Each message is a line of JSON. The provider sends the first one.
package struct CargoCredential: Sendable, Equatable {
  /// The provider's first message: the versions that it supports.
  package static let hello = Array("{\"v\":[1]}\n".utf8)

  package enum Kind: String, Sendable, CaseIterable {
    case get, login, logout
  }

  /// Why there is no token.
  package enum Failure: String, Sendable {
    /// The registry never gets a token. Another provider may know it.
    case urlNotSupported = "url-not-supported"
    /// The registry has no token now, but cargo login can store one.
    case notFound = "not-found"
    /// The request is one of a later version.
    case operationNotSupported = "operation-not-supported"
    /// The only failure whose message cargo shows.
    case other
  }

  /// The kind of the request; `nil` for one of a later version.
  package let kind: Kind?
  /// The URL whose host gets the token; `nil` for an index in a git repository.
  ///
  /// An index names the servers that the token goes to. The owner of a repository chooses them, and
  /// other people's repositories have the same host. The index of crates.io stands for crates.io.
  package let url: String?
  /// The token to store for a login; `nil` if cargo has none.
  package let token: String?
  /// Whether the registry expects only the token, as `--raw` in the configuration says.
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
        Kind(named: try object.string("kind")), Self.server(of: index),
        token?.isEmpty == true ? nil : token, arguments.contains("--raw")
      )
    }
  }

  /// The addresses of the index of crates.io.
  private static let cratesIndexes = [
    "https://github.com/rust-lang/crates.io-index", "sparse+https://index.crates.io/",
  ]

  private static func server(of index: String) -> String? {
    if cratesIndexes.contains(index) { return "https://crates.io/" }
    let mark = "sparse+"
    return index.utf8.starts(with: mark.utf8) ? String(index.dropFirst(mark.count)) : nil
  }

  /// The answer to `get`.
  ///
  /// Cargo sends the text as the whole Authorization header. A stored secret with a space begins
  /// with its scheme.
  package func answer(_ token: ToolToken) -> [UInt8] {
    let isWhole = isRaw || token.text.utf8.contains(UInt8(ascii: " "))
    var answer: JSONObject = [
      "kind": "get", "token": .string(isWhole ? token.text : "Bearer \(token.text)"),
    ]
    answer["cache"] = token.expiresAt == nil ? "session" : "expires"
    answer["expiration"] = token.expiresAt.map { .integer($0) }
    answer["operation_independent"] = true
    return ToolRequest.line(["Ok": .object(answer)])
  }

  /// The answer to a successful login or logout.
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
