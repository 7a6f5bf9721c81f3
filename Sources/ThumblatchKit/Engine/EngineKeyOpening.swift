internal import PlainText
internal import PresenceTerms
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

// A private vault may need a touch of its security key, once for each engine.
extension EngineCall {
  /// Opens the vault by a touch of the security key, at the app's presenter; `message` says why.
  ///
  /// If it throws, the touch may go on: the end of the connection ends it.
  func openKey(
    _ message: String,
    _ asking: PresenceAsking,
    on connection: Connection
  ) throws(VaultClientError) {
    let shown = PresencePrompt(opening: asking.reason)
    guard asking.isPossible, asking.present(shown) else {
      throw .refused(.machineKeyNeeded(message: message))
    }
    var isOpen = false
    defer { shown.show(.ended(passed: isOpen)) }
    let view = PromptView(prompt: shown, ending: connection.descriptor, interrupt: interrupt)
    try KeyTouch.openVault(on: connection, at: view)
    isOpen = true
  }
}

extension PresencePrompt {
  /// Makes the prompt for the touch that opens the vault, with the app's reason.
  fileprivate convenience init(opening reason: String?) {
    let name = ProcessFacts(process: ThisProcess.identifier)?.name ?? "this program"
    self.init(
      requester: PlainText.line(name, limit: 120),
      account: nil,
      purpose: KeyTouch.purpose,
      reason: reason,
      allowsFingerprint: false,
      allowsPassword: false
    )
    setDevices([.key])
  }
}
