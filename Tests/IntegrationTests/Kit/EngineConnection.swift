import Glibc
import PresenceTerms
import SecretMemory
import System
import TestSupport
import Varlink
import VaultInterface

/// A caller of the engine that can send any bytes.
final class EngineConnection {
  let socket: Descriptor
  private var buffer = MessageBuffer(.vault)

  /// Connects to the engine in a state directory.
  init(state: String) throws {
    socket = try UnixSocket.connect(in: try Directory(path: state), name: "engine")
  }

  /// Speaks over a socket that is already connected.
  init(_ socket: consuming Descriptor) {
    self.socket = socket
  }

  /// Sends a call.
  func send(_ content: some VarlinkMethod, more: Bool = false) throws {
    let message = try VarlinkCall(content, more: more).encoded(on: .vault)
    let isTaken = unsafe try message.withUnsafeBytes { unsafe try send($0) }
    guard isTaken else { throw SystemError("send", code: EPIPE) }
  }

  /// Sends any bytes.
  ///
  /// The result is false if the engine accepts no more.
  @discardableResult
  func send(bytes: [UInt8]) throws -> Bool {
    unsafe try bytes.withUnsafeBytes { unsafe try send($0) }
  }

  /// Not by write(2): if the engine has closed the connection, SIGPIPE would end this process.
  private func send(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
    var done = 0
    while done < bytes.count {
      do throws(SystemError) {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
        done += unsafe try socket.send(rest) ?? 0
      } catch {
        guard error.code == EPIPE || error.code == ECONNRESET else { throw error }
        return false
      }
    }
    return true
  }

  /// The next reply, or `nil` if the engine has closed the connection.
  func reply() throws -> VarlinkReply? {
    while true {
      if let reply = try buffer.nextReply() { return reply }
      guard try socket.waitReadable(milliseconds: 120_000) else {
        throw SystemError("reply", code: ETIMEDOUT)
      }
      let count = unsafe try buffer.receive { room throws(SystemError) in
        do throws(SystemError) {
          return unsafe try socket.receive(into: room)?.count ?? 0
        } catch {
          // The engine closed the connection before it read all the input.
          guard error.code == ECONNRESET else { throw error }
          return 0
        }
      }
      guard let count, count > 0 else { return nil }
    }
  }

  /// The next reply as a reply to a method.
  func result<Method: VarlinkMethod>(of method: Method.Type) throws -> Method.Reply {
    guard let reply = try reply() else { throw SystemError("reply", code: EPIPE) }
    if let error = try VaultError(decoding: reply) { throw error }
    return try reply.result(of: method)
  }

  /// Sends a call and waits for its one reply.
  @discardableResult
  func call<Method: VarlinkMethod>(_ content: Method) throws -> Method.Reply {
    try send(content)
    return try result(of: Method.self)
  }

  /// The error of a call, or `nil` if it succeeds.
  func failure<Method: VarlinkMethod>(_ content: Method, more: Bool = false) throws -> VaultError? {
    try send(content, more: more)
    return try failure(of: Method.self)
  }

  /// The error in the next reply, or `nil` if the reply is not an error.
  func failure<Method: VarlinkMethod>(of method: Method.Type) throws -> VaultError? {
    do {
      _ = try result(of: method)
      return nil
    } catch let error as VaultError {
      return error
    }
  }
}

extension EngineConnection {
  /// Registers a user at the backend, and an account for them in the vault.
  @discardableResult
  func register(
    _ account: String,
    at backend: DevBackend,
    settings: [String: String] = [:]
  ) throws -> VaultAccount {
    try call(registration(account, at: backend, settings: settings)).account
  }

  /// An access token, or a new one if `rejected` is the stored one.
  func token(_ account: String = "me", rejected: String? = nil) throws -> String {
    try call(AccessTokenCall(account: account, rejected: rejected)).accessToken
  }

  /// The status of an account.
  func account(_ name: String = "me") throws -> VaultAccount? {
    try call(GetAccountCall(account: name)).account
  }

  /// The state of an account.
  func state(_ name: String = "me") throws -> AccountState? { try account(name)?.state }
}

/// The call that registers a user at the backend, and an account for them in the vault.
func registration(
  _ account: String,
  at backend: DevBackend,
  settings: [String: String] = [:]
) throws -> RegisterCall {
  RegisterCall(
    account: account,
    provider: provider(backend.url, settings),
    email: "\(account)@example.org",
    name: "Ada Lovelace",
    password: try secret(password)
  )
}

/// The password of every user that a test makes.
let password = "correct horse \"battery\" \\staple"

/// A password backend at an address.
func provider(_ url: String, _ settings: [String: String] = [:]) -> VaultProvider {
  let all = settings.merging(["kind": "password-backend", "issuer": url]) { $1 }
  return VaultProvider(name: "dev", settings: all)
}

/// A text as a secret.
func secret(_ text: String) throws -> SharedSecret {
  SharedSecret(try SecretBytes(copying: Array(text.utf8)))
}
