internal import PresenceTerms
internal import SecretMemory
internal import System
internal import TerminalIO
package import VaultClient
internal import VaultInterface

/// The touch of a security key that opens the vault, at the person's desktop: a notification while the
/// key waits, and a window of pinentry for its PIN.
package final class VaultOpening: DesktopUse {
  /// Why the desktop failed, if that ended the touch.
  package internal(set) var failure: DesktopError?
  private let screen: DesktopScreen
  private let interrupt: Int32?
  /// Whether the person asked for the window of the PIN.
  private var isWanted = false

  /// Finds the notification server; `requester` is the program that needs the vault.
  package init(
    requester: String,
    at desktop: Desktop,
    interrupt: Int32?
  ) throws(DesktopError) {
    self.interrupt = interrupt
    screen = try DesktopScreen(
      at: desktop,
      purpose: "open the vault",
      requester: requester,
      reason: nil,
      scan: .press,
      interrupt: interrupt
    )
  }

  /// Returns when the vault is open.
  ///
  /// If it throws, the touch may go on: close the connection.
  package func run(on connection: Connection) throws(VaultClientError) {
    defer { screen.close() }
    try introduce()
    var pin = KeyPIN()
    try pin.repeating { known throws(VaultClientError) in
      try open(by: known, on: connection)
    } wanted: { error in
      SecurityKeyText.wanted(error)
    } ask: { wanted throws(VaultClientError) in
      try answer(to: wanted + ": ")
    }
  }

  private func introduce() throws(VaultClientError) {
    try showing { () throws(DesktopError) in
      try screen.introduce(by: [.key], offersPassword: false)
    }
  }

  private func open(
    by pin: SharedSecret?,
    on connection: Connection
  ) throws(VaultClientError) {
    try connection.stream(
      OpenMachineKeyCall(pin: pin),
      within: SecurityKeyText.touchLimit,
      input: screen.descriptor,
      whenInput: { () throws(VaultClientError) in
        if screen.takeAction() == .cancel { throw .cancelled }
      },
      each: { _ in }
    )
  }

  private func answer(to question: String) throws(VaultClientError) -> SharedSecret {
    let deadline = BootInstant.now.advanced(bySeconds: SecurityKeyText.touchLimit)
    // A window that opens by itself takes what the person is typing elsewhere.
    if screen.hasActions, !isWanted {
      try showing { () throws(DesktopError) in try screen.offerQuestion(by: .key) }
      try waitForClick(until: deadline)
      isWanted = true
      try introduce()
    }
    let answer = try showing { () throws(DesktopError) in
      try screen.ask(question, by: .key, until: deadline) { screen.takeAction() == .cancel }
    }
    guard let answer else {
      // An interrupt ends the wait for the window as well.
      _ = try Connection.wait(for: screen.descriptor, interrupt: interrupt, until: .now)
      throw BootInstant.now >= deadline ? VaultClientError.timedOut : .cancelled
    }
    return answer
  }

  private func waitForClick(until deadline: BootInstant) throws(VaultClientError) {
    while true {
      switch screen.takeAction() {
      case .pin: return
      case .cancel: throw .cancelled
      case .password, .proceed, nil: break
      }
      guard
        try Connection.wait(for: screen.descriptor, interrupt: interrupt, until: deadline)
      else { throw .timedOut }
    }
  }
}
