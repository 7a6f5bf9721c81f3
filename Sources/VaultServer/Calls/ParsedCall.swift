internal import Configuration
internal import PresenceTerms
internal import System
internal import TokenVault
internal import Varlink
internal import VaultInterface

/// A parsed call.
///
/// The raw message is dropped, so that it uses no memory while the call runs.
struct ParsedCall: Sendable {
  let request: Result<VaultRequest, VarlinkError>
  /// The answer, if it needs no vault.
  let service: VarlinkReply?
  let more: Bool
  let oneway: Bool
  /// Whether the client says that it can ask a person.
  let asking: Caller.Asking
  /// The program's reason for needing a check.
  ///
  /// The reason for a token is a part of its call.
  let statedReason: String?

  init(_ call: VarlinkCall) {
    request = Result { () throws(VarlinkError) in try VaultRequest(call) }
    service = Dispatcher.service(call)
    // A oneway call gets no reply, so it gets no stream of replies either.
    more = call.more && !call.oneway
    oneway = call.oneway
    let said = (try? request.get())?.asking
    if case .success(.accessToken) = request {
      statedReason = nil
    } else {
      statedReason = said?.reason
    }
    asking =
      switch said?.ask {
      case true?: .atOnce
      case false?: .never
      case nil: .unsaid
      }
  }

  /// Whether the answer waits for a touch of the reader, for consent at the provider, or for a
  /// change.
  var waitsForPerson: Bool {
    switch request {
    case .success(.check(let call)): call.presenceMethod.isDevice || call.wait == true
    case .success(.enrollFinger), .success(.enrollKey), .success(.openMachineKey): true
    case .success(.addSlot(let call)): call.kind == .securityKey
    case .success(.awaitLogin), .success(.watch): true
    case .success(.askAtDesktop), .success(.nextPrompt): true
    case .success(.audit(let call)): call.follow == true
    default: false
    }
  }

  /// Whether the answer ends with the connection at the latest.
  ///
  /// A security key is not lit for a caller that has left.
  var lasts: Bool {
    switch request {
    case .success(.watch), .success(.nextPrompt), .success(.openMachineKey): true
    case .success(.addSlot(let call)): call.kind == .securityKey
    case .success(.audit(let call)): call.follow == true
    default: false
    }
  }

  /// Whether it is answered on a restricted connection.
  var isForRestricted: Bool {
    switch request {
    case .success(.accessToken), .success(.requestTerms), .success(.getAccount): true
    case .success(.askAtDesktop): true
    // A call that cannot be decoded gets an error that says so.
    case .failure: true
    default: false
    }
  }

  /// Whether it is answered to a caller under a rule.
  var isForRuled: Bool {
    switch request {
    case .success(.check), .success(.respond), .success(.cancel): true
    case .success(.getPolicy), .success(.listRules), .success(.testRule): true
    // The rule holds for the restricted connection, too.
    case .success(.restrict): true
    default: isForRestricted
    }
  }

  /// Whether it is answered although the rules cannot be read, so that a person can find out why.
  var isForDiagnosis: Bool {
    switch request {
    case .success(.getStatus), .success(.examine), .success(.getPolicy): true
    case .success(.listRules), .success(.testRule): true
    default: false
    }
  }

  /// Whether no rule of the user's own is looked up for it.
  ///
  /// The system password changes those rules, even for a caller under them, and repairs a store in
  /// which they cannot be read.
  var isAboveOwnRules: Bool {
    switch request {
    case .success(.setPolicy), .success(.recover): true
    case .success(.check), .success(.respond), .success(.cancel): true
    default: false
    }
  }

  /// Whether the call only reads something for its caller, so that it may be dropped when the
  /// caller leaves.
  var isPassing: Bool {
    switch request {
    case .success(.testProvider), .success(.getReader): true
    default: false
    }
  }
}

