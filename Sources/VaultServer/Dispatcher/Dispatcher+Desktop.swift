internal import TokenVault
internal import Varlink
internal import VaultInterface

// Methods for prompts at the person's desktop.
extension Dispatcher {
  func askAtDesktop(_ call: AskAtDesktopCall) async throws(VaultFailure) -> EmptyReply {
    try await vault.askAtDesktop(call.prompt, caller: caller)
    return EmptyReply()
  }

  func restrict(_ call: RestrictCall) async throws(VaultFailure) -> EmptyReply {
    let rule = try vaults.restriction(call, caller, own: try await ownCallerRules())
    guard context.recognition.restrict(by: rule) else {
      throw .refused("the connection is restricted already")
    }
    return EmptyReply()
  }

  func nextPrompt(_ call: NextPromptCall) async throws(VaultFailure) -> NextPromptReply {
    try await vaults.nextPrompt(call, for: caller)
  }
}

extension Vaults {
  /// The next prompt or notice for an agent, which needs no vault for its wait.
  func nextPrompt(
    _ call: NextPromptCall,
    for caller: Caller
  ) async throws(VaultFailure) -> NextPromptReply {
    guard let agents else {
      throw .noDesktop(DesktopObjection("this engine has no agents"))
    }
    switch try await agents.next(for: caller, takingNotices: call.notices == true) {
    case .prompt(let need): return NextPromptReply(prompt: PresenceRequest(need))
    case .notice(let notice): return NextPromptReply(notice: DesktopNotice(notice))
    }
  }
}

extension DesktopNotice {
  init(_ notice: Notice) {
    switch notice {
    case .allowed(let purpose, let account, let detail, let method, let requester):
      self.init(
        kind: .allowed,
        account: account,
        requester: requester,
        purpose: purpose,
        detail: detail,
        method: method
      )
    case .loginRequired(let account, let byBrowser):
      self.init(kind: .loginRequired, account: account, browser: byBrowser)
    case .secretExpires(let account, let end):
      self.init(kind: .secretExpires, account: account, expiresAt: Int(end))
    }
  }
}
