public import System
internal import TokenVault
internal import VaultInterface

/// Speaks Varlink to the vault's callers, on one thread that never waits for any of them.
///
/// Each connection carries one authority: that of the process that connected. Calls of one
/// connection are answered in order; a call that comes while a check runs interrupts that check.
///
/// Each person has one turn after the other, however many connections they have; what takes long is
/// done beside this thread.
public final class Server {
  /// How long a message may stay half sent, in seconds.
  static let messageDeadline: Int64 = 2
  /// How long a connection may stay without a call where there is little room left, in seconds.
  private static let silenceLimit: Int64 = 5
  /// How often nothing has to come until memory is given back.
  private static let quietAfter = 3
  /// How often a server that nobody asks looks at deadlines, in seconds: each look maps code anew.
  private static let quietInterval: Int64 = 15
  /// How often deadlines are looked at, in milliseconds.
  private static let tick: Int32 = 1000
  /// How often vaults are tended, in seconds.
  private static let tendInterval: Int64 = 60
  /// How long the end may take beyond what is waited for, in seconds.
  private static let flushTime: Int64 = 3
  /// How long turns are taken before what is new is looked at, in nanoseconds.
  private static let roundTime: Int64 = 1_000_000

  static let listenerToken: UInt64 = 0
  private static let signalToken: UInt64 = 1

  let vaults: Vaults
  let listener: Descriptor
  private let signals: TerminationSignals
  private let idleSeconds: Int64
  private let stopSeconds: Int64
  let ready: ReadyQueue
  let inbox: Inbox
  let decoder: Decoder
  var connections: ConnectionTable
  var standings = Standings()
  var turns = TurnQueue()
  /// Rises each time that the server looks for what is new.
  private(set) var round: UInt64 = 0
  var nextToken: UInt64 = 2
  /// Whether somebody waits at the listener.
  private var hasCallers = false
  /// When the listener is watched again; nil while it is.
  var acceptsFrom: BootInstant?
  /// One that was accepted with the last descriptor, so that its process could not be held yet.
  var unfinished: Descriptor?
  /// When those who only hold a connection were last looked for.
  private var lookedForSilent = BootInstant.now
  /// How often in a row nothing came.
  private var quietTicks = 0
  /// No call is taken any more.
  private(set) var isStopping = false

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
    let inbox = Inbox(ready)
    self.inbox = inbox
    decoder = Decoder { token, decoded in inbox.put(decoded, for: token) }
    try ready.add(listener, token: Self.listenerToken)
    try ready.add(signals.descriptor, token: Self.signalToken)
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
      let patience = patience(idleSince)
      if isQuiet { QuietMemory.giveBack() }
      let events = try ready.wait(milliseconds: patience)
      round += 1
      for event in events {
        if event.token == Self.signalToken { return }
        note(event)
      }
      let items = inbox.takeAll()
      for item in items { take(item) }
      if hasCallers {
        hasCallers = false
        try acceptAll()
      }
      takeTurns()
      quietTicks = events.isEmpty && items.isEmpty && turns.isEmpty ? quietTicks + 1 : 0
      if endLost() { return }
      endUnwanted()
      try watchListener()
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

  /// How long to wait for something to come, in milliseconds.
  private func patience(_ idleSince: BootInstant) -> Int32 {
    guard turns.isEmpty else { return 0 }
    return connections.patience(
      at: .now,
      after: Self.messageDeadline,
      most: longestWait(idleSince)
    )
  }

  /// Nobody has asked for anything for a while.
  private var isQuiet: Bool { quietTicks >= Self.quietAfter }

  private func longestWait(_ idleSince: BootInstant) -> Int32 {
    guard isQuiet, acceptsFrom == nil, !connections.isNearlyFull else { return Self.tick }
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

  // MARK: - Turns

  /// Has what is ready come to its turn; who waits at the listener comes before all turns.
  private func note(_ event: ReadyQueue.Ready) {
    guard event.token != Self.listenerToken else {
      hasCallers = true
      return
    }
    guard let connection = connections[event.token] else { return }
    // epoll(7) reports it even while no more input is wanted: ignoring it would spin.
    if event.hasHungUp { return end(event.token) }
    if event.isReadable { connection.events.isReadable = true }
    if event.isWritable { connection.events.isWritable = true }
    turns.add(connection)
  }

  /// Serves those who have something to do, in turn, until it is time to look for what is new.
  private func takeTurns() {
    guard !turns.isEmpty else { return }
    let end = BootInstant.now.nanoseconds + Self.roundTime
    while let connection = turns.take() {
      if !connection.hasEnded { serve(connection) }
      if BootInstant.now.nanoseconds >= end { return }
    }
  }

  private func serve(_ connection: Connection) {
    let events = connection.events
    connection.events = Connection.Events()
    if events.isReadable && !connection.receive() { return end(connection.number) }
    if events.isWritable && !connection.flush() { return end(connection.number) }
    advance(connection)
  }

  // MARK: - The end of connections

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

  /// Ends those that have half sent a message for too long, that hold more than there is for all, or
  /// that only hold a connection where there is little room left.
  private func endUnwanted() {
    let now = BootInstant.now
    while let late = connections.nextOverdue(at: now, after: Self.messageDeadline) {
      end(late.number)
    }
    while let heaviest = connections.heaviest { end(heaviest.number) }
    guard now.seconds(since: lookedForSilent) >= 1 else { return }
    lookedForSilent = now
    for silent in connections.silent(at: now, after: Self.silenceLimit) { end(silent.number) }
  }

  func end(_ token: UInt64) {
    guard let connection = connections.remove(token) else { return }
    ready.remove(connection.peer.socket)
    decoder.drop(token, of: connection.share.party)
    connection.giveUp()
    if connection.isKnownToVault { vaults.disconnect(token, of: connection.user) }
  }

  // MARK: - The end of the server

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
      inbox.putLast(nil, for: Self.signalToken)
    }
    var deadline = BootInstant.now.advanced(bySeconds: stopSeconds + Self.flushTime)
    var isWritten = false
    while BootInstant.now < deadline {
      for item in inbox.takeAll() {
        guard case .message(_, Self.signalToken) = item else {
          if waits { take(item) }
          continue
        }
        isWritten = true
        // What was answered is to be read, by those who do.
        deadline = min(deadline, BootInstant.now.advanced(bySeconds: 1))
      }
      if isWritten, !waits || connections.isEmpty { break }
      for event in try ready.wait(milliseconds: 100) where waits { note(event) }
      takeTurns()
    }
    for line in vaults.takeStrangers() { Journal.note("refused \(line)") }
  }
}
