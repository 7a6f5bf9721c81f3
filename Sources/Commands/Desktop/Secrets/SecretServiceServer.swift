internal import DesktopPrompt
internal import Glibc
internal import SecretService
internal import Synchronization
internal import System
internal import SystemBus
internal import VaultClient

/// The server of `agent --secret-service` on the session bus.
///
/// The thread of `serve` has the bus to itself once it has begun.
final class SecretServiceServer: @unchecked Sendable {
  /// Work that a thread does.
  private struct Running {
    let interrupt: WakeSignal
    /// The call that is answered at the end; `nil` if that was done at the beginning.
    let call: BusMessage?
  }

  private let bus: SystemBus
  private let service: SecretService
  private let store: VaultSecretStore
  private let output: Output
  private let ended: EndedWork
  private var callers = SecretCallers()
  private var running: [Int: Running] = [:]
  /// Ends the wait for the end of an unlock window; `nil` if none is waited for.
  private var watching: WakeSignal?

  /// Takes the name of the service on the person's session bus.
  ///
  /// - Throws: `busy` if another program has the name.
  init(_ session: Session, of location: VaultLocation) throws(CommandError) {
    let arguments = session.arguments
    store = VaultSecretStore { interrupt in
      Session(detached: arguments, of: location, interrupt: interrupt)
    }
    service = SecretService(store: store)
    output = Output(json: session.output.json, environment: session.environment)
    do throws(SystemError) { ended = try EndedWork() } catch {
      throw CommandError(VaultClientError.system(error))
    }
    do throws(BusError) {
      bus = try SystemBus(Desktop.sessionBus(session.environment))
      try bus.subscribe(
        to: SystemBus.driver,
        "interface='\(SystemBus.driver)',member='NameOwnerChanged',arg2=''"
      )
      if try bus.own(SecretService.name) { return }
    } catch {
      throw Self.noBus(error)
    }
    throw Self.isServed(by: Self.owner(on: bus))
  }

  /// The error without a session bus.
  static func noBus(_ error: BusError) -> CommandError {
    CommandError(
      .unavailable,
      "the session bus cannot be used: \(error.reason)",
      hint: "start the agent in your desktop session, or set DBUS_SESSION_BUS_ADDRESS"
    )
  }

  /// The program that has the name of the service; `nil` if it is not known.
  private static func owner(on bus: SystemBus) -> String? {
    let owner = try? bus.callDriver("GetNameOwner", [SecretService.name]).text()
    let process = try? bus.callDriver("GetConnectionUnixProcessID", [owner ?? ""]).number()
    return process.map(SecretCallers.program)
  }

  /// The error if another program has the name.
  static func isServed(by program: String?) -> CommandError {
    CommandError(
      .busy,
      "\(program ?? "another program") already provides the Secret Service",
      hint: "end that program, or leave out --secret-service"
    )
  }

  /// Serves programs until the bus ends.
  ///
  /// Returns at once.
  func serve() throws(CommandError) {
    do throws(SystemError) {
      try startThread { [self] in
        do throws(BusError) {
          while true { try serveNext() }
        } catch {
          for work in running.values { work.interrupt.event.signal() }
          watching?.event.signal()
          output.talk(Self.over(error))
        }
      }
    } catch {
      throw CommandError(VaultClientError.system(error))
    }
  }

  /// The agent's message when the bus ends.
  static func over(_ error: BusError) -> String {
    "the Secret Service is no longer served: \(error.reason); to serve it, restart the agent"
  }

  private func serveNext() throws(BusError) {
    let message = try bus.next(within: BusLimit(interrupt: ended.wake.event.descriptor.number))
    let done = ended.take()
    // Work may have unlocked items whose window is not watched yet.
    if let watch = done.watch {
      watching = nil
      service.tell(of: watch)
    }
    for (number, error) in done.work { finish(number, error) }
    if let message {
      if message.isCall { handle(message) } else { try forget(message) }
    }
    watchUnlocked()
    for number in service.takeCancelled() { running[number]?.interrupt.event.signal() }
    for signal in service.takeSignals() {
      // A bus that accepts no more has reached its own limit, and reports that when it is read.
      try? bus.signal(
        signal.path,
        signal.interface,
        signal.member,
        signal.values,
        to: signal.destination
      )
    }
  }

