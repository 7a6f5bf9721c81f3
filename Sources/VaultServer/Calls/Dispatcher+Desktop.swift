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
    let rule = try vaults.restriction(call, caller)
    guard context.recognition.restrict(by: rule) else {
      throw .refused("the connection is restricted already")
    }
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
    return NextPromptReply(prompt: PresenceRequest(try await agents.next(for: caller)))
  }
}
