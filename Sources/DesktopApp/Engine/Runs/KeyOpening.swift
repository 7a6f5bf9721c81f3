internal import PresenceTerms
internal import SecretMemory
internal import System
internal import TerminalIO
internal import VaultClient
internal import VaultInterface

/// The touch of a security key that opens the vault, at a prompt of the app.
struct KeyOpening {
  private let prompt: PromptLink
  private let connection: Connection

  /// Shows the prompt, and returns when the vault is open.
  ///
  /// If it throws, the touch may go on: close the connection.
  ///
  /// - Throws: `cancelled` if the person denies it.
  static func run(
    on connection: Connection,
    at desk: PromptDesk
  ) throws(VaultClientError) {
    let prompt = try PromptLink(
      PresenceRequest(
        prompt: "",
        requester: "",
        purpose: .unlock,
        methods: [.key],
        timeout: Int(SecurityKeyText.touchLimit)
      ),
      isOwn: true,
      on: connection
    )
    desk.show(prompt)
    defer { prompt.end() }
    try prompt.begin(.key, of: [.key], isFirst: true)
    try KeyOpening(prompt: prompt, connection: connection).open()
  }

  private func open() throws(VaultClientError) {
    var pin = KeyPIN()
    try pin.repeating(open, wanted: SecurityKeyText.wanted) { wanted throws(VaultClientError) in
      try answer(to: wanted + ": ")
    }
  }

  private func open(by pin: SharedSecret?) throws(VaultClientError) {
    try connection.stream(
      OpenMachineKeyCall(pin: pin),
      within: SecurityKeyText.touchLimit,
      input: prompt.input,
      whenInput: { () throws(VaultClientError) in
        if case .cancel = prompt.takeInput() { throw .cancelled }
      },
      each: { _ in }
    )
  }

  private func answer(to question: String) throws(VaultClientError) -> SharedSecret {
    let deadline = BootInstant.now.advanced(bySeconds: SecurityKeyText.touchLimit)
    guard let answer = try prompt.answer(to: question, hidden: true, until: deadline) else {
      throw BootInstant.now >= deadline ? .timedOut : .cancelled
    }
    return answer
  }
}
