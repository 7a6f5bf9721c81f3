internal import System
internal import TokenVault
internal import VaultInterface

// Accepts connections, and decides the party that each one counts for.
extension Server {
  /// How many callers are accepted before the connected ones have their turn.
  private static let acceptedAtOnce = 32
  /// How long no caller is accepted after descriptors have run out, in seconds.
  private static let shortagePause: Int64 = 1

  func acceptAll() throws(SystemError) {
    do throws(SystemError) {
      try acceptWaiting()
    } catch {
      guard error.isShortage else { throw error }
      // The connected callers keep their connections. The others still wait, and the listener would
      // report them without a pause.
      acceptsFrom = BootInstant.now.advanced(bySeconds: Self.shortagePause)
      try ready.change(listener, token: Self.listenerToken, readable: false, writable: false)
    }
  }

  /// Watches the listener again when the pause is over.
  func watchListener() throws(SystemError) {
    guard let acceptsFrom, BootInstant.now >= acceptsFrom else { return }
    self.acceptsFrom = nil
    try ready.change(listener, token: Self.listenerToken, readable: true, writable: false)
  }

  /// Accepts the waiting callers, but not so many that connected callers would wait long.
  private func acceptWaiting() throws(SystemError) {
    for _ in 0..<Self.acceptedAtOnce {
      guard let socket = try nextSocket() else { return }
      guard let credentials = try? socket.peerCredentials(), vaults.serves(credentials.user) else {
        let user = (try? socket.peerCredentials())?.user
        let requester = user.map { "user \($0)" } ?? "an unknown user"
        vaults.noteRefusal("wrong user", of: user, by: requester)
        continue
      }
      let kind = kind(of: credentials)
      let party: Party = kind == .person ? .person(credentials.user) : .strangers
      switch connections.room(for: party) {
      case .free: break
      // Idle connections must not lock out other callers.
      case .insteadOf(let idlest): end(idlest.number)
      case .none:
        note("too many connections", of: credentials.user, kind)
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
        note("dead caller", of: credentials.user, kind)
        continue
      }
      let peer = Peer(socket, credentials, process)
      do throws(SystemError) {
        try ready.add(peer.socket, token: nextToken)
      } catch {
        continue
      }
      let share = connections.share(of: party)
      connections.add(Connection(peer, number: nextToken, share: share, kind: kind))
      nextToken += 1
    }
    // More callers may wait. The listener reports them again.
  }

  private func nextSocket() throws(SystemError) -> Descriptor? {
    if let socket = unfinished.take() { return socket }
    return try UnixSocket.accept(on: listener)
  }

  /// Counts a refused caller.
  ///
  /// The number of strangers has no limit, so they share one line.
  private func note(_ what: String, of user: UInt32, _ kind: UserKind) {
    let isPerson = kind == .person
    vaults.noteRefusal(what, of: isPerson ? user : nil, by: isPerson ? "user \(user)" : "strangers")
  }

  /// The kind of a user who has just connected.
  ///
  /// If it is not known, the name is looked up beside this thread, because the machine's databases
  /// may be slow. Until then the user is a stranger.
  private func kind(of caller: PeerCredentials) -> UserKind {
    let user = caller.user
    guard vaults.form == .service else { return .person }
    let isKnown = connections.hasPerson(user) || vaults.openVault(of: user) != nil
    let known = userKinds.kind(of: user, isKnown: isKnown, at: .now) {
      ProcessFacts.seesAllUsers(caller.process)
    }
    if let known { return known }
    beside { [vaults, inbox] in
      inbox.put(name: await vaults.look(for: user), of: user)
    }
    return .pending
  }

  /// Stores the result of a lookup, and begins the next one.
  func learn(_ name: Result<String?, SystemError>, of user: UInt32) {
    settle(user, as: userKinds.learn(name, of: user, at: .now))
    while let next = nextUnknown {
      let kind = kind(of: next.peer.credentials)
      guard kind != .pending else { return }
      settle(next.user, as: kind)
    }
  }

  /// A connection whose user must be looked up when a running lookup ends.
  private var nextUnknown: Connection? {
    connections.strangers.first { $0.kind == .pending && !userKinds.isLookedUp($0.user) }
  }

  /// Makes a user's connections count for the kind of the user.
  ///
  /// A person has a share of their own from now on. A call that waited for the result is answered.
  private func settle(_ user: UInt32, as kind: UserKind) {
    for connection in connections.strangers where connection.user == user {
      guard connection.kind == .pending else { continue }
      connection.kind = kind
      if kind == .person { connections.move(connection, to: .person(user)) }
      if let parsed = connection.held {
        connection.held = nil
        start(parsed, of: connection)
      }
    }
  }
}
