package import PresenceTerms
package import SecretMemory
package import System
internal import TerminalIO
package import VaultClient

/// The display of a presence check at the desktop, for commands and apps: a notification, and a
/// window of pinentry for the password or for the PIN of a security key.
package final class DesktopScreen {
  /// The person's action.
  package enum Action {
    /// The person wants to type the password.
    case password
    /// The person wants to type the PIN of the security key.
    case pin
    /// The person is ready for the turn of this prompt.
    case proceed
    /// The person denied, or the notification is gone.
    case cancel
  }

  private enum Offer {
    case usual
    /// Another prompt is open: an action could be meant for that one.
    case queued
    case turn
    /// The security key waits for its PIN.
    case pin
  }

  private let server: NotificationServer
  private let purpose: String
  private let requester: String
  private var scan: ScanType
  private var methods = [PresenceMethod.fallback]
  private var offersPassword = false
  private var offer = Offer.usual
  /// The last remark to the person.
  private var remark: String?
  private let pinentries: Pinentries

  /// Prepares the notification of one prompt, and finds the server.
  ///
  /// - Parameters:
  ///   - desktop: where it is shown.
  ///   - purpose: the action that a passed check allows, from `PresenceText.purpose(of:)`.
  ///   - requester: the program that asks.
  ///   - reason: why the password is needed although a finger is usually enough.
  ///   - scan: how to touch the reader, as far as that is known.
  ///   - interrupt: a descriptor that ends the wait for the password.
  /// - Throws: `noServer`.
  package init(
    at desktop: Desktop,
    purpose: String,
    requester: String,
    reason: String?,
    scan: ScanType,
    interrupt: Int32?
  ) throws(DesktopError) {
    self.purpose = purpose
    self.requester = requester
    self.scan = scan
    remark = reason.map(PresenceText.reason)
    pinentries = Pinentries(on: desktop, interrupt: interrupt)
    server = try NotificationServer(of: desktop, interrupt: interrupt)
  }

  /// Whether the person can act at the notification.
  package var hasActions: Bool { server.hasActions }

  /// A descriptor that is readable when the person may have acted.
  package var descriptor: Int32 { server.descriptor }

  // MARK: The notification

  /// Shows the purpose and the requester, before the reader is armed and before any question.
  ///
  /// A passed check allows what is shown. It returns when the server has answered with an id.
  package func introduce(
    by methods: [PresenceMethod],
    offersPassword: Bool
  ) throws(DesktopError) {
    self.methods = methods
    self.offersPassword = offersPassword
    offer = .usual
    try show()
  }

  /// Shows an event of the check.
  package func show(_ event: PresenceEvent) throws(DesktopError) {
    if case .touch(_, let scan?) = event { self.scan = scan }
    if case .queued = event { offer = .queued }
    if case .failed(_, _, _, let left) = event {
      let devices = left.filter(\.isDevice)
      if !devices.isEmpty { methods = devices }
    }
    guard let text = DesktopText.remark(event, scan) else { return }
    try show(remark: text)
  }

  /// Shows a message about the check.
  package func show(remark text: String) throws(DesktopError) {
    guard text != remark else { return }
    remark = text
    try show()
  }

  /// Shows that the prompt before this one is over, and what continues with this one.
  package func offerTurn() throws(DesktopError) {
    offer = .turn
    remark = DesktopText.isReady
    try show()
  }

  /// Offers the window for the answer to a question by `method`, if it is not offered yet.
  package func offerQuestion(by method: PresenceMethod) throws(DesktopError) {
    let isOffered = methods == [method] && actions.contains { $0.key == Self.key(of: method) }
    guard !isOffered else { return }
    methods = [method]
    offersPassword = true
    offer = method.isDevice ? .pin : .usual
    try show()
  }

  /// The action that opens the window of `method`.
  package static func opening(_ method: PresenceMethod) -> Action {
    method.isDevice ? .pin : .password
  }

  private static func key(of method: PresenceMethod) -> String {
    method.isDevice ? DesktopText.pin.key : DesktopText.password.key
  }

  private func show() throws(DesktopError) {
    let text = PresenceText.prompt(methods, to: purpose, requester: requester, scan)
    try server.show(
      DesktopText.summary,
      [text, remark].compactMap(\.self).joined(separator: "\n"),
      actions
    )
  }

  private var actions: [NotificationServer.Action] {
    switch offer {
    case .usual where offersPassword: [DesktopText.password, DesktopText.deny]
    case .usual, .queued: [DesktopText.deny]
    case .turn: [DesktopText.proceed, DesktopText.deny]
    case .pin: [DesktopText.pin, DesktopText.deny]
    }
  }

  /// The person's action since the last call; `nil` if nothing.
  ///
  /// An action that the notification does not offer now does not count.
  package func takeAction() -> Action? {
    var action: Action?
    for event in server.takeEvents() {
      switch event {
      case .action(DesktopText.deny.key), .closed: return .cancel
      case .action(let key) where !actions.contains { $0.key == key }: continue
      case .action(DesktopText.proceed.key): action = .proceed
      case .action(DesktopText.pin.key): action = .pin
      case .action: action = .password
      }
    }
    // A remark about a device says nothing about the password.
    if action == .password, methods.allSatisfy(\.isDevice) { remark = nil }
    return action
  }

  // MARK: Password and PIN

  /// Asks for the password in a window, or for the PIN of a security key.
  ///
  /// - Parameters:
  ///   - question: the question of the check.
  ///   - method: what asks.
  ///   - deadline: the end of the wait.
  ///   - hasEnded: whether the prompt has ended; asked when the person may have acted.
  /// - Returns: `nil` if the person cancelled, the time is over, or the prompt has ended.
  /// - Throws: `noPinentry`, `tooLong`.
  package func ask(
    _ question: String,
    by method: PresenceMethod,
    until deadline: BootInstant,
    hasEnded: () -> Bool
  ) throws(DesktopError) -> SharedSecret? {
    let lines = PresenceText.questionLines(question)
    let remarks = Array(lines.dropLast()) + [remark].compactMap(\.self)
    let window = Pinentry.Window(
      description: PresenceText.prompt([method], to: purpose, requester: requester),
      question: lines.last ?? "",
      error: remarks.isEmpty ? nil : remarks.joined(separator: "\n")
    )
    return try pinentries.ask(
      window,
      until: deadline,
      events: { server.descriptor },
      hasEnded: hasEnded
    )
  }

  /// Closes the notification and the window.
  package func close() {
    pinentries.end()
    server.close()
  }
}
