internal import Synchronization
public import System
internal import TokenVault
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
  /// How often vaults are tended, in seconds.
  private static let tendInterval: Int64 = 60
  /// How long the end may take beyond what is waited for, in seconds.
  private static let flushTime: Int64 = 5
  /// How long nobody is accepted after descriptors have run out, in seconds.
  private static let shortagePause: Int64 = 1

  private let vaults: Vaults
  private let listener: Descriptor
  private let signals: TerminationSignals
  private let idleSeconds: Int64
  private let stopSeconds: Int64
  private let ready: ReadyQueue
  private let inbox: Inbox
  private var connections: [UInt64: Connection] = [:]
  private var nextToken: UInt64 = 2
  /// When the listener is watched again; nil while it is.
  private var acceptsFrom: BootInstant?
  /// No call is taken any more.
  private var isStopping = false

  /// Prepares to serve.
  ///
  /// - Parameters:
  ///   - vaults: answer.
  ///   - listener: bound and listening, non-blocking.
  ///   - signals: tell it to end.
  ///   - idleSeconds: after so long without a connection or an open window it returns.
  ///   - stopSeconds: how long a signal to end waits for what is under way; 0: not at all.
  /// - Throws: the error of epoll_create1(2) or epoll_ctl(2).
  public init(
    vaults: Vaults,
    listener: consuming Descriptor,
    signals: consuming TerminationSignals,
    idleSeconds: Int64,
    stopSeconds: Int64 = 0
  ) throws(SystemError) {
    self.vaults = vaults
    self.idleSeconds = idleSeconds
    self.stopSeconds = stopSeconds
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
    try finish()
  }

  private func serveUntilDone() throws(SystemError) {
    var idleSince = BootInstant.now
    var tended = BootInstant.now
    vaults.tend(refreshing: false)
    while true {
      for event in try ready.wait(milliseconds: Self.tick) {
        switch event.token {
        case listenerToken: try acceptAll()
        case signalToken: return
        default: serve(event)
        }
      }
      for (token, message) in inbox.takeAll() { deliver(message, to: token) }
      if endLost() { return }
      for (token, connection) in connections where connection.isOverdue { end(token) }
      if let acceptsFrom, BootInstant.now >= acceptsFrom {
        self.acceptsFrom = nil
        try ready.change(listener, token: listenerToken, readable: true, writable: false)
      }
      if BootInstant.now.seconds(since: tended) >= Self.tendInterval {
        tended = .now
        tend()
      }
      if connections.isEmpty {
        if BootInstant.now.seconds(since: idleSince) >= idleSeconds {
          if vaults.mayEnd { return }
          vaults.prepareEnd { [ready] in ready.wakeUp() }
        }
      } else {
        idleSince = .now
        vaults.forgetEnd()
      }
    }
  }

  /// Has counted refusals written down, trails kept short, tokens refreshed that are in use and
  /// about to expire, and vaults closed that nobody uses.
  private func tend() {
    vaults.tend(refreshing: true)
    vaults.closeResting(connected: Set(connections.values.map(\.user)))
    for line in vaults.takeStrangers() { Journal.note("refused \(line)") }
  }

  /// Ends the connections of those whose vault has to be read anew from the disk; true: there is no
  /// other vault here.
  private func endLost() -> Bool {
    let lost = vaults.takeLost()
    guard !lost.isEmpty else { return false }
    if vaults.form == .private { return true }
    for (token, connection) in connections where lost.contains(connection.user) { end(token) }
    return false
  }

  /// Waits until checks have ended and what was only counted is written down, but not for ever; after
  /// a signal also for what is under way, where this engine is asked to.
  ///
  /// Nobody is accepted meanwhile, and no call is taken.
  private func finish() throws(SystemError) {
    isStopping = true
    ready.remove(listener)
    ready.remove(signals.descriptor)
    for (token, connection) in connections {
      // Nothing but a person, or a change, would end these.
      if connection.isAnswering { connection.interrupt() } else { end(token) }
    }
    Task { [vaults, inbox, stopSeconds] in
      await vaults.retireAll(within: stopSeconds)
      inbox.put(nil, for: signalToken, isLast: true)
    }
    var deadline = BootInstant.now.advanced(bySeconds: stopSeconds + Self.flushTime)
    var isWritten = false
    while BootInstant.now < deadline {
      for (token, message) in inbox.takeAll() {
        guard token == signalToken else {
          deliver(message, to: token)
          continue
        }
        isWritten = true
        // What was answered is to be read, by those who do.
        deadline = min(deadline, BootInstant.now.advanced(bySeconds: 1))
      }
      if isWritten, stopSeconds == 0 || connections.isEmpty { break }
      for event in try ready.wait(milliseconds: 100) { serve(event) }
    }
    for line in vaults.takeStrangers() { Journal.note("refused \(line)") }
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
        vaults.noteRefusal("too many connections", of: peer?.user, by: requester)
        continue
      }
      guard let user = peer?.user, vaults.serves(user) else {
        vaults.noteRefusal("wrong user", of: peer?.user, by: requester)
        continue
      }
      guard let connection = try? Connection(socket, number: nextToken) else {
        vaults.noteRefusal("dead caller", of: user, by: requester)
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
      next = isStopping ? nil : try connection.takeCall()
    } catch {
      return end(token)
    }
    if let call = next {
      let caller = connection.caller
      // Authority belongs to the process that connected; once it is gone, nobody has it, and what
      // was read under its number may be another's.
      guard connection.isPeerAlive else {
        vaults.noteRefusal("dead caller", of: caller.user, by: "user \(caller.user)")
        return end(token)
      }
      let answer = Task { [vaults, inbox] in
        let last = await vaults.answer(call, from: caller) { part in
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
    if isStopping, !connection.isAnswering, !connection.wantsOutput { return end(token) }
    advance(token, connection)
  }

  private func end(_ token: UInt64) {
    guard let connection = connections.removeValue(forKey: token) else { return }
    ready.remove(connection.peer.socket)
    connection.giveUp()
    vaults.disconnect(token, of: connection.user)
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
}

extension Vaults {
  /// Answers one call by the vault of its caller's user; see `Dispatcher`.
  fileprivate func answer(
    _ call: VarlinkCall,
    from caller: Caller,
    reply: @escaping @Sendable (VarlinkReply) -> Void,
    whenSent: @escaping @Sendable () async -> Bool
  ) async -> VarlinkReply {
    if let answer = Dispatcher.service(call) { return answer }
    do throws(VaultFailure) {
      return try await use(of: caller.user) { vault in
        await Dispatcher(vault: vault, form: form)
          .answer(call, from: caller, reply: reply, whenSent: whenSent)
      }
    } catch {
      return Dispatcher.failure(error)
    }
  }
}
