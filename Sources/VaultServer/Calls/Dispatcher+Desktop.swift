internal import TokenVault
internal import Varlink
internal import VaultInterface

// Methods for prompts at the person's desktop.
extension Dispatcher {
  func askAtDesktop(_ call: AskAtDesktopCall) async throws(VaultFailure) -> EmptyReply {
    try await vault.askAtDesktop(call.prompt, caller: caller)
    return EmptyReply()
  }

  func nextPrompt(_ call: NextPromptCall) async throws(VaultFailure) -> NextPromptReply {
    try await vaults.nextPrompt(for: caller)
  }
}

extension Vaults {
  /// The next prompt for an agent, which needs no vault for its wait.
  func nextPrompt(for caller: Caller) async throws(VaultFailure) -> NextPromptReply {
    guard let agents else {
      throw .noDesktop("the clients of a private vault show its prompts themselves")
    }
    return NextPromptReply(prompt: VaultDesktopPrompt(try await agents.next(for: caller)))
  }
}

extension VaultDesktopPrompt {
  fileprivate init(_ need: PresenceNeed) {
    let request = PresenceRequest(need)
    self.init(
      prompt: request.prompt,
      requester: request.requester,
      account: request.account,
      purpose: request.purpose,
      detail: request.detail,
      methods: request.methods,
      timeout: request.timeout,
      reason: request.reason,
      scan: request.scan
    )
  }
}
