internal import PresenceTerms
internal import SecretMemory
internal import System
package import VaultClient
internal import VaultInterface

/// The touch of a security key that opens a vault.
package enum KeyTouch {
  /// What the touch allows, as the purpose of its prompt.
  package static let purpose = "open the vault"

  /// Shows the person at `view` what to do, and returns when the vault is open.
  ///
  /// If it throws, the touch may go on: close the connection.
  ///
  /// - Throws: `cancelled` if the person cancelled, `timedOut`, or the error of the vault or of
  ///   `view`.
  package static func openVault(
    on connection: Connection,
    at view: some PresenceView
  ) throws(VaultClientError) {
    try view.begin(.key, of: [.key], isFirst: true)
    var pin = KeyPIN()
    try pin.repeating { known throws(VaultClientError) in
      try connection.stream(
        OpenMachineKeyCall(pin: known),
        within: SecurityKeyText.touchLimit,
        input: view.cancelInput,
        whenInput: { () throws(VaultClientError) in if view.takeCancel() { throw .cancelled } },
        each: { reply in if reply.event == .waiting { view.show(.waiting) } }
      )
    } wanted: { error in
      SecurityKeyText.wanted(error)
    } ask: { wanted throws(VaultClientError) in
      let deadline = BootInstant.now.advanced(bySeconds: SecurityKeyText.touchLimit)
      let answer = try view.answer(to: wanted + ": ", hidden: true, until: deadline)
      guard let answer else {
        if connection.hasEnded { throw .disconnected }
        throw BootInstant.now >= deadline ? .timedOut : .cancelled
      }
      return answer
    }
  }
}
