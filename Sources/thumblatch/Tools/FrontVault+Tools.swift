internal import Configuration
internal import Glibc
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
    return engineToken(
      ToolTokenCall(
        account: entry.account.text,
        minimumLifetime: entry.minimumLifetime,
        scope: entry.scope,
        audience: entry.audience,
        reason: reason,
        isForHost: true
      )
    )
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
  /// If it is for a host, the engine must say with it that the token may go to any host. Both calls
  /// go out together. The engine opens no prompt, because the person would not see it.
  func engineToken(_ call: ToolTokenCall) -> ToolToken? {
    guard let message = call.message else { return nil }
    return unsafe ask(message, replies: call.isForHost ? 2 : 1) { replies in
      unsafe Self.token(in: replies, call)
    }
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
    _ call: ToolTokenCall
  ) -> ToolToken? {
    var last = unsafe replies
    if call.isForHost {
      guard let end = unsafe replies.firstIndex(of: 0) else { return nil }
      let first = unsafe UnsafeRawBufferPointer(rebasing: replies[...end])
      guard let terms = unsafe TermsReply(first), unsafe isOf(call.account, terms.account, first)
      else { return nil }
      unsafe last = UnsafeRawBufferPointer(rebasing: replies[(end + 1)...])
    }
    guard let found = unsafe TokenReply(last), unsafe isOf(call.account, found.account, last) else {
      return nil
    }
    unsafe EngineToken.tellOfMissing(found, in: last)
    return unsafe ToolToken(
      String(decoding: last[found.token], as: UTF8.self),
      expiresAt: found.expiresAt
    )
  }

  /// Whether a reply belongs to an account.
  private static func isOf(
    _ account: String,
    _ range: Range<Int>,
    _ reply: UnsafeRawBufferPointer
  ) -> Bool {
    unsafe account.withCString { unsafe EngineToken.isOf($0, range, in: reply) }
  }
}
