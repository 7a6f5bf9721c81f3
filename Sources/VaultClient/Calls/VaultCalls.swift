internal import PresenceTerms
internal import System
public import VaultInterface

/// How a client asks a person for a presence check.
public struct PresenceAsker {
  /// Whether a person can be asked; if not, the engine opens no prompt.
  public let canAsk: () -> Bool
  let check: (PresenceRequest, Connection) throws(VaultClientError) -> Void
  let tellOfDesktop: (PresenceRequest) -> Void
  let openKey: ((String, Connection) throws(VaultClientError) -> Void)?

  /// Makes an asker, whose `check` returns when the check of the prompt has passed.
  ///
  /// `tellOfDesktop` is called if the check is made at the desktop of the vault's person, because
  /// the connection is restricted. `openKey` returns when a touch of a security key has opened the
  /// machine key. It gets the reason. Without it, a call that needs that fails.
  public init(
    canAsk: @escaping @autoclosure () -> Bool,
    tellOfDesktop: @escaping (PresenceRequest) -> Void = { _ in },
    openKey: ((String, Connection) throws(VaultClientError) -> Void)? = nil,
    check: @escaping (PresenceRequest, Connection) throws(VaultClientError) -> Void
  ) {
    self.canAsk = canAsk
    self.tellOfDesktop = tellOfDesktop
    self.openKey = openKey
    self.check = check
  }
}

/// The calls of one client, with the presence checks that the engine asks for.
///
/// If the engine leaves or is killed before it replies, the call is sent to the next engine, as far
/// as its `Repetition` allows.
public final class VaultCalls {
  /// If a joined caller spent the proof, the engine asks again, but not without limit.
  private static let mostChecks = 4
  /// How long an agent may take for a check, in seconds: the engine bounds it.
  private static let agentLimit: Int64 = 660

  private let interrupt: Int32?
  private let connect: () throws(VaultClientError) -> Connection
  private var connection: Connection?
  private var reconnection = Reconnection()

  /// Makes calls over the connection that `connect` opens when the first one is made.
  public init(interrupt: Int32?, connect: @escaping () throws(VaultClientError) -> Connection) {
    self.interrupt = interrupt
    self.connect = connect
  }

  /// The connection, which the first use opens.
  public func open() throws(VaultClientError) -> Connection {
    if let connection { return connection }
    let opened = try connect()
    connection = opened
    return opened
  }

  /// Closes the connection, which cancels all work of the engine for this client.
  public func hangUp() {
    connection = nil
  }

  /// Runs `body`, which makes a call with the prompt whose check has passed, or `nil` at first.
  public func run<Value>(
    again: Repetition,
    asking asker: PresenceAsker?,
    _ body: (Connection, String?) throws(VaultClientError) -> Value
  ) throws(VaultClientError) -> Value {
    var prompt: String?
    var checks = 0
    while checks < Self.mostChecks {
      let answers = connection?.answers ?? 0
      do throws(VaultClientError) {
        do throws(VaultClientError) {
          return try body(try open(), prompt)
        } catch .refused(.presenceNeeded(let request)) {
          guard let asker else { throw .refused(.presenceNeeded(request)) }
          checks += 1
          try check(request, asker)
          prompt = request.prompt
        } catch .refused(.machineKeyNeeded(let message)) {
          guard let openKey = asker?.openKey else {
            throw .refused(.machineKeyNeeded(message: message))
          }
          checks += 1
          try openKey(message, try open())
        }
      } catch {
        let isUntouched = prompt == nil && connection?.answers ?? 0 == answers
        guard case .disconnected = error,
          again == .always || (again == .untilPrompted && isUntouched)
        else { throw error }
        hangUp()
        guard try reconnection.waitForNextTry(interrupt: interrupt) else { throw error }
        // The prompt ended with the engine that opened it.
        prompt = nil
      }
    }
    throw .asksWithoutEnd
  }

  /// Runs the check at the desktop if the connection is restricted, otherwise by the asker.
  private func check(
    _ request: PresenceRequest,
    _ asker: PresenceAsker
  ) throws(VaultClientError) {
    // If no prompt was opened, the asker says why.
    guard request.atDesktop, !request.prompt.isEmpty else {
      return try asker.check(request, try open())
    }
    asker.tellOfDesktop(request)
    try askAtDesktop(request, on: try open())
  }

  /// Has an agent of the person make the check of a prompt.
  ///
  /// When `cancel` is readable and `isCancelled` says so, the prompt is given up.
  public func askAtDesktop(
    _ request: PresenceRequest,
    on connection: Connection,
    cancel: Int32? = nil,
    isCancelled: () -> Bool = { false }
  ) throws(VaultClientError) {
    let number = try connection.send(AskAtDesktopCall(prompt: request.prompt))
    let deadline = BootInstant.now.advanced(bySeconds: Self.agentLimit)
    while true {
      switch try connection.next(input: cancel, deadline: deadline) {
      case .timedOut: throw .timedOut
      case .input:
        guard isCancelled() else { continue }
        // The agent's notification is closed before the connection.
        try connection.send(CancelCall(prompt: request.prompt))
        throw .cancelled
      case .reply(let reply, let of):
        // A late reply to a call that was given up does not belong to this call.
        guard of == number else { continue }
        _ = try Connection.result(of: reply, to: AskAtDesktopCall.self)
        return
      }
    }
  }
}

extension SendBackupCall {
  /// The most bytes of a backup in one message.
  private static let mostBytes = 32 << 10

  /// The calls that send a backup to an engine, in their order.
  package static func parts(of backup: [UInt8]) -> [SendBackupCall] {
    stride(from: 0, to: backup.count, by: mostBytes).map { start in
      let end = min(start + mostBytes, backup.count)
      return SendBackupCall(offset: start, bytes: Array(backup[start..<end]))
    }
  }
}
