internal import System
internal import TokenVault
internal import VaultInterface

// How calls are answered.
extension Server {
  /// How many messages of one connection are taken before others have their turn.
  private static let messagesPerTurn = 64
  /// How many bytes of messages of one party this thread decodes in a round.
  ///
  /// The decoder does the rest. By `Tests/MessageCost` these take less than a millisecond, whatever
  /// they are.
  private static let decodedInRound = 8 * 1024

  /// Takes what another thread has for this one.
  func take(_ item: Inbox.Item) {
    switch item {
    case .message(let message, let token): deliver(message, to: token)
    case .name(let name, let user): learn(name, of: user)
    }
  }

  /// Answers what can be answered at once, starts the next call of a connection, and watches for
  /// what it needs.
  func advance(_ connection: Connection) {
    let share = connection.share
    if share.round != round {
      share.round = round
      share.decodable = Self.decodedInRound
    }
    do {
      var left = Self.messagesPerTurn
      while !isStopping, left > 0, let message = try connection.takeMessage() {
        left -= 1
        switch message {
        case .usualToken(let usual): try answer(usual, of: connection)
        case .call(let question): start(question, of: connection)
        case .undecoded(let message):
          decoder.add(message, of: connection.number, connection.share.party)
        }
        if connection.hasEnded { return }
      }
      // No event tells of what was received long ago.
      if connection.hasTurn, !isStopping { turns.add(connection) }
      connections.note(connection)
      connections.recount(connection)
      guard let interest = connection.takeInterest() else { return }
      try ready.change(
        connection.peer.socket,
        token: connection.number,
        readable: interest.readable,
        writable: interest.writable
      )
    } catch {
      end(connection.number)
    }
  }

  /// Answers a call for a token: at once, where the vault has it at hand.
  private func answer(_ usual: UsualTokenCall, of connection: Connection) throws(MessageError) {
    guard let message = messageAtHand(for: usual, of: connection) else {
      return start(Question(try usual.call), of: connection)
    }
    // Authority belongs to the process that connected; once it is gone, nobody has it.
    guard connection.isPeerAlive else {
      vaults.noteRefusal("dead caller", of: connection.user, by: "user \(connection.user)")
      return end(connection.number)
    }
    if !connection.answerAtOnce(message) { end(connection.number) }
  }

  /// The reply to a call for a token that the vault has at hand: no task of its own is needed.
  private func messageAtHand(for usual: UsualTokenCall, of connection: Connection) -> [UInt8]? {
    guard connection.standing == .person,
      let vault = vaults.vaultAtHand(of: connection.user, by: connection.recognition)
    else { return nil }
    return vault.tokenAtHand(
      account: usual.account,
      minimumLifetime: usual.minimumLifetime.map(Int64.init)
    )?.message { grant in try? VarlinkReply(AccessTokenReply(grant)).plainEncoded(on: .vault) }
  }

  /// Has a call answered beside this thread.
  func start(_ question: Question, of connection: Connection) {
    let token = connection.number
    if let service = question.service {
      beside { [inbox] in inbox.putLast(question.oneway ? nil : service, for: token) }
      return
    }
    switch connection.standing {
    case .person: break
    case .pending:
      connection.held = question
      return
    case .stranger(let why):
      vaults.noteRefusal(why, of: nil, by: "user \(connection.user)")
      let reply = question.oneway ? nil : Dispatcher.failure(.refused(why))
      return inbox.putLast(reply, for: token, isEnd: true)
    }
    connection.hand(question)
    let answer = beside {
      [vaults, inbox, peer = connection.peer, recognition = connection.recognition] in
      guard let caller = Caller(peer, connection: token) else {
        let user = peer.credentials.user
        vaults.noteRefusal("dead caller", of: user, by: "user \(user)")
        return inbox.putLast(nil, for: token, isEnd: true)
      }
      let last = await vaults.answer(question, from: caller, recognition) { part in
        inbox.put(part, for: token)
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
    if let decoded = message.decoded { return take(decoded, of: connection) }
    if let whenSent = message.whenSent { connection.notify(whenSent) }
    if let reply = message.reply, !connection.queue(reply) { return end(token) }
    if message.isLast { connection.finishCall() }
    guard connection.flush() else { return end(token) }
    // Whoever has no vault here has no use for a connection; one who reads has got the answer.
    if message.isEnd { return end(token) }
    if isStopping, !connection.isAnswering, !connection.wantsOutput { return end(token) }
    connections.recount(connection)
    turns.add(connection)
  }

  /// What the decoder has made of the message that a connection sent.
  private func take(_ decoded: Decoder.Decoded, of connection: Connection) {
    connection.finishDecoding()
    // A call that was not begun is not begun any more; one that makes no sense ends its connection.
    guard !isStopping, case .success(let question) = decoded else { return end(connection.number) }
    start(question, of: connection)
    connections.recount(connection)
  }
}

extension Caller {
  /// Who asks over a connection; nil if the process that connected has gone.
  ///
  /// Authority belongs to that process. What is read under its number may be another's once it has
  /// gone: so that is asked after the program's facts were read.
  init?(_ peer: Peer, connection: UInt64) {
    let facts = ProcessFacts(process: peer.identifier)
    let requester = Provenance.requester(of: peer.identifier, facts)
    guard peer.isAlive else { return nil }
    self.init(
      connection: connection,
      user: peer.credentials.user,
      requester: requester,
      peer: peer,
      terminal: facts?.terminal
    )
  }
}
