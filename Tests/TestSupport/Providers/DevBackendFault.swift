internal import JSON

/// A fault for the next requests, as `dev-backend --help` lists it.
public struct DevBackendFault: Sendable {
  /// The server's reaction in place of the true answer.
  public enum Kind: Sendable, Equatable {
    case none
    case status(Int)
    case garbage
    case empty
    case huge
    case hang
    case half
    case resetBefore
    case resetAfter
    case controlCharacters
    case retryAfter(String)

    fileprivate var value: JSONValue {
      switch self {
      case .none: .null
      case .status(let code): .integer(Int64(code))
      case .garbage: "garbage"
      case .empty: "empty"
      case .huge: "huge"
      case .hang: "hang"
      case .half: "half"
      case .resetBefore: "reset-before"
      case .resetAfter: "reset-after"
      case .controlCharacters: "control-characters"
      case .retryAfter: "retry-after"
      }
    }
  }

  /// The path of the requests, or `*` for any.
  public var path: String
  /// The kind of fault.
  public var kind: Kind
  /// How many requests it affects.
  public var count: Int
  /// Seconds before the answer.
  public var delay: Double
  /// Whether the answer waits for `DevBackend.release`.
  public var hold: Bool
  /// Whether the request is carried out before the fault.
  ///
  /// With `nil` the kind decides.
  public var commit: Bool?
  /// Whether the body is sent in chunks, without a length.
  public var chunked: Bool
  /// The bytes of a huge answer.
  public var size: Int?
  /// Further headers of an answer with a status.
  public var headers: [(String, String)]
  /// The body of an answer with a status.
  public var body: String?

  /// Makes a fault for the next request to `path`.
  public init(
    _ path: String,
    _ kind: Kind = .none,
    count: Int = 1,
    delay: Double = 0,
    hold: Bool = false,
    commit: Bool? = nil,
    chunked: Bool = false,
    size: Int? = nil,
    headers: [(String, String)] = [],
    body: String? = nil
  ) {
    self.path = path
    self.kind = kind
    self.count = count
    self.delay = delay
    self.hold = hold
    self.commit = commit
    self.chunked = chunked
    self.size = size
    self.headers = headers
    self.body = body
  }

  var object: JSONObject {
    var members: [(String, JSONValue)] = [
      ("path", .string(path)), ("status", kind.value), ("count", .integer(Int64(count))),
      ("delay", .number(delay)), ("hold", .boolean(hold)), ("chunked", .boolean(chunked)),
      ("headers", .object(JSONObject(headers.map { ($0.0, .string($0.1)) }))),
    ]
    if let commit { members.append(("commit", .boolean(commit))) }
    if let size { members.append(("size", .integer(Int64(size)))) }
    if let body { members.append(("body", .string(body))) }
    if case .retryAfter(let text) = kind { members.append(("retry_after", .string(text))) }
    return JSONObject(members)
  }
}
