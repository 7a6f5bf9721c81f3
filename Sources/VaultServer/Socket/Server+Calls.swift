internal import System
internal import TokenVault
internal import Varlink
internal import VaultInterface

// Answers calls.
extension Server {
  /// How many messages of one connection are taken before other connections have their turn.
  private static let messagesPerTurn = 64
  /// How many bytes of one party's messages this thread decodes in a round.
  ///
  /// The decoder does the rest. By `Tests/MessageCost`, so many bytes take less than a millisecond,
  /// whatever their content.
  private static let decodedInRound = 8 * 1024

  /// Handles an item from another thread.
  func take(_ item: Inbox.Item) {
    switch item {
    case .message(let message, let token): deliver(message, to: token)
    case .name(let name, let user): learn(name, of: user)
    case .end(let token): end(token)
    }
  }

  /// Answers calls that need no task, starts the connection's next call, and updates the events
  /// that it waits for.
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
        case .call(let parsed): try answer(parsed, of: connection)
        case .undecoded(let message):
          decoder.add(message, of: connection.number, connection.share.party)
        }
        if connection.hasEnded { return }
      }
      if connection.isDone { return end(connection.number) }
      // No event reports input that was received earlier.
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

  /// Answers a token call at once if the vault has the token in its cache.
  private func answer(_ usual: UsualTokenCall, of connection: Connection) throws(MessageError) {
    guard let message = messageAtHand(for: usual, of: connection) else {
      // The engine may have to record a stated reason. It knows so only after it has looked at the
      // ancestors. So a first call with a reason gets no reply from the cache.
      let unstated = usual.reason == nil ? usual : nil
      return start(ParsedCall(try usual.call), of: connection, usual: unstated)
    }
    answerAtOnce(message, of: connection)
  }

  /// Answers any other call; at once if it asks for request terms that the vault has in its cache.
  private func answer(_ parsed: ParsedCall, of connection: Connection) throws(MessageError) {
    guard case .success(.requestTerms(let call)) = parsed.request, !parsed.oneway,
      let message = vaultAtHand(of: connection)?.cachedTerms(
        account: call.account,
        { terms in try? VarlinkReply(RequestTermsReply(terms)).plainEncoded(on: .vault) }
      )
    else { return start(parsed, of: connection) }
    answerAtOnce(message, of: connection)
  }

  private func answerAtOnce(_ message: [UInt8], of connection: Connection) {
    // Authority belongs to the process that connected, and ends with it.
    guard connection.isPeerAlive else {
      vaults.noteRefusal("dead caller", of: connection.user, by: "user \(connection.user)")
      return end(connection.number)
    }
    if !connection.answerAtOnce(message) { end(connection.number) }
  }

  /// The vault whose cache may answer a call of a connection.
  private func vaultAtHand(of connection: Connection) -> Vault? {
    guard connection.kind == .person,
      let vault = vaults.vaultAtHand(of: connection.user, by: connection.recognition),
      vaults.isFree(connection.recognition, in: vault)
    else { return nil }
    return vault
  }

  /// The reply to a token call if the token is in the vault's cache.
  ///
  /// It needs no task of its own.
  private func messageAtHand(for usual: UsualTokenCall, of connection: Connection) -> [UInt8]? {
    let isHelper = usual.helper == true
    return vaultAtHand(of: connection)?.cachedAccessToken(
      account: usual.account,
      minimumLifetime: usual.minimumLifetime.map(Int64.init),
      isRecorded: connection.isRecorded(usual),
      tool: isHelper ? connection.tool : nil
    )?.encoded
  }

  /// Starts a task that answers a call beside this thread.
  ///
  /// `usual` is the same call if the token in the vault's cache may answer it.
  func start(_ parsed: ParsedCall, of connection: Connection, usual: UsualTokenCall? = nil) {
    let token = connection.number
    if let service = parsed.service {
      beside { [inbox] in inbox.putLast(parsed.oneway ? nil : service, for: token) }
      return
    }
    switch connection.kind {
    case .person: break
    case .pending:
      connection.held = parsed
      return
    case .stranger(let why):
      vaults.noteRefusal(why, of: nil, by: "user \(connection.user)")
      let reply = parsed.oneway ? nil : Dispatcher.failure(.refused(why))
      return inbox.putLast(reply, for: token, isEnd: true)
    }
    connection.hand(parsed)
    let answer = beside {
      [vaults, inbox, peer = connection.peer, recognition = connection.recognition] in
      if let usual, let reply = vaults.replyAtHand(to: usual, from: peer, recognition) {
        return inbox.putLast(part: reply, for: token)
      }
      guard let caller = Caller(peer, connection: token) else {
        let user = peer.credentials.user
        vaults.noteRefusal("dead caller", of: user, by: "user \(user)")
        return inbox.putLast(nil, for: token, isEnd: true)
      }
      let last = await vaults.answer(parsed, from: caller, recognition) { part in
        inbox.put(part, for: token)
      } whenSent: {
        await inbox.waitUntilSent(to: token)
      }
      inbox.putLast(parsed.oneway ? nil : last.reply, for: token, isEnd: last.isEnd)
    }
    connection.answering(answer)
  }

  private func deliver(_ message: Inbox.Message, to token: UInt64) {
    guard let connection = connections[token] else {
      message.whenSent?(false)
      if message.isLast { endLateCall(of: token) }
      return
    }
    if let decoded = message.decoded { return take(decoded, of: connection) }
    if let whenSent = message.whenSent { connection.notify(whenSent) }
    if let reply = message.reply, !connection.queue(reply) { return end(token) }
    if message.isLast { connection.finishCall() }
    guard connection.flush() else { return end(token) }
    // A caller without a vault here needs no connection. By now it could read the answer.
    if message.isEnd { return end(token) }
    if isStopping, !connection.isAnswering, !connection.wantsOutput { return end(token) }
    connections.recount(connection)
    turns.add(connection)
  }

  /// Handles the decoder's result for a message of a connection.
  private func take(_ decoded: Decoder.Decoded, of connection: Connection) {
    connection.finishDecoding()
    // A stopping server begins no more calls. An invalid message ends its connection.
    guard !isStopping, case .success(let parsed) = decoded else { return end(connection.number) }
    start(parsed, of: connection)
    connections.recount(connection)
  }
}
