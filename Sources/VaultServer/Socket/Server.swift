package import System
internal import TokenVault
internal import VaultInterface

/// Serves Varlink to the vault's callers, on one thread that never waits for any of them.
///
/// Each connection carries one authority: that of the process that connected. Calls of one
/// connection are answered in order. A call that arrives while a check runs interrupts that check.
///
/// People take turns, regardless of how many connections each one has. Slow work runs beside this
/// thread.
package final class Server {
  /// How long a message may stay incomplete, in seconds.
  static let messageDeadline: Int64 = 2
  /// How long a connection may stay without a call if there is little room left, in seconds.
  private static let silenceLimit: Int64 = 5
  /// After how many ticks without an event memory is released.
  private static let quietAfter = 3
  /// How often an idle server checks deadlines, in seconds.
  ///
  /// Each check maps code pages again.
  private static let quietInterval: Int64 = 15
  /// How often deadlines are checked, in milliseconds.
  private static let tick: Int32 = 1000
  /// How often vaults are tended, in seconds.
  private static let tendInterval: Int64 = 60
  /// How long the end may take beyond the running work, in seconds.
  private static let flushTime: Int64 = 3
  /// How long turns are served before the server looks for new events, in nanoseconds.
  private static let roundTime: Int64 = 1_000_000

  /// How long an engine that should give way runs without a connection, in seconds.
  private static let givingWay: Int64 = 2

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
  var userKinds = UserKinds()
  var turns = TurnQueue()
  /// Incremented each time that the server looks for new events.
  private(set) var round: UInt64 = 0
  var nextToken: UInt64 = 2
  /// Whether a caller waits at the listener.
  private var hasCallers = false
  /// When the listener is watched again; `nil` while it is watched.
  var acceptsFrom: BootInstant?
  /// A socket that was accepted with the last descriptor, so that its process could not be held
  /// yet.
  var unfinished: Descriptor?
  /// When the last search for silent connections was made.
  private var lookedForSilent = BootInstant.now
  /// How many ticks in a row had no event.
  private var quietTicks = 0
  /// The users of ended connections whose last call still runs.
  private var lateCalls: [UInt64: UInt32] = [:]
  /// Whether the server accepts no more calls.
  private(set) var isStopping = false

  /// Prepares the server.
  ///
  /// - Parameters:
  ///   - vaults: the vaults that answer the calls.
  ///   - listener: a bound, listening, non-blocking socket.
  ///   - signals: the signals that end the server.
  ///   - limits: the limits of connections.
  ///   - idleSeconds: the server returns after so long without a connection or an open window.
  ///   - stopSeconds: how long the server waits for running work after a signal; 0 for no wait.
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
    vaults.agents?.endConnections { token in inbox.putEnd(of: token) }
    try ready.add(listener, token: Self.listenerToken)
    try ready.add(signals.descriptor, token: Self.signalToken)
    self.listener = listener
    self.signals = signals
  }

  /// Serves until the idle time has passed, or a signal ends it.
  package func run() throws(SystemError) {
    try serveUntilDone()
    try finish()
  }

  private func serveUntilDone() throws(SystemError) {
    var idleSince = BootInstant.now
    var tended = BootInstant.now
    vaults.tend(refreshing: false)
    while true {
      let timeout = timeout(idleSince)
      if isQuiet { MemoryTrim.giveBack() }
      let events = try ready.wait(milliseconds: timeout)
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
        if BootInstant.now.seconds(since: idleSince) >= idleLimit {
          if vaults.mayEnd { return }
          vaults.prepareEnd { [ready] in ready.wakeUp() }
        }
      } else {
        idleSince = .now
        vaults.forgetEnd()
      }
    }
  }

  /// How long to wait for an event, in milliseconds.
  private func timeout(_ idleSince: BootInstant) -> Int32 {
    guard turns.isEmpty else { return 0 }
    return connections.timeout(at: .now, after: Self.messageDeadline, most: longestWait(idleSince))
  }

  /// How long the engine runs without a connection, in seconds.
  private var idleLimit: Int64 { vaults.shouldGiveWay ? Self.givingWay : idleSeconds }

  /// Whether no event came for a while.
  private var isQuiet: Bool { quietTicks >= Self.quietAfter }

  private func longestWait(_ idleSince: BootInstant) -> Int32 {
    guard isQuiet, acceptsFrom == nil, !connections.isNearlyFull else { return Self.tick }
    // The end of an idle engine must come on time. One that has to stay is not looked at each
    // second.
    let left = idleLimit - BootInstant.now.seconds(since: idleSince)
    let isLate = left <= 0 || vaults.isHeldByCode
    return Int32(isLate ? Self.quietInterval : min(Self.quietInterval, left)) * 1000
  }

  /// Writes counted refusals, trims the audit logs, refreshes tokens that are in use and about to
  /// expire, and closes unused vaults.
  private func tend() {
    vaults.tend(refreshing: true)
    vaults.closeResting(connected: connections.connectedUsers)
    for line in vaults.takeStrangers() { Journal.note("refused \(line)") }
  }

  // MARK: - Turns

  /// Queues a ready connection.
  ///
  /// Callers at the listener come before all turns.
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

  /// Serves the queued connections in turn, until it is time to look for new events.
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

  /// Ends the connections of vaults that must be read from the disk again.
  ///
  /// Returns true if there is no other vault here.
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

  /// Ends connections that exceed a limit: a message incomplete for too long, too many bytes held,
  /// or silence while there is little room left.
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
    if connection.answer != nil { lateCalls[token] = connection.user }
    connection.giveUp()
    if connection.isKnownToVault { vaults.disconnect(token, of: connection.user) }
  }

  /// Makes the vault give up what the last call of an ended connection has left there.
  ///
  /// The vault may have learned of the end before the call began there, or before the call opened a
  /// prompt. It may also have been opened only for this call.
  func endLateCall(of token: UInt64) {
    if let user = lateCalls.removeValue(forKey: token) { vaults.disconnect(token, of: user) }
  }

  // MARK: - The end of the server

  /// Waits, within a time limit, until checks have ended and counted events are written.
  ///
  /// After a signal it also waits for running work, if this engine is set to do that.
  ///
  /// During that time no connection is accepted and no call is taken.
  private func finish() throws(SystemError) {
    isStopping = true
    let waits = stopSeconds > 0
    ready.remove(listener)
    ready.remove(signals.descriptor)
    // Only a person or a change would end some of these calls. They do not get an event that their
    // check was cancelled, because that would mean that a person cancelled it.
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
        // Leave time for callers to read their answers.
        deadline = min(deadline, BootInstant.now.advanced(bySeconds: 1))
      }
      if isWritten, !waits || connections.isEmpty { break }
      for event in try ready.wait(milliseconds: 100) where waits { note(event) }
      takeTurns()
    }
    for line in vaults.takeStrangers() { Journal.note("refused \(line)") }
  }
}
