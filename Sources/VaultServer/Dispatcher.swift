internal import Configuration
internal import Presence
internal import SecretMemory
internal import System
internal import TokenVault
internal import VaultInterface

/// Answers calls: from the wire's words to the vault's and back.
struct Dispatcher: Sendable {
  let vault: Vault
  let form: VaultForm

  /// Answers one call.
  ///
  /// - Parameters:
  ///   - request: what is asked, or why it cannot be read.
  ///   - more: whether several replies are wanted.
  ///   - caller: who asks.
  ///   - reply: gets each reply of a stream but the last.
  ///   - whenSent: waits until the caller has been sent them; false if it is gone.
  /// - Returns: the last reply, or the only one.
  func answer(
    _ request: Result<VaultRequest, VarlinkError>,
    more: Bool,
    from caller: Caller,
    reply: @escaping @Sendable (VarlinkReply) -> Void,
    whenSent: @escaping @Sendable () async -> Bool
  ) async -> VarlinkReply {
    do throws(VarlinkError) {
      let request = try request.get()
      do throws(VaultFailure) {
        if request.usesStore { try await vault.demandCurrentStore() }
        // In these alone, there may be more than what may wait to be sent.
        if case .audit(let question) = request {
          return try await audit(question, more, reply, whenSent)
        }
        if case .getAccount(let question) = request {
          return try await accounts(question, more, caller, reply, whenSent)
        }
        if case .watch(let question) = request {
          return try await watch(question, more, caller, reply, whenSent)
        }
        return try await perform(request, more, caller, reply)
      } catch {
        await vault.note(error, by: caller)
        return Self.failure(error)
      }
    } catch {
      return error.reply
    }
  }

  /// The reply that tells why something was not done.
  static func failure(_ failure: VaultFailure) -> VarlinkReply {
    (try? VaultError(failure).reply) ?? VarlinkError.invalidParameter("parameters").reply
  }

  /// The methods that every Varlink service has.
  static func service(_ call: VarlinkCall) -> VarlinkReply? {
    switch call.method {
    case GetInfoCall.method:
      return try? VarlinkReply(
        GetInfoReply(
          vendor: "Thumblatch",
          product: "thumblatchd",
          version: thumblatchVersion,
          // The member is mandatory. The project has no address.
          url: "",
          interfaces: ["org.varlink.service", VarlinkInterface.vault.name]
        )
      )
    case GetInterfaceDescriptionCall.method:
      guard let question: GetInterfaceDescriptionCall = try? call.content() else {
        return VarlinkError.invalidParameter("interface").reply
      }
      guard question.interface == VarlinkInterface.vault.name else {
        return VarlinkError.interfaceNotFound(question.interface).reply
      }
      return try? VarlinkReply(
        GetInterfaceDescriptionReply(description: VarlinkInterface.vault.description)
      )
    default: return nil
    }
  }

