internal import Configuration
internal import Glibc
internal import JSON
internal import System
internal import TokenFile
internal import ToolProtocols

// Tokens for tools.
extension FrontVault {
  /// A valid token for a host of `hosts.conf`; `nil` if the command-line program has to get it, or
  /// refuse it.
  func token(for entry: HostAccount, reason: String) -> ToolToken? {
    // Without a valid file there, a refresh or a check is needed.
    if self == .privateVault, entry.scope == nil, entry.audience == nil {
      return storedToken(of: entry)
    }
    var parameters: JSONObject = [:]
    parameters["minimum_lifetime"] = entry.minimumLifetime.map { .integer(Int64($0)) }
    parameters["scope"] = entry.scope.map { .string($0) }
    parameters["audience"] = entry.audience.map { .string($0) }
    parameters["reason"] = .string(reason)
    return engineToken(of: entry.account.text, parameters, isForHost: true)
  }

  /// The valid token in the account's file, if it may go to each host that the user names.
  private func storedToken(of entry: HostAccount) -> ToolToken? {
    guard let state = StateFiles() else { return nil }
    let lifetime = max(TokenRequest.leastLifetime, Int64(entry.minimumLifetime ?? 0))
    return unsafe entry.account.text.withCString { name in
      unsafe state.withToken(of: name, lasting: lifetime) { token, header in
        guard header.isForAnyHost else { return nil }
        return unsafe ToolToken(
          String(decoding: token, as: UTF8.self),
          expiresAt: header.statedExpiry?.seconds
        )
      }
    }
  }

  /// A token that an engine has at once.
  ///
  /// If it is for a host, the engine must say with it that the token may go to any host. Both calls go
  /// out together.
  func engineToken(
    of account: String,
    _ parameters: JSONObject,
    isForHost: Bool
  ) -> ToolToken? {
    var parameters = parameters
    parameters["account"] = .string(account)
    // The person would not see a prompt.
    parameters["ask"] = false
    var message: [UInt8] = []
    if isForHost { message += Self.call("RequestTerms", ["account": .string(account)]) }
    message += Self.call("AccessToken", parameters)
    return unsafe ask(message, replies: isForHost ? 2 : 1) { replies in
      unsafe Self.token(in: replies, of: account, isForHost: isForHost)
    }
  }

  private static func call(_ method: String, _ parameters: JSONObject) -> [UInt8] {
    let call: JSONObject = [
      "method": .string("io.thumblatch.Vault." + method), "parameters": .object(parameters),
    ]
    // The parameters hold text of UTF-8 without NUL, so that writing cannot fail.
    return ((try? JSONWriter.write(.object(call))) ?? []) + [0]
  }

  private func ask<Value>(
    _ message: [UInt8],
    replies: Int,
    _ body: (UnsafeRawBufferPointer) -> Value?
  ) -> Value? {
    switch self {
    case .service:
      guard let (path, user) = EngineToken.service else { return nil }
      return unsafe EngineToken.ask(message, replies: replies, at: path, user: user, body)
    case .privateVault:
      guard let state = StateFiles() else { return nil }
      let path = EngineToken.path(of: state)
      return unsafe EngineToken.ask(message, replies: replies, at: path, user: geteuid(), body)
    }
  }

  private static func token(
    in replies: UnsafeRawBufferPointer,
    of account: String,
    isForHost: Bool
  ) -> ToolToken? {
    var last = unsafe replies
    if isForHost {
      guard let end = unsafe replies.firstIndex(of: 0),
        unsafe isForAnyHost(UnsafeRawBufferPointer(rebasing: replies[..<end]), account)
      else { return nil }
      unsafe last = UnsafeRawBufferPointer(rebasing: replies[(end + 1)...])
    }
    guard let found = unsafe TokenReply(last),
      unsafe account.withCString({ unsafe found.isOf($0, in: last) })
    else { return nil }
    unsafe EngineToken.tellOfMissing(found, in: last)
    return unsafe ToolToken(
      String(decoding: last[found.token], as: UTF8.self),
      expiresAt: found.expiresAt
    )
  }

  /// Whether a reply to `RequestTerms` says that the token may go to each host that the user names.
  private static func isForAnyHost(_ reply: UnsafeRawBufferPointer, _ account: String) -> Bool {
    guard case .object(let object) = try? unsafe JSONReader.read(reply, JSONRules()),
      let terms = try? object.object("parameters"), let name = try? terms.string("account")
    else { return false }
    return object["error"] == nil && name == account
      && (try? terms.optionalBoolean("any_host")) == true
  }
}
