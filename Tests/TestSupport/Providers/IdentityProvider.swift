public import JSON
internal import Synchronization
internal import System

/// A running identity provider of `Tests/Providers`, ended with its owner.
///
/// Its control calls go over its standard input and output. So they work independently of TLS and
/// faults, and the provider ends even if the test is killed.
public final class IdentityProvider: Sendable {
  /// The real software that it runs.
  public enum Kind: String, Sendable {
    case toolkit
    case mock
    case restAuth = "rest-auth"
  }

  /// A registered client.
  public static let client = "thumblatch"
  /// A registered user.
  public static let user = "ada@example.org"
  /// The password of all users there.
  public static let password = "provider-password"

  /// The address, such as `http://127.0.0.1:40001`, without a slash at the end.
  public let url: String
  /// The issuer, such as `http://127.0.0.1:40001/o`.
  public let issuer: String

  private let child: ChildProcess
  private let pipe: Mutex<LinePipe>

  /// Starts a provider on a free port.
  ///
  /// - Parameters:
  ///   - kind: the software.
  ///   - options: further options of `identity-provider.py`, such as `["--refresh", "grace"]`.
  /// - Throws: if it cannot be started. It needs the environment of `Scripts/setup`.
  public init(_ kind: Kind = .toolkit, _ options: [String] = []) throws {
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    let inherited = ["HOME", "XDG_CACHE_HOME"].compactMap { name in
      ThisProcess.environment(name).map { name + "=" + $0 }
    }
    child = try ChildProcess(
      path: Self.directory + "/run",
      arguments: ["--kind", kind.rawValue] + options,
      environment: ["PATH=/usr/bin:/bin"] + inherited,
      descriptors: [theirs.number, theirs.number, 2]
    )
    _ = consume theirs
    var pipe = LinePipe(ours)
    let line = try pipe.readLine()
    let prefix = "listening on "
    guard line.hasPrefix(prefix) else { throw DevBackendError.didNotStart }
    url = String(line.dropFirst(prefix.count))
    issuer = kind == .toolkit ? url + "/o" : url
    self.pipe = Mutex(pipe)
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// The directory of its programs, such as `sign-in.py`.
  public static var directory: String { BuiltPrograms.sourceDirectory + "/Tests/Providers" }

  /// Plans faults for the next requests, as `identity-provider.py` describes them.
  public func fail(_ faults: JSONObject...) throws {
    try call("next", ["next": .array(faults.map { .object($0) })])
  }

  /// The requests since the start or the last `clear`, oldest first.
  public func requests() throws -> [IdentityProviderRequest] {
    try call("log").array("requests").map { try IdentityProviderRequest($0) }
  }

  /// The requests to the token endpoint that presented a refresh token.
  public func refreshes() throws -> [IdentityProviderRequest] {
    try requests().filter { $0.grant == "refresh_token" }
  }

  /// How many connections were accepted, including those without any request.
  public func connections() throws -> Int { Int(try call("log").integer("connections")) }

  /// Forgets requests and faults.
  public func clear() throws { try call("clear") }

  /// Waits at most 50 s until this many requests of a grant have arrived since the last `clear`.
  ///
  /// - Throws: `DevBackendError.tooFewRequests`.
  public func waitForRequests(grant: String = "refresh_token", count: Int = 1) throws {
    let given: JSONObject = ["grant": .string(grant), "count": .integer(Int64(count))]
    let arrived = Int(try call("wait", given).integer("arrived"))
    guard arrived >= count else { throw DevBackendError.tooFewRequests(arrived) }
  }

  /// Lets every request go on that a fault holds.
  public func release() throws { try call("release") }

  /// Ages all tokens and codes by this many seconds.
  public func age(seconds: Int) throws { try call("age", ["seconds": .integer(Int64(seconds))]) }

  /// One of its counts, such as `live_refresh_tokens`.
  public func count(_ what: String) throws -> Int { Int(try call("counts").integer(what)) }

  /// One control call, as `identity-provider.py --help` lists them.
  @discardableResult
  public func call(_ name: String, _ given: JSONObject = [:]) throws -> JSONObject {
    let members = [("call", JSONValue.string(name))] + given.members.map { ($0.name, $0.value) }
    let line = try JSONWriter.write(.object(JSONObject(members)))
    let answer = try pipe.withLock { pipe in
      try pipe.write(line)
      return try pipe.readLine()
    }
    guard case .object(let object) = try JSONReader.read(Array(answer.utf8)),
      try object.optionalString("error") == nil
    else { throw DevBackendError.answer(answer) }
    return object
  }
}

/// A request as an identity provider received it.
///
/// Secrets are given as SHA-256.
public struct IdentityProviderRequest: Sendable {
  /// The method.
  public let method: String
  /// The path.
  public let path: String
  /// The grant, if the request is to the token endpoint.
  public let grant: String?
  /// The parameters of the query and of the body.
  ///
  /// The values of a repeated parameter are joined by a space.
  public let query: [String: String]
  /// The parameters of the body.
  public let form: [String: String]
  /// The status of the answer, or `nil` if there was none, or not yet.
  public let status: Int?
  /// Whether the provider carried out the request, even if its answer was lost.
  public let committed: Bool

  init(_ value: JSONValue) throws {
    guard case .object(let object) = value else { throw DevBackendError.answer("request") }
    method = try object.string("method")
    path = try object.string("path")
    grant = try object.optionalString("grant")
    query = try Self.parameters(try object.object("query"))
    form = try Self.parameters(try object.object("form"))
    status = try object.optionalInteger("status").map { Int($0) }
    committed = try object.boolean("committed")
  }

  private static func parameters(_ object: JSONObject) throws -> [String: String] {
    try Dictionary(
      object.members.map { member in
        switch member.value {
        case .string(let text): return (member.name, text)
        case .array(let several):
          let texts = several.map { value in
            if case .string(let text) = value { text } else { "" }
          }
          return (member.name, texts.joined(separator: " "))
        default: throw DevBackendError.answer(member.name)
        }
      },
      uniquingKeysWith: { $1 }
    )
  }
}