  private func perform(
    _ request: VaultRequest,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @escaping @Sendable (VarlinkReply) -> Void
  ) async throws(VaultFailure) -> VarlinkReply {
    switch request {
    case .getStatus: return try await status(caller)
    case .getReader:
      return try Self.made(GetReaderReply(reader: VaultReader(await vault.reader())))
    case .register(let call):
      let facts = try await vault.signIn(
        account: call.account,
        provider: try Self.provider(call.provider),
        email: call.email,
        password: call.password,
        registering: true,
        displayName: call.name,
        exportable: call.exportable ?? false,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    case .login(let call):
      let facts = try await vault.signIn(
        account: call.account,
        provider: try call.provider.map { given throws(VaultFailure) in try Self.provider(given) },
        email: call.email,
        password: call.password,
        registering: false,
        displayName: nil,
        exportable: call.exportable ?? false,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    case .accessToken(let call): return try await accessToken(call, caller)
    case .check, .respond, .cancel, .enablePresence, .disablePresence, .testPresence, .unlock,
      .lock:
      return try await presence(request, more, caller, reply)
    case .listFingers, .deleteFinger: return try await fingers(request, caller)
    case .enrollFinger(let call): return try await enroll(call, more, caller, reply)
    case .logout(let call):
      let answer = try await vault.signOut(
        account: call.account,
        local: call.local,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(LogoutReply(answer))
    case .logoutAll(let call): return try await logoutAll(call, more, caller, reply)
    case .whoAmI(let call):
      let (facts, profile) = try await vault.profile(
        account: call.account,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(WhoAmIReply(account: VaultAccount(facts), profile: profile.object))
    case .verifyToken(let call):
      let (facts, verification) = try await vault.verification(
        account: call.account,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(
        VerifyTokenReply(
          account: VaultAccount(facts),
          accepted: verification.isAccepted,
          expiresAt: verification.expiresAt.map { Int(clamping: $0) }
        )
      )
    case .verifyAudit: return try await verifyAudit()
    case .rekey, .recover, .release: return try await keys(request, caller)
    case .renameAccount, .setDefaultAccount, .removeAccount, .requestTerms, .examine:
      return try await care(request, more, caller, reply)
    case .accountProvider, .applyProvider: return try await boundProvider(request, caller)
    case .beginLogin, .finishLogin, .awaitLogin, .cancelLogin, .testProvider:
      return try await logins(request, more, caller, reply)
    case .getPolicy, .setPolicy: return try await policy(request, caller)
    case .audit, .getAccount, .watch, .removeUser:
      throw .unexpected("a call was sorted wrongly")
    }
  }

  private func presence(
    _ request: VaultRequest,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @escaping @Sendable (VarlinkReply) -> Void
  ) async throws(VaultFailure) -> VarlinkReply {
    let tell: @Sendable (CheckNotice) -> Void = { notice in
      guard more,
        let part = try? VarlinkReply(VaultInterface.CheckEvent(notice), continues: true)
      else { return }
      reply(part)
    }
    switch request {
    case .check(let call):
      let step = try await vault.check(
        call.prompt,
        by: call.presenceMethod.method,
        mayWait: more && call.wait == true,
        caller: caller,
        report: tell
      )
      return try Self.made(VaultInterface.CheckEvent(step))
    case .respond(let call):
      let step = try await vault.respond(
        call.prompt,
        text: call.text,
        caller: caller,
        report: tell
      )
      return try Self.made(VaultInterface.CheckEvent(step))
    case .cancel(let call):
      await vault.cancel(call.prompt, caller: caller)
      return try Self.made(EmptyReply())
    case .enablePresence(let call):
      let facts = try await vault.setProtection(
        true,
        account: call.account,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    case .disablePresence(let call):
      let facts = try await vault.setProtection(
        false,
        account: call.account,
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(AccountReply(account: VaultAccount(facts)))
    case .testPresence(let call):
      let method = try await vault.testPresence(prompt: call.prompt, caller: caller)
      return try Self.made(TestPresenceReply(method: method.rawValue))
    case .unlock(let call):
      let facts = try await vault.unlock(
        call.accounts,
        seconds: call.duration.map(Int64.init),
        prompt: call.prompt,
        caller: caller
      )
      return try Self.made(
        UnlockReply(
          unlockedFor: Int(clamping: facts.unlockedFor ?? 0),
          unlockedAccounts: facts.unlockedAccounts
        )
      )
    case .lock:
      return try Self.made(LockReply(wasUnlocked: try await vault.lock(caller: caller)))
    default:
      throw .unexpected("a call was sorted wrongly")
    }
  }

  private func status(_ caller: Caller) async throws(VaultFailure) -> VarlinkReply {
    let facts = try await vault.facts(for: caller)
    let fingers = try await vault.fingers(of: caller)
    let memory: SecretMemoryKind =
      switch try? SecretBytes.protection {
      case .secretMemory: .secret
      case .locked: .locked
      case .ordinary, nil: .ordinary
      }
    return try Self.made(
      VaultStatus(
        form: form,
        version: thumblatchVersion,
        process: Int(ThisProcess.identifier),
        deviceSecret: "file",
        memory: memory,
        unlocked: facts.unlockedFor != nil,
        unlockedFor: facts.unlockedFor.map { Int(clamping: $0) },
        unlockedAccounts: facts.unlockedAccounts,
        enrolledFingers: facts.fingers,
        fingerprintLockedOut: facts.isFingerprintLockedOut,
        problem: facts.problem?.message,
        remedy: facts.problem?.remedy,
        desktopFingers: fingers.desktop,
        fingerSource: FingerSource(fingers.source),
        fingerReason: fingers.reason
      )
    )
  }

  private func accounts(
    _ call: GetAccountCall,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @Sendable (VarlinkReply) -> Void,
    _ whenSent: @Sendable () async -> Bool
  ) async throws(VaultFailure) -> VarlinkReply {
    let all = try await vault.accountFacts(
      named: call.account,
      at: await vault.placeOfWindow(caller)
    )
    guard more || all.count <= 1 else {
      throw .invalidArgument("there are several accounts: name one")
    }
    for (index, facts) in all.dropLast().enumerated() {
      reply(try Self.made(GetAccountReply(account: VaultAccount(facts)), continues: true))
      // As many as may wait to be sent, whatever stands in them.
      if index % 15 == 14, await !whenSent() { break }
    }
    return try Self.made(GetAccountReply(account: all.last.map(VaultAccount.init)))
  }

  private func accessToken(
    _ call: AccessTokenCall,
    _ caller: Caller
  ) async throws(VaultFailure) -> VarlinkReply {
    let grant = try await vault.accessToken(
      account: call.account,
      minimumLifetime: call.minimumLifetime.map(Int64.init),
      rejected: call.rejected,
      scope: call.scope,
      audience: call.audience,
      consent: Self.consent(of: call),
      prompt: call.prompt,
      caller: caller
    )
    return try Self.made(AccessTokenReply(grant))
  }

  private func enroll(
    _ call: EnrollFingerCall,
    _ more: Bool,
    _ caller: Caller,
    _ reply: @escaping @Sendable (VarlinkReply) -> Void
  ) async throws(VaultFailure) -> VarlinkReply {
    let stages = Stages()
    let finger = call.finger ?? "right-index"
    let done = try await vault.enroll(call.finger, prompt: call.prompt, caller: caller) { event in
      guard more, let part = stages.reply(to: event, finger) else { return }
      reply(part)
    }
    let (stage, of) = stages.last
    return try Self.made(
      EnrollFingerReply(event: .done, finger: done, stage: of > 0 ? of : stage, stages: of)
    )
  }

  private func audit(
    _ call: AuditCall,
    _ more: Bool,
    _ reply: @Sendable (VarlinkReply) -> Void,
    _ whenSent: @Sendable () async -> Bool
  ) async throws(VaultFailure) -> VarlinkReply {
    guard more else { throw .invalidArgument("the trail comes record by record: call with `more`") }
    var number: Int64 = 0
    var last: AuditFacts?
    while true {
      let page = try await vault.trail(
        after: number,
        since: call.since.map(Int64.init),
        account: call.account
      )
      guard let end = page.last else { break }
      for facts in page {
        if let last {
          reply(try Self.made(AuditReply(record: VaultAuditRecord(last)), continues: true))
        }
        last = facts
      }
      number = end.number
      guard await whenSent() else { break }
    }
    return try Self.made(AuditReply(record: last.map(VaultAuditRecord.init)))
  }

  static func consent(of call: AccessTokenCall) -> NarrowingConsent {
    guard call.narrow == true else { return .notGiven }
    return call.remember == true ? .untilNextLogin : .thisCall
  }

  static func provider(_ given: VaultProvider) throws(VaultFailure) -> Provider {
    do throws(ConfigurationError) {
      return try Provider(
        name: try ProviderName(given.name),
        settings: given.settings,
        clientSecret: try given.clientSecret.map(ClientSecret.init)
      )
    } catch {
      throw .invalidArgument("\(error)")
    }
  }

  static func made(
    _ content: some VarlinkRecord,
    continues: Bool = false
  ) throws(VaultFailure) -> VarlinkReply {
    do throws(MessageError) {
      return try VarlinkReply(content, continues: continues)
    } catch {
      throw .unexpected("the reply cannot be written: \(error)")
    }
  }
}
