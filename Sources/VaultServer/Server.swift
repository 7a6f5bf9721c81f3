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
  /// How long a message may stay half sent, in seconds.
  static let messageDeadline: Int64 = 2
  /// How often nothing has to come until memory is given back.
  private static let quietAfter = 3
  /// How often a server that nobody asks looks at deadlines, in seconds: each look maps code anew.
  private static let quietInterval: Int64 = 15
  /// How many callers are taken before those who are served have their turn.
  private static let acceptedAtOnce = 32
  /// How often deadlines are looked at, in milliseconds.
  private static let tick: Int32 = 1000
  /// How often vaults are tended, in seconds.
  private static let tendInterval: Int64 = 60
  /// How long the end may take beyond what is waited for, in seconds.
  private static let flushTime: Int64 = 3
  /// How long nobody is accepted after descriptors have run out, in seconds.
  private static let shortagePause: Int64 = 1

  private let vaults: Vaults
  private let listener: Descriptor
  private let signals: TerminationSignals
  private let idleSeconds: Int64
  private let stopSeconds: Int64
  private let ready: ReadyQueue
  private let inbox: Inbox
  private var connections: ConnectionTable
  private var nextToken: UInt64 = 2
  /// When the listener is watched again; nil while it is.
  private var acceptsFrom: BootInstant?
  /// One that was accepted with the last descriptor, so that its process could not be held yet.
  private var unfinished: Descriptor?
  /// How often in a row nothing came.
  private var quietTicks = 0
  /// No call is taken any more.
  private var isStopping = false

  /// Prepares to serve.
  ///
  /// - Parameters:
  ///   - vaults: answer.
  ///   - listener: bound and listening, non-blocking.
  ///   - signals: tell it to end.
  ///   - limits: how many connections there may be.
  ///   - idleSeconds: after so long without a connection or an open window it returns.
  ///   - stopSeconds: how long a signal to end waits for what is under way; 0: not at all.
  /// - Throws: the error of epoll_create1(2) or epoll_ctl(2).
  init(
    vaults: Vaults,
    listener: consuming Descriptor,
    signals: consuming TerminationSignals,
    limits: ConnectionLimits,
    idleSeconds: Int64,
    stopSeconds: Int64 = 0
  ) throws(SystemError) {
    connections = ConnectionTable(limits)
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
      let patience = connections.patience(
        at: .now,
        after: Self.messageDeadline,
        most: longestWait(idleSince)
      )
      if isQuiet { QuietMemory.giveBack() }
      let events = try ready.wait(milliseconds: patience)
      for event in events {
        switch event.token {
        case listenerToken: try acceptAll()
        case signalToken: return
        default: serve(event)
        }
      }
      let messages = inbox.takeAll()
      for (token, message) in messages { deliver(message, to: token) }
      quietTicks = events.isEmpty && messages.isEmpty ? quietTicks + 1 : 0
      if endLost() { return }
      endOverdue()
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

  /// Nobody has asked for anything for a while.
  private var isQuiet: Bool { quietTicks >= Self.quietAfter }

  /// How long to wait for something to come, in milliseconds.
  private func longestWait(_ idleSince: BootInstant) -> Int32 {
    guard isQuiet, acceptsFrom == nil else { return Self.tick }
    // The end of an idle engine is on time.
    let left = idleSeconds - BootInstant.now.seconds(since: idleSince)
    return Int32(max(1, min(Self.quietInterval, left))) * 1000
  }

  /// Has counted refusals written down, trails kept short, tokens refreshed that are in use and
  /// about to expire, and vaults closed that nobody uses.
  private func tend() {
    vaults.tend(refreshing: true)
    vaults.closeResting(connected: connections.connectedUsers)
    for line in vaults.takeStrangers() { Journal.note("refused \(line)") }
  }

  /// Ends the connections of those whose vault has to be read anew from the disk; true: there is no
  /// other vault here.
  private func endLost() -> Bool {
    let lost = vaults.takeLost()
    guard !lost.isEmpty else { return false }
    if vaults.form == .private { return true }
    for connection in connections.all where lost.contains(where: connection.recognition.isFor) {
      connection.interrupt()
      end(connection.number)
    }
    return false
  }

  /// Ends those that have half sent a message for too long.
  private func endOverdue() {
    let now = BootInstant.now
    while let late = connections.nextOverdue(at: now, after: Self.messageDeadline) {
      end(late.number)
    }
  }

  /// Waits until checks have ended and what was only counted is written down, but not for ever; after
  /// a signal also for what is under way, where this engine is asked to.
  ///
  /// Nobody is accepted meanwhile, and no call is taken.
  private func finish() throws(SystemError) {
    isStopping = true
    let waits = stopSeconds > 0
    ready.remove(listener)
    ready.remove(signals.descriptor)
    // Nothing but a person, or a change, would end the calls of some; they are not told that their
    // check was cancelled, which somebody else would have done.
    for connection in connections.all where waits && !connection.isAtWork {
      connection.interrupt()
      end(connection.number)
    }
    beside { [vaults, inbox, stopSeconds] in
      await vaults.retireAll(within: stopSeconds)
      inbox.put(nil, for: signalToken, isLast: true)
    }
    var deadline = BootInstant.now.advanced(bySeconds: stopSeconds + Self.flushTime)
    var isWritten = false
    while BootInstant.now < deadline {
      for (token, message) in inbox.takeAll() {
        guard token == signalToken else {
          if waits { deliver(message, to: token) }
          continue
        }
        isWritten = true
        // What was answered is to be read, by those who do.
        deadline = min(deadline, BootInstant.now.advanced(bySeconds: 1))
      }
      if isWritten, !waits || connections.isEmpty { break }
      for event in try ready.wait(milliseconds: 100) where waits { serve(event) }
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

  private func nextSocket() throws(SystemError) -> Descriptor? {
    if let socket = unfinished.take() { return socket }
    return try UnixSocket.accept(on: listener)
  }

  /// Takes the callers who wait, but not so many that those who are served would wait long.
  private func acceptWaiting() throws(SystemError) {
    for _ in 0..<Self.acceptedAtOnce {
      guard let socket = try nextSocket() else { return }
      let credentials = try? socket.peerCredentials()
      let requester = credentials.map { "user \($0.user)" } ?? "an unknown user"
      guard let credentials, vaults.serves(credentials.user) else {
        vaults.noteRefusal("wrong user", of: credentials?.user, by: requester)
        continue
      }
      let user = credentials.user
      switch connections.room(for: user) {
      case .free: break
      // Connections that are only held must not keep others out.
      case .insteadOf(let idlest): end(idlest.number)
      case .none:
        vaults.noteRefusal("too many connections", of: user, by: requester)
        continue
      }
      let process: ProcessHandle
      do throws(SystemError) {
        process = try ProcessHandle(peerOf: socket, credentials)
      } catch {
        guard !error.isShortage else {
          unfinished = consume socket
          throw error
        }
        vaults.noteRefusal("dead caller", of: user, by: requester)
        continue
      }
      let peer = Peer(socket, credentials, process)
      do throws(SystemError) {
        try ready.add(peer.socket, token: nextToken)
      } catch {
        continue
      }
      connections.add(Connection(peer, number: nextToken))
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

  /// Answers what can be answered at once, starts the next call of a connection, and watches for
  /// what it needs.
  private func advance(_ token: UInt64, _ connection: Connection) {
    do {
      while !isStopping, let call = try connection.takeCall() {
        // Authority belongs to the process that connected; once it is gone, nobody has it, and what
        // is read under its number may be another's: so this is asked after the number was read.
        let atHand = messageAtHand(for: call, of: connection)
        let caller = atHand == nil ? connection.caller : nil
        guard connection.isPeerAlive else {
          let user = connection.user
          vaults.noteRefusal("dead caller", of: user, by: "user \(user)")
          return end(token)
        }
        if let atHand {
          guard connection.answerAtOnce(atHand) else { return end(token) }
        } else if let caller {
          start(try call.inFull, of: connection, caller)
        }
      }
      connections.note(connection)
      guard let interest = connection.takeInterest() else { return }
      try ready.change(
        connection.peer.socket,
        token: token,
        readable: interest.readable,
        writable: interest.writable
      )
    } catch {
      end(token)
    }
  }

  /// The reply to a call for a token that the vault has at hand: no turn of its own is needed.
  private func messageAtHand(for call: Connection.Call, of connection: Connection) -> [UInt8]? {
    guard case .usualToken(let usual) = call,
      let vault = vaults.vaultAtHand(of: connection.user, by: connection.recognition)
    else { return nil }
    return vault.tokenAtHand(
      account: usual.account,
      minimumLifetime: usual.minimumLifetime.map(Int64.init)
    )?.message { grant in try? VarlinkReply(AccessTokenReply(grant)).plainEncoded(on: .vault) }
  }

  private func start(_ call: VarlinkCall, of connection: Connection, _ caller: Caller) {
    let token = connection.number
    connection.hand(call)
    let question = Question(call)
    let answer = beside { [vaults, inbox, recognition = connection.recognition] in
      let last = await vaults.answer(question, from: caller, recognition) { part in
        inbox.put(part, for: token, isLast: false)
      } whenSent: {
        await inbox.waitUntilSent(to: token)
      }
      inbox.putLast(question.oneway ? nil : last.reply, for: token, isEnd: last.isEnd)
    }
    connection.answering(answer)
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
    // Whoever has no vault here has no use for a connection; one who reads has got the answer.
    if message.isEnd { return end(token) }
    if isStopping, !connection.isAnswering, !connection.wantsOutput { return end(token) }
    advance(token, connection)
  }

  private func end(_ token: UInt64) {
    guard let connection = connections.remove(token) else { return }
    ready.remove(connection.peer.socket)
    connection.giveUp()
    if connection.isKnownToVault { vaults.disconnect(token, of: connection.user) }
  }
}

extension Connection.Call {
  /// The call with all its members.
  fileprivate var inFull: VarlinkCall {
    get throws(MessageError) {
      switch self {
      case .usualToken(let usual): try usual.call
      case .other(let call): call
      }
    }
  }
}
