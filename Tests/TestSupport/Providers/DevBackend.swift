internal import Glibc
public import JSON
internal import Synchronization
internal import System

/// A running `Scripts/dev-backend`, ended with its owner.
///
/// Its control calls go over its standard input and output. So they work independently of TLS and
/// faults, and the backend ends even if the test is killed.
public final class DevBackend: Sendable {
  /// The address, such as `http://127.0.0.1:40001`, without a slash at the end.
  public let url: String

  private let child: ChildProcess
  private let pipe: Mutex<LinePipe>

  /// Starts a backend on a free port.
  ///
  /// - Parameter options: further options of the script, such as `["--access-lifetime", "60"]`.
  /// - Throws: if it cannot be started. It needs the distribution's Python 3.
  public init(_ options: [String] = []) throws {
    let (near, far) = try UnixSocket.pair()
    let ours = Descriptor(owning: near)
    let theirs = Descriptor(owning: far)
    child = try ChildProcess(
      path: "/usr/bin/python3",
      arguments: [BuiltPrograms.sourceDirectory + "/Scripts/dev-backend", "--port", "0", "--pipe"]
        + options,
      environment: ["PATH=" + (ThisProcess.environment("PATH") ?? "/usr/bin:/bin")],
      descriptors: [theirs.number, theirs.number, 2]
    )
    _ = consume theirs
    var pipe = LinePipe(ours)
    let line = try pipe.readLine()
    let prefix = "listening on "
    guard line.hasPrefix(prefix) else { throw DevBackendError.didNotStart }
    url = String(line.dropFirst(prefix.count))
    self.pipe = Mutex(pipe)
  }

  deinit {
    child.kill()
    _ = try? child.wait()
  }

  /// Plans faults for the next requests.
  public func fail(_ faults: DevBackendFault...) throws {
    _ = try call("next", ["next": .array(faults.map { .object($0.object) })])
  }

  /// The requests since the start or the last `clear`, oldest first.
  public func requests() throws -> [DevBackendRequest] {
    try call("log").array("requests").map { try DevBackendRequest($0) }
  }

  /// How many connections were accepted, including those without any request.
  public func connections() throws -> Int { Int(try call("log").integer("connections")) }

  /// Forgets requests and faults.
  public func clear() throws { _ = try call("clear") }

  /// Waits until this many requests for a path have arrived since the last `clear`.
  ///
  /// It waits at most 50 s for each of them.
  ///
  /// - Throws: `DevBackendError.tooFewRequests`.
  public func waitForRequests(_ path: String, count: Int = 1, waits: Int = 1) throws {
    let given: JSONObject = ["path": .string(path), "count": .integer(Int64(count))]
    var arrived = 0
    for _ in 0..<waits where arrived < count {
      arrived = Int(try call("wait", given).integer("arrived"))
    }
    guard arrived >= count else { throw DevBackendError.tooFewRequests(arrived) }
  }

  /// Lets every request go on that a fault holds.
  public func release() throws { _ = try call("release") }

  /// Moves the server's clock forward.
  ///
  /// With `nil`, so far that all access tokens have expired.
  public func advanceClock(seconds: Int? = nil) throws {
    _ = try call("advance-clock", seconds.map { ["seconds": .integer(Int64($0))] } ?? [:])
  }

  /// Closes the port, or opens it again.
  ///
  /// While it is closed, connections are refused.
  public func setOnline(_ isOnline: Bool) throws { _ = try call(isOnline ? "online" : "offline") }

  /// How many there are of these: `users`, live `sessions`, `revoked` sessions, live
  /// `access_tokens`.
  public func count(_ what: String) throws -> Int { Int(try call("sessions").integer(what)) }

  /// One control call, as `dev-backend --help` lists them.
  public func call(_ name: String, _ given: JSONObject = [:]) throws -> JSONObject {
    let members = [("call", JSONValue.string(name))] + given.members.map { ($0.name, $0.value) }
    let line = try JSONWriter.write(.object(JSONObject(members)))
    let answer = try pipe.withLock { pipe in
      try pipe.write(line)
      return try pipe.readLine()
    }
    guard case .object(let object) = try JSONReader.read(Array(answer.utf8)) else {
      throw DevBackendError.answer(answer)
    }
    return object
  }
}

/// The reasons why a development server cannot be used.
public enum DevBackendError: Error {
  case didNotStart
  case answer(String)
  /// So many requests came before the time was over.
  case tooFewRequests(Int)
}

/// A request as the server received it.
///
/// Tokens are given as SHA-256, and passwords are left out.
public struct DevBackendRequest: Sendable, Equatable {
  /// The method.
  public let method: String
  /// The path.
  public let path: String
  /// Names and values in the order of arrival.
  ///
  /// The value of an authorization is its SHA-256.
  public let headers: [[String]]
  /// The body byte for byte, but without texts other than e-mail and name.
  public let shape: String
  /// SHA-256 of the refresh token in the body, in hexadecimal.
  public let refreshToken: String?
  /// The status of the answer, or `nil` if there was none, or not yet.
  public let status: Int?
  /// Whether the request changed something: signed in, rotated, signed out.
  public let committed: Bool

  init(_ value: JSONValue) throws {
    guard case .object(let object) = value else { throw DevBackendError.answer("request") }
    method = try object.string("method")
    path = try object.string("path")
    headers = try object.array("headers").map { header in
      guard case .array(let parts) = header else { throw DevBackendError.answer("header") }
      return parts.map { part in
        guard case .string(let text) = part else { return "" }
        return text
      }
    }
    shape = try object.string("shape")
    refreshToken = try object.optionalString("refresh_token_sha256")
    status = try object.optionalInteger("status").map { Int($0) }
    committed = try object.boolean("committed")
  }
}
