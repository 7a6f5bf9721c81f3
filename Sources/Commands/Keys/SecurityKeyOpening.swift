internal import SecretMemory
internal import TerminalIO
internal import Varlink
internal import VaultClient
internal import VaultInterface

// Security keys that open the machine key, or get a slot of it: a touch, and a PIN if the key wants one.
extension Session {
  /// The most time for a touch, in seconds: the key itself gives up after some 30.
  private static let touchLimit: Int64 = 90

  /// Opens the machine key with the person at the terminal; `message` says why.
  func openMachineKey(_ message: String, on connection: Connection) throws(CommandError) {
    _ = try terminal(whose: message, instead: CommandError.openHint)
    var pin: SharedSecret?
    while true {
      do throws(VaultClientError) {
        try connection.stream(
          OpenMachineKeyCall(pin: pin),
          within: Self.touchLimit
        ) { reply throws(VaultClientError) in
          if reply.event == .waiting { output.say(SecurityKeyText.touchToOpen) }
        }
        return
      } catch {
        guard let question = SecurityKeyText.question(error) else { throw CommandError(error) }
        pin = try keyPIN(SecurityKeyText.again(pin) + question)
      }
    }
  }

  /// Makes a call that a touch of a security key may complete, and asks for its PIN if the key wants it.
  func callByKey<Method: VarlinkMethod>(
    within seconds: Int64,
    again: Repetition,
    pin: inout SharedSecret?,
    _ make: (String?, SharedSecret?) -> Method,
    isTouch: (Method.Reply) -> Bool
  ) throws(CommandError) -> Method.Reply {
    while true {
      let known = pin
      var result: Method.Reply?
      do throws(CommandError) {
        try stream(within: seconds, again: again) { prompt in
          make(prompt, known)
        } each: { reply throws(VaultClientError) in
          if isTouch(reply) { output.say(SecurityKeyText.touch) } else { result = reply }
        }
        guard let result else { throw CommandError(VaultClientError.disconnected, again) }
        return result
      } catch {
        guard let question = pinQuestion else { throw error }
        pin = try keyPIN(SecurityKeyText.again(known) + question)
      }
    }
  }
}

/// What is said about a security key that opens the machine key, or gets a slot of it.
enum SecurityKeyText {
  static let touch = "Touch the security key."
  static let touchToOpen = "Touch the security key to open the vault."

  /// The question for the PIN that a call needs; `nil` if it failed for another reason.
  static func question(_ error: VaultClientError) -> String? {
    guard case .refused(.keyPINNeeded(_, let retries)) = error else { return nil }
    let left =
      switch retries {
      case 1?: " (1 try left)"
      case let retries?: " (\(retries) tries left)"
      case nil: ""
      }
    return "PIN of the security key\(left): "
  }

  /// The words before a question, after a PIN that the key did not accept.
  static func again(_ pin: SharedSecret?) -> String { pin == nil ? "" : "Wrong PIN. " }
}