  /// Forgets a program that has left.
  private func forget(_ message: BusMessage) throws(BusError) {
    guard message.name == "\(SystemBus.driver).NameOwnerChanged" else { return }
    let name = try message.text()
    guard name.hasPrefix(":") else { return }
    callers.forget(name)
    service.forget(name)
  }

  // MARK: Calls

  private func handle(_ message: BusMessage) {
    do throws(SecretServiceError) {
      let call = try call(message)
      switch try service.handle(call) {
      case .answer(let values):
        do throws(BusError) {
          try bus.answer(message, values)
        } catch {
          throw SecretServiceError.failed(error.reason)
        }
      case .begin(let work):
        try? bus.answer(message, [])
        begin(work, nil)
      case .wait(let work): begin(work, message)
      }
    } catch {
      refuse(message, error)
    }
  }

  private func refuse(_ message: BusMessage, _ error: SecretServiceError) {
    try? bus.refuse(message, name: error.name, message: error.message)
  }

  private func call(_ message: BusMessage) throws(SecretServiceError) -> SecretCall {
    let requester: String?
    let arguments: [BusValue]
    do throws(BusError) {
      requester = try callers.requester(message.sender, on: bus)
      arguments = try message.values()
    } catch {
      throw error == .tooLong ? .longCall : .failed(error.reason)
    }
    guard let requester else { throw .otherUser }
    return SecretCall(
      sender: message.sender,
      requester: requester,
      path: message.path,
      interface: message.interface,
      member: message.member,
      arguments: arguments
    )
  }

  // MARK: Work

  private func begin(_ work: SecretWork, _ call: BusMessage?) {
    do throws(SystemError) {
      let interrupt = try WakeSignal()
      running[work.number] = Running(interrupt: interrupt, call: call)
      try startThread { [store, ended] in
        do throws(SecretServiceError) {
          try store.perform(work, interrupt: interrupt.event.descriptor.number)
          ended.add(work.number, nil)
        } catch {
          ended.add(work.number, error)
        }
      }
    } catch {
      running[work.number] = Running(interrupt: ended.wake, call: call)
      ended.add(work.number, .failed("\(error)"))
    }
  }

  /// Waits, beside the bus, for the end of the window of an item that a prompt has unlocked.
  private func watchUnlocked() {
    guard watching == nil, let item = service.itemToWatch() else { return }
    do throws(SystemError) {
      let interrupt = try WakeSignal()
      try startThread { [store, ended] in
        let number = interrupt.event.descriptor.number
        ended.endWatch(store.waitForLock(of: item, interrupt: number))
      }
      watching = interrupt
    } catch {
      service.tell(of: .unknown)
    }
  }

  private func finish(_ number: Int, _ error: SecretServiceError?) {
    let call = running.removeValue(forKey: number)?.call
    service.finish(number, isDone: error == nil)
    if let error {
      if let call { refuse(call, error) } else { output.talk(Self.notDone(error)) }
    } else if let call {
      try? bus.answer(call, [])
    }
  }

  /// The agent's message about a prompt that did not fulfil its program's request.
  static func notDone(_ error: SecretServiceError) -> String {
    "a client of the Secret Service was refused: \(error.message)"
  }
}

/// A wake event that several threads hold.
private final class WakeSignal: Sendable {
  let event: WakeEvent

  init() throws(SystemError) { event = try WakeEvent() }
}

/// The work that threads have ended.
private final class EndedWork: Sendable {
  /// The parts that have ended since the last check.
  struct Content {
    var work: [(Int, SecretServiceError?)] = []
    /// How the wait for the end of an item's window has ended.
    var watch: SecretWindowEnd?
  }

  /// Signalled when work has ended.
  let wake: WakeSignal
  private let ended = Mutex(Content())

  init() throws(SystemError) { wake = try WakeSignal() }

  func add(_ number: Int, _ error: SecretServiceError?) {
    ended.withLock { $0.work.append((number, error)) }
    wake.event.signal()
  }

  func endWatch(_ end: SecretWindowEnd) {
    ended.withLock { $0.watch = end }
    wake.event.signal()
  }

  func take() -> Content {
    wake.event.clear()
    return ended.withLock { ended in
      defer { ended = Content() }
      return ended
    }
  }
}
