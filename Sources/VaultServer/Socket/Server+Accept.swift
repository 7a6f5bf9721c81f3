internal import System
internal import TokenVault
internal import VaultInterface

// Who is let in, and whom each counts for.
extension Server {
  /// How many callers are taken before those who are served have their turn.
  private static let acceptedAtOnce = 32
  /// How long nobody is accepted after descriptors have run out, in seconds.
  private static let shortagePause: Int64 = 1

  func acceptAll() throws(SystemError) {
    do throws(SystemError) {
      try acceptWaiting()
    } catch {
      guard error.isShortage else { throw error }
      // Those who are served keep what they have. The others still wait, which the listener would
      // tell without a pause.
      acceptsFrom = BootInstant.now.advanced(bySeconds: Self.shortagePause)
      try ready.change(listener, token: Self.listenerToken, readable: false, writable: false)
    }
  }

  /// Watches the listener again, once the pause is over.
  func watchListener() throws(SystemError) {
    guard let acceptsFrom, BootInstant.now >= acceptsFrom else { return }
    self.acceptsFrom = nil
    try ready.change(listener, token: Self.listenerToken, readable: true, writable: false)
  }

  /// Takes the callers who wait, but not so many that those who are served would wait long.
  private func acceptWaiting() throws(SystemError) {
    for _ in 0..<Self.acceptedAtOnce {
      guard let socket = try nextSocket() else { return }
      guard let credentials = try? socket.peerCredentials(), vaults.serves(credentials.user) else {
        let user = (try? socket.peerCredentials())?.user
        let requester = user.map { "user \($0)" } ?? "an unknown user"
        vaults.noteRefusal("wrong user", of: user, by: requester)
        continue
      }
      let standing = standing(of: credentials)
      let party: Party = standing == .person ? .person(credentials.user) : .strangers
      switch connections.room(for: party) {
      case .free: break
      // Connections that are only held must not keep others out.
      case .insteadOf(let idlest): end(idlest.number)
      case .none:
        note("too many connections", of: credentials.user, standing)
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
        note("dead caller", of: credentials.user, standing)
        continue
      }
      let peer = Peer(socket, credentials, process)
      do throws(SystemError) {
        try ready.add(peer.socket, token: nextToken)
      } catch {
        continue
      }
      let share = connections.share(of: party)
      connections.add(Connection(peer, number: nextToken, share: share, standing: standing))
      nextToken += 1
    }
    // There may be more, which the listener tells again.
  }

  private func nextSocket() throws(SystemError) -> Descriptor? {
    if let socket = unfinished.take() { return socket }
    return try UnixSocket.accept(on: listener)
  }

  /// Counts a caller who was turned away; of strangers there is no end, and one line for all.
  private func note(_ what: String, of user: UInt32, _ standing: Standing) {
    let isPerson = standing == .person
    vaults.noteRefusal(what, of: isPerson ? user : nil, by: isPerson ? "user \(user)" : "strangers")
  }

  /// What a user is who has just connected.
  ///
  /// Where that is not known the name is looked up beside this thread: a machine's databases may take
  /// their time. Until then the user is a stranger.
  private func standing(of caller: PeerCredentials) -> Standing {
    let user = caller.user
    guard vaults.form == .service else { return .person }
    let isKnown = connections.hasPerson(user) || vaults.openVault(of: user) != nil
    let known = standings.standing(of: user, isKnown: isKnown, at: .now)
    if let known, known != .person { return known }
    // Of those that containers have, a person is who sees all uids: a directory service may have given
    // people such numbers, too.
    if standings.ranges.isForContainers(user), !ProcessFacts.seesAllUsers(caller.process) {
      return Standings.contained(user)
    }
    guard known == nil else { return .person }
    beside { [vaults, inbox] in
      inbox.put(name: await vaults.look(for: user), of: user)
    }
    return .pending
  }

  /// Takes what was looked up, and begins the next look.
  func learn(_ name: Result<String?, SystemError>, of user: UInt32) {
    settle(user, as: standings.learn(name, of: user, at: .now))
    while let next = nextUnknown {
      let standing = standing(of: next.peer.credentials)
      guard standing != .pending else { return }
      settle(next.user, as: standing)
    }
  }

  /// A connection whose user is to be looked up when another look is done.
  private var nextUnknown: Connection? {
    connections.strangers.first { $0.standing == .pending && !standings.isLookedUp($0.user) }
  }

  /// Has a user's connections count for what the user is.
  ///
  /// A person has a share of their own from now on, and a call that waited for that is answered.
  private func settle(_ user: UInt32, as standing: Standing) {
    for connection in connections.strangers where connection.user == user {
      guard connection.standing == .pending else { continue }
      connection.standing = standing
      if standing == .person { connections.move(connection, to: .person(user)) }
      if let question = connection.held {
        connection.held = nil
        start(question, of: connection)
      }
    }
  }
}
