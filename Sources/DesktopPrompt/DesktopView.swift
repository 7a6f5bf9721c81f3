package import PresenceTerms
package import SecretMemory
package import System
internal import TerminalIO
package import VaultClient
package import VaultInterface

/// One presence check, or one touch that opens a vault, at the person's desktop: a notification
/// while a device waits for a touch, and a window of pinentry for the password or the PIN.
///
/// An action of the notification chooses the password or denies. It never consents.
package final class DesktopView: PresenceView {
  /// Why the desktop failed, if that ended the dialogue.
  package private(set) var failure: DesktopError?
  private let screen: DesktopScreen
  private let interrupt: Int32?
  /// Readable while a question is open if the engine has ended the prompt, or at an interrupt.
  private let ending: ReadyQueue
  private var methods: [PresenceMethod] = []
  /// The subject of a question: the password, or the PIN of the key.
  private var asking = PresenceMethod.fallback
  /// The person's action that no question has taken yet.
  private var pending: DesktopScreen.Action?
  /// The method whose window the person asked for.
  private var wanted: PresenceMethod?

  /// Prepares the dialogue of a presence check, and finds the notification server.
  package convenience init(
    _ request: PresenceRequest,
    at desktop: Desktop,
    interrupt: Int32?
  ) throws(DesktopError) {
    try self.init(
      to: PresenceText.purpose(of: request),
      requester: PresenceText.requester(of: request),
      reason: request.reason,
      scan: request.scan ?? .press,
      at: desktop,
      interrupt: interrupt
    )
  }

  /// Prepares the dialogue of a touch that opens the vault; `requester` is the program that needs
  /// it.
  package convenience init(
    opening requester: String,
    at desktop: Desktop,
    interrupt: Int32?
  ) throws(DesktopError) {
    try self.init(
      to: KeyTouch.purpose,
      requester: requester,
      reason: nil,
      scan: .press,
      at: desktop,
      interrupt: interrupt
    )
  }

  private init(
    to purpose: String,
    requester: String,
    reason: String?,
    scan: ScanType,
    at desktop: Desktop,
    interrupt: Int32?
  ) throws(DesktopError) {
    self.interrupt = interrupt
    do throws(SystemError) {
      ending = try ReadyQueue()
      if let interrupt { try ending.add(interrupt, token: 1) }
    } catch {
      throw .noServer(reason: "\(error)")
    }
    screen = try DesktopScreen(
      at: desktop,
      purpose: purpose,
      requester: requester,
      reason: reason,
      scan: scan,
      interrupt: ending.number
    )
  }

  /// Leads the dialogue of the check; returns when the check has passed.
  package func pass(
    _ request: PresenceRequest,
    on connection: Connection
  ) throws(VaultClientError) {
    try lead(on: connection) { () throws(VaultClientError) in
      try PresenceRun(request, on: connection, view: self).run()
    }
  }

  /// Leads the dialogue of the touch; returns when the vault is open.
  ///
  /// If it throws, the touch may go on: close the connection.
  package func openVault(on connection: Connection) throws(VaultClientError) {
    try lead(on: connection) { () throws(VaultClientError) in
      try KeyTouch.openVault(on: connection, at: self)
    }
  }

  private func lead(
    on connection: Connection,
    _ dialogue: () throws(VaultClientError) -> Void
  ) throws(VaultClientError) {
    defer { screen.close() }
    do throws(SystemError) { try connection.watchEnd(by: ending) } catch { throw .system(error) }
    try dialogue()
  }

  /// Uses the desktop; what fails there ends the dialogue, and is kept.
  private func showing<Value>(
    _ body: () throws(DesktopError) -> Value
  ) throws(VaultClientError) -> Value {
    do throws(DesktopError) {
      return try body()
    } catch {
      failure = error
      throw .interrupted
    }
  }

  package func begin(
    _ method: PresenceMethod,
    of methods: [PresenceMethod],
    isFirst: Bool
  ) throws(VaultClientError) {
    self.methods = methods
    asking = method.isDevice ? .key : method
    try introduce(by: methods.armed(for: method))
  }

  private func introduce(by methods: [PresenceMethod]) throws(VaultClientError) {
    try showing { () throws(DesktopError) in
      let offersPassword = !self.methods.allSatisfy(\.isDevice) && wanted == nil
      try screen.introduce(by: methods, offersPassword: offersPassword)
    }
  }

  package func show(_ event: PresenceEvent) {
    // A server that fails here has closed the notification, and the screen reports that next.
    try? screen.show(event)
  }

  // MARK: The person's actions

  package var input: Int32? { screen.descriptor }

  package func takeInput() -> PresenceInput {
    takeAction()
    defer { pending = nil }
    switch pending {
    case .password:
      wanted = .fallback
      return .password
    case .cancel: return .cancel
    case .proceed, .pin, nil: return .nothing
    }
  }

  package var cancelInput: Int32? { screen.descriptor }

  package func takeCancel() -> Bool {
    takeAction()
    return pending == .cancel
  }

  private func takeAction() {
    guard pending != .cancel else { return }
    pending = screen.takeAction() ?? pending
  }

  /// Waits for an action of the person; false if the prompt has ended.
  private func wait(
    for action: DesktopScreen.Action,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool {
    repeat {
      takeAction()
      if pending == .cancel { return false }
      if pending == action {
        pending = nil
        return true
      }
    } while try Connection.wait(
      for: screen.descriptor,
      ending: ending.number,
      interrupt: interrupt,
      until: deadline
    )
    return false
  }

  package func takeTurn(
    for method: PresenceMethod,
    until deadline: BootInstant
  ) throws(VaultClientError) -> Bool {
    // A window that was requested earlier would capture text that is typed for the other prompt.
    wanted = nil
    if pending != .cancel { pending = nil }
    guard method.isDevice else { return true }
    // Without actions the person cannot confirm the turn.
    guard screen.hasActions else { return false }
    try showing { () throws(DesktopError) in try screen.offerTurn() }
    return try wait(for: .proceed, until: deadline)
  }

  package func answer(
    to question: String,
    hidden: Bool,
    until deadline: BootInstant
  ) throws(VaultClientError) -> SharedSecret? {
    // A window that opens by itself captures text that the person is typing elsewhere.
    if screen.hasActions, wanted != asking {
      try showing { () throws(DesktopError) in try screen.offerQuestion(by: asking) }
      guard try wait(for: DesktopScreen.opening(asking), until: deadline) else { return nil }
      wanted = asking
      try introduce(by: [asking])
    }
    let answer = try showing { () throws(DesktopError) in
      try screen.ask(question, by: asking, until: deadline, hasEnded: takeCancel)
    }
    // An interrupt ends the wait for the window as well.
    if answer == nil {
      _ = try Connection.wait(for: screen.descriptor, interrupt: interrupt, until: .now)
    }
    return answer
  }
}