extension Vaults {
  /// Answers one call with the vault of its caller's user.
  ///
  /// - Parameters:
  ///   - call: the call.
  ///   - caller: the caller.
  ///   - recognition: the known facts about the caller's connection.
  ///   - reply: takes each reply of a stream except the last.
  ///   - whenSent: waits until the replies are sent to the caller. It returns false if the caller
  ///     is gone.
  /// - Returns: the last reply, and whether the connection must end because that user can have no
  ///   vault.
  func answer(
    _ call: ParsedCall,
    from caller: Caller,
    _ recognition: Recognition,
    reply: @escaping @Sendable (VarlinkReply) -> Void,
    whenSent: @escaping @Sendable () async -> Bool
  ) async -> (reply: VarlinkReply, isEnd: Bool) {
    if let answer = call.service { return (answer, false) }
    let asking: Caller
    do throws(VaultFailure) {
      asking = try admit(caller, to: call, recognition)
    } catch {
      return (Dispatcher.failure(error), false)
    }
    if case .success(.removeUser(let call)) = call.request {
      // Root's own vault is not involved and need not exist.
      return (await remove(call, asking), false)
    }
    if case .success(.nextPrompt(let call)) = call.request {
      return (await nextPrompt(call, asking), false)
    }
    let context = CallContext(
      more: call.more,
      caller: asking,
      recognition: recognition,
      reply: reply,
      whenSent: whenSent
    )
    if case .success(let request) = call.request,
      let reply = await answerAboutSlots(request, context)
    {
      return (reply, false)
    }
    do throws(VaultFailure) {
      let last = try await use(
        of: caller.user,
        by: recognition,
        isPassing: call.isPassing
      ) { vault throws(VaultFailure) in
        try await answer(call, in: vault, context)
      }
      return (last, false)
    } catch {
      // There is no audit log for this caller, so count the refusal.
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
  /// The caller as a call makes it, under the rule of its connection.
  ///
  /// - Throws: `outsideRule`, `invalidArgument` for a reason that cannot be shown, and why the
  ///   rules cannot be read.
  private func admit(
    _ caller: Caller,
    to call: ParsedCall,
    _ recognition: Recognition
  ) throws(VaultFailure) -> Caller {
    var caller = caller
    caller.asking = call.asking
    do throws(VaultFailure) {
      caller = try underRule(caller, recognition)
    } catch {
      guard call.isForDiagnosis else { throw error }
    }
    if let rule = caller.rule,
      caller.isRestricted ? !call.isForRestricted : !call.isForRuled
    {
      noteRefusal("outside the \(rule.title)", of: caller.user, by: caller.requester)
      throw .outsideRule(rule.title, "this method")
    }
    // A reason that is refused must not leave the rule out, and a restricted caller is a new one.
    caller.statedReason = try Vault.stated(call.statedReason)
    return caller
  }

  /// Answers a call in a vault, under the rules of its user.
  private func answer(
    _ call: ParsedCall,
    in vault: Vault,
    _ context: CallContext
  ) async throws(VaultFailure) -> VarlinkReply {
    var context = context
    do throws(VaultFailure) {
      if !call.isAboveOwnRules {
        context.caller = try await underOwnRule(context.caller, context.recognition, in: vault)
      }
    } catch {
      guard call.isForDiagnosis else { throw error }
    }
    if let rule = context.caller.rule {
      guard context.caller.isRestricted || call.isForRuled else {
        let failure = VaultFailure.outsideRule(rule.title, "this method")
        await vault.note(failure, by: context.caller)
        return Dispatcher.failure(failure)
      }
      if rule.neverAsks { context.caller.asking = .never }
    }
    return await Dispatcher(vault: vault, form: form, vaults: self, context: context)
      .answer(call.request)
  }

  private func nextPrompt(_ call: NextPromptCall, _ caller: Caller) async -> VarlinkReply {
    do throws(VaultFailure) {
      return try .made(try await nextPrompt(call, for: caller))
    } catch {
      return Dispatcher.failure(error)
    }
  }

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
      onReader: removed.onReader,
      unread: removed.unread.isEmpty ? nil : removed.unread.map { Int($0) }
    )
  }
}
