internal import System
internal import TokenVault
internal import VaultInterface

/// A call without what nobody asks for: what came in it beside that is not kept while it is answered.
struct Question: Sendable {
  let request: Result<VaultRequest, VarlinkError>
  /// The answer, where it needs no vault.
  let service: VarlinkReply?
  let more: Bool
  let oneway: Bool
  /// Whether its client says that it can ask the person.
  let asking: Caller.Asking

  init(_ call: VarlinkCall) {
    request = Result { () throws(VarlinkError) in try VaultRequest(call) }
    service = Dispatcher.service(call)
    more = call.more
    oneway = call.oneway
    asking =
      switch call.ask {
      case true?: .atOnce
      case false?: .never
      case nil: .unsaid
      }
  }

  /// Whether the answer comes when somebody touches the reader, says yes at the provider, or
  /// changes something.
  var waitsForPerson: Bool {
    switch request {
    case .success(.check(let call)): call.presenceMethod == .fingerprint || call.wait == true
    case .success(.enrollFinger), .success(.awaitLogin), .success(.watch): true
    default: false
    }
  }

  /// Whether the answer lasts as long as the connection.
  var lasts: Bool {
    if case .success(.watch) = request { true } else { false }
  }

  /// Whether it only looks at something for its caller, so that nobody misses it where that has gone.
  var isPassing: Bool {
    switch request {
    case .success(.testProvider), .success(.getReader): true
    default: false
    }
  }
}

extension Vaults {
  /// Answers one call by the vault of its caller's user.
  ///
  /// - Parameters:
  ///   - question: what is asked.
  ///   - caller: who asks.
  ///   - recognition: what is known of the caller's connection.
  ///   - reply: gets each reply of a stream but the last.
  ///   - whenSent: waits until the caller has been sent them; false if it is gone.
  /// - Returns: the last reply, and whether the connection is to end, because that user can have no
  ///   vault.
  func answer(
    _ question: Question,
    from caller: Caller,
    _ recognition: Recognition,
    reply: @escaping @Sendable (VarlinkReply) -> Void,
    whenSent: @escaping @Sendable () async -> Bool
  ) async -> (reply: VarlinkReply, isEnd: Bool) {
    if let answer = question.service { return (answer, false) }
    var caller = caller
    caller.asking = question.asking
    let asking = caller
    if case .success(.removeUser(let call)) = question.request {
      // Root's own vault has no part in it, and need not be there.
      return (await remove(call, asking), false)
    }
    do throws(VaultFailure) {
      let last = try await use(
        of: caller.user,
        by: recognition,
        isPassing: question.isPassing
      ) { vault in
        await Dispatcher(vault: vault, form: form, vaults: self).answer(
          question.request,
          in: CallContext(
            more: question.more,
            caller: asking,
            reply: reply,
            whenSent: whenSent
          )
        )
      }
      return (last, false)
    } catch {
      // There is no trail to write it into.
      switch error {
      case .refused(let why), .vaultUnsafe(let why, _):
        noteRefusal(why, of: nil, by: "user \(caller.user)")
      default: break
      }
      let isEnd = if case .refused = error { true } else { false }
      return (Dispatcher.failure(error), isEnd)
    }
  }
}

extension Vaults {
  /// `RemoveUser`.
  private func remove(_ call: RemoveUserCall, _ caller: Caller) async -> VarlinkReply {
    do throws(VaultFailure) {
      return try .made(
        RemoveUserReply(
          try await remove(user: call.user, account: call.account, caller: caller)
        )
      )
    } catch {
      noteRefusal("removal of a user", of: nil, by: "user \(caller.user)")
      return Dispatcher.failure(error)
    }
  }
}

extension RemoveUserReply {
  init(_ removed: RemovedUser) {
    self.init(
      user: Int(removed.user),
      name: removed.name,
      accounts: removed.accounts?.map { facts in
        VaultInterface.EndedAccount(
          account: facts.name,
          provider: facts.provider,
          erased: true,
          grant: facts.state == .signedOut ? GrantState.none : .valid
        )
      },
      onReader: removed.onReader
    )
  }
}
