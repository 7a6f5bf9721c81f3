internal import Synchronization
public import System
public import TokenVault
internal import VaultInterface

private let listenerToken: UInt64 = 0
private let signalToken: UInt64 = 1

/// Speaks Varlink to the vault's callers, on one thread that never waits for any of them.
///
/// Each connection carries one authority: that of the process that connected. Calls of one
/// connection are answered in order; a call that comes while a check runs interrupts that check.
public final class Server {
  /// The most connections at once.
  static let mostConnections = 256
  /// How long a message may stay half sent, in seconds.
  static let messageDeadline: Int64 = 5
  /// How often deadlines are looked at, in milliseconds.
  private static let tick: Int32 = 1000
  /// How often counted refusals are written down, in seconds.
  private static let flushInterval: Int64 = 60
  /// How long nobody is accepted after descriptors have run out, in seconds.
  private static let shortagePause: Int64 = 1

  private let vault: Vault
  private let listener: Descriptor
  private let signals: TerminationSignals
  private let user: UInt32
  private let idleSeconds: Int64
  private let ready: ReadyQueue
  private let inbox: Inbox
  private var connections: [UInt64: Connection] = [:]
  private var nextToken: UInt64 = 2
  /// When the listener is watched again; nil while it is.
  private var acceptsFrom: BootInstant?

  /// Prepares to serve.
  ///
  /// - Parameters:
  ///   - vault: answers.
  ///   - listener: bound and listening, non-blocking.
  ///   - signals: tell it to end.
  ///   - user: the only uid that is served.
  ///   - idleSeconds: after so long without a connection or an open window it returns.
  /// - Throws: the error of epoll_create1(2) or epoll_ctl(2).
  public init(
    vault: Vault,
    listener: consuming Descriptor,
    signals: consuming TerminationSignals,
    user: UInt32,
    idleSeconds: Int64
  ) throws(SystemError) {
    self.vault = vault
    self.user = user
    self.idleSeconds = idleSeconds
    ready = try ReadyQueue()
    inbox = Inbox(ready)
    try ready.add(listener, token: listenerToken)
    try ready.add(signals.descriptor, token: signalToken)
    self.listener = listener
    self.signals = signals
  }

  /// Serves until nobody has asked for a while, or a signal tells it to end.
  public func run() throws(SystemError) {
    try serveUntilDone()
    try flushAtEnd()
  }

  private func serveUntilDone() throws(SystemError) {
    var idleSince = BootInstant.now
    var flushed = BootInstant.now
    tendTrail()
    while true {
      for event in try ready.wait(milliseconds: Self.tick) {
        switch event.token {
        case listenerToken: try acceptAll()
        case signalToken: return
        default: serve(event)
        }
      }
      for (token, message) in inbox.takeAll() { deliver(message, to: token) }
      // The next engine reads what really is on the disk.
      if vault.hasLostItsStore { return }
      for (token, connection) in connections where connection.isOverdue { end(token) }
      if let acceptsFrom, BootInstant.now >= acceptsFrom {
        self.acceptsFrom = nil
        try ready.change(listener, token: listenerToken, readable: true, writable: false)
      }
      if BootInstant.now.seconds(since: flushed) >= Self.flushInterval {
        flushed = .now
        tendTrail()
        refreshAhead()
      }
      if connections.isEmpty {
        if BootInstant.now.seconds(since: idleSince) >= idleSeconds {
          if !inbox.isHoldingWindow { return }
          inbox.askForWindow(of: vault)
        }
      } else {
        idleSince = .now
        inbox.forgetWindow()
      }
    }
  }

  /// Has counted refusals written down, and the trail kept short; what fails is tried again later.
  private func tendTrail() {
    Task { [vault] in try? await vault.tendTrail() }
  }

  /// Has tokens refreshed that are in use and about to expire.
  ///
  /// Nobody waits for it: neither a caller, nor this engine's end.
  private func refreshAhead() {
    Task { [vault] in
      await vault.restGuard()
      await vault.refreshAhead()
    }
  }

  /// Counts a caller that gets no answer.
  private func noteRefusal(_ what: String, by requester: String) {
    Task { [vault] in await vault.noteRefusal(what, by: requester) }
  }

  /// Waits until checks have ended and what was only counted is written down, but not for ever.
  private func flushAtEnd() throws(SystemError) {
    Task { [vault, inbox] in
      await vault.endChecks()
      try? await vault.flushRefusals()
      inbox.put(nil, for: signalToken, isLast: true)
    }
    let deadline = BootInstant.now.advanced(bySeconds: 5)
    while BootInstant.now < deadline {
      if inbox.takeAll().contains(where: { $0.0 == signalToken }) { return }
      _ = try ready.wait(milliseconds: 100)
    }
  }

  private func acceptAll() throws(SystemError) {
    do throws(SystemError) {
      try acceptWaiting()
    } catch {
      guard error.isShortage else { throw error }
      // Those who are served keep what they have. The others still wait, which the listener would
      // tell without a pause.
      acceptsFrom = BootInstant.now.advanced(bySeconds: Self.shortagePause)
      try ready.change(listener, token: listenerToken, readable: false, writable: false)
    }
  }

