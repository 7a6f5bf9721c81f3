internal import Configuration
internal import DesktopPrompt
internal import OIDCAgentProtocol
internal import PlainText
internal import PresenceTerms
internal import System
internal import ToolProtocols
internal import VaultClient
internal import VaultInterface

/// The socket of `agent --oidc-agent`, where programs that know oidc-agent get access tokens.
struct OIDCAgentSocket {
  /// How long a client may take to send its request, in seconds.
  private static let receiveLimit: Int64 = 10
  /// The most bytes that are read at once.
  private static let chunk = 4096
  /// The name of the socket in the directory of the person's session.
  private static let name = "thumblatch-oidc-agent"

  private let arguments: Arguments
  private let location: VaultLocation

  /// Binds the socket, at the path of the option or in the directory of the person's session.
  ///
  /// - Throws: a usage error if the path cannot be used.
  static func open(
    _ session: Session,
    _ option: Verb.Option,
    of location: VaultLocation
  ) throws(CommandError) -> ProgramSocket {
    let path: String
    if let given = session.arguments.value(option.name) {
      path = given
    } else if let directory = session.environment("XDG_RUNTIME_DIR"), !directory.isEmpty {
      path = directory + "/" + name
    } else {
      throw .usage("\(option.name) needs a path, because XDG_RUNTIME_DIR is not set")
    }
    let socket = OIDCAgentSocket(arguments: session.arguments, location: location)
    return try ProgramSocket(at: path, option: option.name, answer: socket.serve)
  }

  /// Answers one request.
  private func serve(_ program: ConnectedProgram) {
    // The mode of the socket keeps other users away, and root could connect.
    guard let peer = try? program.descriptor.peerCredentials(), peer.user == ThisProcess.user
    else { return }
    let deadline = BootInstant.now.advanced(bySeconds: Self.receiveLimit)
    var channel: OIDCAgentChannel?
    let answer: [UInt8]
    do throws(ToolRequestError) {
      guard let request = try receive(from: program.descriptor, &channel, deadline)
      else { return }
      program.setWaiting(true)
      answer = self.answer(try OIDCAgentRequest(request), program.descriptor)
    } catch {
      answer = OIDCAgentRequest.answer(error: "Bad Request: \(error.description)", info: nil)
    }
    send(channel?.seal(answer) ?? answer, to: program.descriptor)
  }

  // MARK: Receiving

  /// The request, and the encryption of a client that uses it; `nil` if the client has left.
  private func receive(
    from program: borrowing Descriptor,
    _ channel: inout OIDCAgentChannel?,
    _ deadline: BootInstant
  ) throws(ToolRequestError) -> [UInt8]? {
    let first = try message(
      from: program,
      deadline,
      isWhole: OIDCAgentChannel.isWholeGreeting
    )
    guard let first, first.first != UInt8(ascii: "{") else { return first }
    let opened = try OIDCAgentChannel(first)
    guard send(opened.greeting, to: program),
      let box = try message(from: program, deadline, isWhole: OIDCAgentChannel.isWholeBox)
    else { return nil }
    let request = try opened.open(box)
    channel = opened
    return request
  }

  /// A message up to a NUL; `nil` if the client leaves or takes too long.
  private func message(
    from program: borrowing Descriptor,
    _ deadline: BootInstant,
    isWhole: ([UInt8]) throws(ToolRequestError) -> Bool
  ) throws(ToolRequestError) -> [UInt8]? {
    var bytes: [UInt8] = []
    while try !isWhole(bytes) {
      let readiness = try? Readiness.wait(for: program.number, interrupt: nil, deadline: deadline)
      guard readiness == .ready, let chunk = try? program.read(atMost: Self.chunk), !chunk.isEmpty
      else { return nil }
      bytes += chunk
    }
    return Array(bytes.prefix { $0 > 0 })
  }

  /// Sends a message in one write, since clients read only once.
  @discardableResult
  private func send(_ message: [UInt8], to program: borrowing Descriptor) -> Bool {
    let span = message.span
    let sent = try? unsafe span.withUnsafeBytes { bytes throws(SystemError) in
      unsafe try program.send(bytes)
    }
    return sent == message.count
  }

  // MARK: Answering

  private func answer(
    _ request: OIDCAgentRequest,
    _ program: borrowing Descriptor
  ) -> [UInt8] {
    let commands = CommandText(arguments) { ThisProcess.environment($0) }
    do throws(CommandError) {
      // A prompt ends when its client has left.
      let ending = try ending(of: program)
      defer { withExtendedLifetime(ending) {} }
      let session = Session(detached: arguments, of: location, interrupt: ending.number)
      switch request {
      case .loadedAccounts:
        return OIDCAgentRequest.answer(accounts: try accounts(session).map(\.name))
      case .accessToken(let wanted): return try token(wanted, session)
      case .other(let refusal):
        return OIDCAgentRequest.answer(
          error: refusal.error,
          info: commands.adapted(refusal.info)
        )
      }
    } catch {
      let error = commands.adapted(error)
      return OIDCAgentRequest.answer(
        error: PlainText.line(error.message, limit: .max),
        info: error.hint.map { PlainText.line($0, limit: .max) }
      )
    }
  }

  private func ending(of program: borrowing Descriptor) throws(CommandError) -> ReadyQueue {
    do throws(SystemError) {
      let ending = try ReadyQueue()
      try ending.add(program, token: 0)
      // A client may close its sending side, and wait for the answer.
      try ending.change(program, token: 0, readable: false, writable: false)
      return ending
    } catch {
      throw CommandError(VaultClientError.system(error))
    }
  }

  /// The accounts that are signed in: a static secret is no access token.
  private func accounts(_ session: Session) throws(CommandError) -> [VaultAccount] {
    try StatusVerbs.accounts(session, named: nil).filter {
      $0.state != .signedOut && !$0.isStatic
    }
  }

  private func token(
    _ wanted: OIDCAgentTokenRequest,
    _ session: Session
  ) throws(CommandError) -> [UInt8] {
    let account = try account(wanted, session)
    func call(_ prompt: String? = nil, after rejected: String? = nil) -> AccessTokenCall {
      AccessTokenCall(
        account: account.name,
        minimumLifetime: wanted.minimumLifetime,
        rejected: rejected,
        prompt: prompt,
        scope: wanted.scope,
        audience: wanted.audience,
        reason: String(wanted.reason.prefix(CallerRule.longestReason))
      )
    }
    // A token that needs a presence check is a new one, unless a rule demands a check for each
    // token.
    let present = wanted.isForced ? try session.tokenAtHand(call())?.accessToken : nil
    let token = try session.toolToken(of: account.name) { call($0, after: present) }
    return OIDCAgentRequest.answer(token, issuer: account.issuer)
  }

  /// The account of a short name, or of an issuer: the default account, or the only one there.
  private func account(
    _ wanted: OIDCAgentTokenRequest,
    _ session: Session
  ) throws(CommandError) -> VaultAccount {
    if let name = wanted.account {
      let name = try session.accountName(name)
      if let account = try StatusVerbs.accounts(session, named: name).first {
        guard account.isStatic else { return account }
        throw CommandError(
          .refused,
          "\(name) keeps a secret, which is no access token",
          hint: "thumblatch token \(name) prints it"
        )
      }
    }
    let found = try accounts(session).filter { wanted.isIssued(by: $0.issuer) }
    if let account = found.first(where: \.isDefault) ?? (found.count == 1 ? found[0] : nil) {
      return account
    }
    let refusal = OIDCAgentRefusal(ofAccounts: found.map(\.name))
    throw CommandError(.notFound, refusal.error, hint: refusal.info)
  }
}
