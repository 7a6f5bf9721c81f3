internal import Configuration
internal import SecretMemory
internal import SecretService
internal import VaultClient
internal import VaultInterface

/// The vault as the store of the Secret Service.
///
/// Each use has a connection of its own, which ends with it: an engine without connections may
/// leave.
struct VaultSecretStore: SecretStore, Sendable {
  private let makeSession: @Sendable (Int32?) -> Session

  /// Makes a store; `session` makes a run without a terminal, which an interrupt ends.
  init(session: @escaping @Sendable (Int32?) -> Session) { makeSession = session }

  func items() throws(SecretServiceError) -> [SecretItem] {
    try using(nil) { session throws(CommandError) in
      try StatusVerbs.accounts(session, named: nil).compactMap { SecretAccount($0)?.item }
    }
  }

  func item(_ id: String) throws(SecretServiceError) -> SecretItem? {
    try using(nil) { session throws(CommandError) in try Self.account(id, session)?.item }
  }

  /// The account of an item; `nil` if there is none.
  private static func account(
    _ id: String,
    _ session: Session
  ) throws(CommandError) -> SecretAccount? {
    // A path may have a part that is not a valid name.
    guard let name = try? AccountName(SecretAccount.name(of: id)).text else { return nil }
    do throws(CommandError) {
      return try StatusVerbs.accounts(session, named: name).first.flatMap { SecretAccount($0) }
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  func secret(of id: String, requester: String) throws(SecretServiceError) -> SharedSecret {
    let found = try using(nil) { session throws(CommandError) -> (SecretAccount, String)? in
      guard let account = try Self.account(id, session) else { return nil }
      return (account, try Self.text(of: id, requester, session))
    }
    guard let (account, text) = found else { throw .noSuchObject }
    return try account.value(of: text)
  }

  /// The text of a value, without a prompt.
  private static func text(
    of id: String,
    _ requester: String,
    _ session: Session
  ) throws(CommandError) -> String {
    let call = AccessTokenCall(
      account: SecretAccount.name(of: id),
      ask: false,
      reason: String(requester.prefix(CallerRule.longestReason))
    )
    do throws(VaultClientError) {
      let limit = Session.remoteLimit
      return try session.callWithoutPrompt(call, within: limit, again: .always).accessToken
    } catch {
      throw CommandError(error)
    }
  }

  func add(_ change: SecretChange) throws(SecretServiceError) -> String {
    let id = try SecretAccount.newID()
    let call = try SecretAccount.call(storing: change, as: id, over: nil)
    try using(nil) { session throws(CommandError) in
      _ = try session.call(within: Session.localLimit) { _ in call }
    }
    return id
  }

  func lock() throws(SecretServiceError) {
    try using(nil) { session throws(CommandError) in
      _ = try session.call(within: Session.localLimit, again: .always) { _ in LockCall() }
    }
  }

  // MARK: What takes a person

  /// Carries out work, with a presence check at the desktop, until an interrupt.
  func perform(_ work: SecretWork, interrupt: Int32) throws(SecretServiceError) {
    switch work.action {
    case .unlock(let ids): try unlock(ids, interrupt)
    case .remove(let id):
      try using(interrupt) { session throws(CommandError) in
        _ = try session.call(within: Session.localLimit) { prompt in
          RemoveAccountCall(account: SecretAccount.name(of: id), local: true, prompt: prompt)
        }
      }
    case .change(let id, var change):
      guard let present = try item(id) else { throw .noSuchObject }
      if change.content == nil {
        let secret = try secret(of: id, requester: work.requester)
        change.content = SecretContent(secret: secret, type: present.contentType)
      }
      let call = try SecretAccount.call(storing: change, as: id, over: present)
      try using(interrupt) { session throws(CommandError) in
        _ = try session.call(within: Session.localLimit) { prompt in
          var call = call
          call.prompt = prompt
          return call
        }
      }
    }
  }

  private func unlock(_ ids: [String], _ interrupt: Int32) throws(SecretServiceError) {
    let reply = try using(interrupt) { session throws(CommandError) in
      try session.call(within: Session.localLimit) { prompt in
        UnlockCall(accounts: ids.map(SecretAccount.name), prompt: prompt)
      }
    }
    guard reply.unlockedFor > 0 else { throw .accessDenied(Self.noWindow) }
  }

  /// The agent's message if the policy has no unlock window.
  static let noWindow =
    "an item can be read only in an unlock window, and it has closed: try again"

  /// Waits until the unlock window of an item ends, or until an interrupt.
  ///
  /// The windows of an engine end with it, so it is not started again for this.
  func waitForLock(of id: String, interrupt: Int32) -> SecretWindowEnd {
    let session = makeSession(interrupt)
    defer { session.hangUp() }
    let call = WatchCall(account: SecretAccount.name(of: id), refreshAhead: 0)
    var (isWatched, isLocked) = (false, false)
    do throws(CommandError) {
      try session.stream(within: .max, again: .never) { _ in
        call
      } each: { reply throws(VaultClientError) in
        isWatched = true
        guard !reply.unlocked else { return }
        isLocked = true
        throw .interrupted
      }
    } catch {
      if isWatched, !isLocked, error.code == .unavailable { return .all }
    }
    return isLocked ? .item(id) : .unknown
  }

  // MARK: Errors

  /// Makes calls in a session of their own.
  private func using<Value>(
    _ interrupt: Int32?,
    _ body: (Session) throws(CommandError) -> Value
  ) throws(SecretServiceError) -> Value {
    let session = makeSession(interrupt)
    defer { session.hangUp() }
    do throws(CommandError) {
      return try body(session)
    } catch {
      let error = session.output.commands.adapted(error)
      switch error.code {
      case .promptNeeded where interrupt == nil: throw .isLocked
      case .notFound: throw .noSuchObject
      case .refused: throw .accessDenied(error.line)
      default: throw .failed(error.line)
      }
    }
  }
}