  /// Makes room for a caller by ending the one who has been silent for longest: connections that
  /// are only held must not keep others out.
  private func endIdlest() {
    let idlest = connections.filter { !$0.value.isAnswering }.min {
      $0.value.lastHeard < $1.value.lastHeard
    }
    if let idlest { end(idlest.key) }
  }

  private func acceptWaiting() throws(SystemError) {
    while let socket = try UnixSocket.accept(on: listener) {
      if connections.count >= Self.mostConnections { endIdlest() }
      let peer = try? socket.peerCredentials()
      let requester = peer.map { "user \($0.user)" } ?? "an unknown user"
      guard connections.count < Self.mostConnections else {
        noteRefusal("too many connections", by: requester)
        continue
      }
      guard let connection = try? Connection(socket, user: user, number: nextToken) else {
        noteRefusal(peer?.user == user ? "dead caller" : "wrong user", by: requester)
        continue
      }
      do throws(SystemError) {
        try ready.add(connection.peer.socket, token: nextToken)
      } catch {
        continue
      }
      connections[nextToken] = connection
      nextToken += 1
    }
  }

  private func serve(_ event: ReadyQueue.Ready) {
    guard let connection = connections[event.token] else { return }
    // Told even while no more input is wanted: not to act on it would be to be told for ever.
    if event.hasHungUp { return end(event.token) }
    if event.isReadable && !connection.receive() { return end(event.token) }
    if event.isWritable && !connection.flush() { return end(event.token) }
    advance(event.token, connection)
  }

  /// Starts the next call of a connection, and watches for what it needs.
  private func advance(_ token: UInt64, _ connection: Connection) {
    let next: VarlinkCall?
    do throws(MessageError) {
      next = try connection.takeCall()
    } catch {
      return end(token)
    }
    if let call = next {
      let caller = connection.caller
      // Authority belongs to the process that connected; once it is gone, nobody has it, and what
      // was read under its number may be another's.
      guard connection.isPeerAlive else {
        noteRefusal("dead caller", by: "user \(caller.user)")
        return end(token)
      }
      let answer = Task { [dispatcher = Dispatcher(vault: vault), inbox] in
        let last = await dispatcher.answer(call, from: caller) { part in
          inbox.put(part, for: token, isLast: false)
        } whenSent: {
          await inbox.waitUntilSent(to: token)
        }
        inbox.put(call.oneway ? nil : last, for: token, isLast: true)
      }
      connection.answering(answer)
    }
    do throws(SystemError) {
      try ready.change(
        connection.peer.socket,
        token: token,
        readable: connection.wantsInput,
        writable: connection.wantsOutput
      )
    } catch {
      end(token)
    }
  }

  private func deliver(_ message: Inbox.Message, to token: UInt64) {
    guard let connection = connections[token] else {
      message.whenSent?(false)
      return
    }
    if let whenSent = message.whenSent { connection.notify(whenSent) }
    if let reply = message.reply, !connection.queue(reply) { return end(token) }
    if message.isLast { connection.finishCall() }
    guard connection.flush() else { return end(token) }
    advance(token, connection)
  }

  private func end(_ token: UInt64) {
    guard let connection = connections.removeValue(forKey: token) else { return }
    ready.remove(connection.peer.socket)
    connection.giveUp()
    Task { [vault] in await vault.disconnect(token) }
  }
}

/// What tasks have for the thread of the server.
final class Inbox: Sendable {
  struct Message: Sendable {
    var reply: VarlinkReply?
    var isLast = false
    /// Called with true when no reply waits to be sent any more, with false when none ever will be.
    var whenSent: (@Sendable (Bool) -> Void)?
  }

  private let messages = Mutex<[(UInt64, Message)]>([])
  private let window = Atomic(true)
  private let ready: ReadyQueue

  init(_ ready: ReadyQueue) {
    self.ready = ready
  }

  func put(_ reply: VarlinkReply?, for token: UInt64, isLast: Bool) {
    messages.withLock { $0.append((token, Message(reply: reply, isLast: isLast))) }
    ready.wakeUp()
  }

  /// Waits until a caller has been sent all that was put for it; false if it is gone.
  func waitUntilSent(to token: UInt64) async -> Bool {
    await withCheckedContinuation { continuation in
      let message = Message(whenSent: { continuation.resume(returning: $0) })
      messages.withLock { $0.append((token, message)) }
      ready.wakeUp()
    }
  }

  func takeAll() -> [(UInt64, Message)] {
    messages.withLock { messages in
      let taken = messages
      messages = []
      return taken
    }
  }

  /// Whether the vault said, when last asked, that it holds what a restart would lose.
  var isHoldingWindow: Bool { window.load(ordering: .acquiring) }

  /// What was said is old once somebody has connected.
  func forgetWindow() { window.store(true, ordering: .releasing) }

  func askForWindow(of vault: Vault) {
    Task { [self] in
      window.store(await vault.isHoldingWindow, ordering: .releasing)
      ready.wakeUp()
    }
  }
}
