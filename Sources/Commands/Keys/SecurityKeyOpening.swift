internal import DesktopPrompt
internal import SecretMemory
internal import System
internal import TerminalIO
internal import Varlink
internal import VaultClient
internal import VaultInterface

// Security keys that open the machine key, or get a slot of it: a touch, and a PIN if the key wants
// one.
extension Session {
  /// Opens the machine key with the person at the terminal, or at the desktop if there is none;
  /// `message` says why.
  func openMachineKey(_ message: String, on connection: Connection) throws(CommandError) {
    if findTerminal() == nil, !arguments.has("--no-input"),
      case .success(let desktop)? = findDesktop()
    {
      return try openMachineKey(message, on: connection, at: desktop)
    }
    _ = try terminal(whose: message, instead: CommandError.openHint)
    var pin = KeyPIN()
    try askingPIN(&pin) { known throws(CommandError) in
      do throws(VaultClientError) {
        try connection.stream(
          OpenMachineKeyCall(pin: known),
          within: SecurityKeyText.touchLimit
        ) { reply throws(VaultClientError) in
          if reply.event == .waiting { output.say(SecurityKeyText.touchToOpen) }
        }
      } catch {
        wantedPIN = SecurityKeyText.wanted(error)
        throw CommandError(error)
      }
    }
  }

  private func openMachineKey(
    _ message: String,
    on connection: Connection,
    at desktop: Desktop
  ) throws(CommandError) {
    let view: DesktopView
    do throws(DesktopError) {
      view = try DesktopView(opening: Self.parent, at: desktop, interrupt: interrupt)
    } catch {
      throw Self.notShown(message, error)
    }
    do throws(VaultClientError) {
      try view.openVault(on: connection)
    } catch {
      // The end of the connection ends the light of the key.
      calls.hangUp()
      throw view.failure.map { Self.notShown(message, $0) } ?? CommandError(error)
    }
  }

  private static func notShown(_ message: String, _ error: DesktopError) -> CommandError {
    CommandError(
      .promptNeeded,
      "\(message), but there is no terminal, and \(error)",
      hint: CommandError.openHint
    )
  }

  /// The program that has started this one, as a person knows it.
  private static var parent: String {
    let parent = ProcessFacts(process: ThisProcess.identifier)?.parent
    return parent.map { SecretCallers.program(UInt32(clamping: $0)) } ?? "a program"
  }

  /// Makes a call that a touch of a security key may complete, and asks for its PIN if the key
  /// wants it.
  func callByKey<Method: VarlinkMethod>(
    within seconds: Int64,
    again: Repetition,
    pin: inout KeyPIN,
    _ make: (String?, SharedSecret?) -> Method,
    isTouch: (Method.Reply) -> Bool
  ) throws(CommandError) -> Method.Reply {
    try askingPIN(&pin) { known throws(CommandError) in
      var result: Method.Reply?
      try stream(within: seconds, again: again) { prompt in
        make(prompt, known)
      } each: { reply throws(VaultClientError) in
        if isTouch(reply) { output.say(SecurityKeyText.touch) } else { result = reply }
      }
      guard let result else { throw CommandError(VaultClientError.disconnected, again) }
      return result
    }
  }

  /// Makes a call, and repeats it with the PIN that the person types until the key accepts that.
  ///
  /// A call that fails must set `wantedPIN`.
  private func askingPIN<Result>(
    _ pin: inout KeyPIN,
    _ call: (SharedSecret?) throws(CommandError) -> Result
  ) throws(CommandError) -> Result {
    try pin.repeating { known throws(CommandError) in
      wantedPIN = nil
      return try call(known)
    } wanted: { _ in
      wantedPIN
    } ask: { wanted throws(CommandError) in
      try keyPIN(wanted + ": ")
    }
  }
}
