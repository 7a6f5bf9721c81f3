internal import Configuration
internal import HelperInterface
internal import JSON
internal import System
internal import VaultClient
internal import VaultInterface

/// `request`.
enum RequestVerbs {
  static let all = [request]

  /// The time limit for one request in milliseconds, from the name's resolution to the last byte.
  static let timeout = 600_000
  /// The size limit of a request's body and of an answer, in bytes.
  static let maximumBody = 64 * 1024 * 1024

  static let request = Verb(
    "request",
    [.account, Verb.Operand("URL", .one)],
    options: [
      Verb.Option("-X", "METHOD", "the method; GET, or POST with -d"),
      Verb.Option(
        "-d",
        "DATA",
        offers: .files,
        "what is sent, byte for byte; @FILE takes a file, @- the input"
      ),
      Verb.Option("-H", "HEADER", repeats: true, "a header, as \"Name: value\""),
      Verb.Option("-o", "FILE", offers: .files, "write the body there, whole or not at all, 0600"),
      TokenVerbs.scope,
      TokenVerbs.audience,
    ],
    summary: "make a request with an access token",
    details: """
      The access token goes to the issuer's own origin, and to the hosts that the provider's file \
      names in api_hosts as it was at login; to no other, and along no redirect. On 401 the token is \
      refreshed and the request made once more. With --scope it asks as token does, if that may \
      narrow the login.
      Certificates, pins and proxy of the account hold for every host. With -d the content type is \
      application/x-www-form-urlencoded unless -H says otherwise. Bodies may have 64 MiB, and a \
      request ten minutes. The body of an error stands on standard output, too; the exit status is \
      then 8.
      """
  ) { session throws(CommandError) in
    try RequestRun(session).run()
  }
}

/// One run of `request`.
private struct RequestRun {
  let session: Session
  let target: RequestTarget
  let method: String
  let headers: [String]
  let body: RequestBody?

  init(_ session: Session) throws(CommandError) {
    self.session = session
    let arguments = session.arguments
    guard let url = arguments.operands.last, url.contains("://") else {
      // A single word may be an account with the URL forgotten, or a URL without its beginning.
      let isAccount =
        arguments.operands.count < 2
        && !(arguments.operands.last ?? "").contains { "/.:".contains($0) }
      throw CommandError(
        .usage,
        isAccount ? "URL is missing" : "a URL begins with https://",
        hint: "usage: thumblatch request [ACCOUNT] URL, such as https://api.example.com/path"
      )
    }
    do throws(ConfigurationError) {
      target = try RequestTarget(url)
    } catch {
      throw CommandError(.usage, "the URL must be \(Self.rule(error))")
    }
    let data = arguments.value("-d")
    method = arguments.value("-X") ?? (data == nil ? "GET" : "POST")
    guard (1...16).contains(method.utf8.count),
      method.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      !["CONNECT", "TRACE"].contains(method)
    else { throw CommandError(.usage, "-X must be a method in capitals, such as PATCH") }
    guard method != "HEAD" || data == nil else {
      throw CommandError(.usage, "HEAD sends no body: leave -d out")
    }
    do throws(RequestHeaderError) {
      headers = try RequestHeaders.checked(arguments.allValues("-H"), hasBody: data != nil)
    } catch {
      throw CommandError(.usage, "-H \(error)")
    }
    body = try data.map { text throws(CommandError) in
      try RequestBody(text, interrupt: session.interrupt)
    }
  }

  func run() throws(CommandError) {
    let arguments = session.arguments
    let account =
      arguments.operands.count == 2 ? try session.accountName(arguments.operands[0]) : nil
    let sink = try arguments.value("-o").map { path throws(CommandError) in
      try ResultFile(path)
    }
    // Check whether the token may go there at all, before a person is asked for a finger.
    let terms = try session.call(within: Session.localLimit) { _ in
      RequestTermsCall(account: account)
    }
    try demandAllowed(terms)
    let answer: MemoryFile
    do { answer = try MemoryFile() } catch { throw CommandError(.bug, "\(error)") }
    var token = try self.token(of: terms.account, rejected: nil)
    var reply = try send(token, terms, answer)
    if case .answered(status: 401, _, _, _, _) = reply {
      token = try self.token(of: terms.account, rejected: token)
      do { try answer.empty() } catch { throw CommandError(.bug, "\(error)") }
      reply = try send(token, terms, answer)
    }
    try show(reply, answer, sink, terms)
  }

  private func demandAllowed(_ terms: RequestTermsReply) throws(CommandError) {
    let issuer: Issuer
    do throws(ConfigurationError) { issuer = try Issuer(terms.issuer) } catch {
      throw CommandError(.bug, "\(error)")
    }
    guard !target.mayGetToken(issuer: issuer, hosts: terms.hosts) else { return }
    throw CommandError(
      .refused,
      "refusing to send \(terms.account)'s token to \(target.hostAndPort): it is neither the issuer, "
        + "\(terms.issuer), nor named in api_hosts",
      hint: "add to the provider's file: api_hosts = \(target.hostAndPort); then: "
        + "thumblatch login \(terms.account) --provider P"
    )
  }

  private func token(
    of account: String,
    rejected: String?
  ) throws(CommandError) -> String {
    let reply = try session.accessToken { prompt in
      AccessTokenCall(
        account: account,
        rejected: rejected,
        prompt: prompt,
        scope: session.arguments.value("--scope"),
        audience: session.arguments.value("--audience")
      )
    }
    // Refuse a token that could split the header in two.
    guard !reply.accessToken.isEmpty, reply.accessToken.utf8.allSatisfy({ 0x20 < $0 && $0 < 0x7F })
    else { throw CommandError(.unavailable, "the provider gave an access token that is none") }
    TokenVerbs.tellOfMissing(reply, session)
    return reply.accessToken
  }

  private func send(
    _ token: String,
    _ terms: RequestTermsReply,
    _ answer: borrowing MemoryFile
  ) throws(CommandError) -> HelperRequestReply {
    let call = HelperRequestCall(
      httpMethod: method,
      url: target.text,
      headers: headers + ["Authorization: Bearer \(token)"],
      sendsBody: body != nil,
      ca: terms.ca,
      // Plain http on this machine has no key that a pin could check.
      pins: target.scheme == "http" ? [] : terms.pins,
      proxy: terms.proxy,
      timeout: RequestVerbs.timeout,
      maximumBody: RequestVerbs.maximumBody,
      listeners: terms.listeners,
      connectTimeout: terms.connectMilliseconds
    )
    session.output.clearStatus()
    let exchangeHelper = RequestExchangeHelper(interrupt: session.interrupt)
    do throws(VaultClientError) {
      return try exchangeHelper.perform(
        call,
        input: body?.descriptor,
        output: answer.descriptor.number
      )
    } catch {
      throw CommandError(error)
    }
  }

  private func show(
    _ reply: HelperRequestReply,
    _ answer: borrowing MemoryFile,
    _ sink: ResultFile?,
    _ terms: RequestTermsReply
  ) throws(CommandError) {
    switch reply {
    case .notSent(let reason):
      throw RequestText.notSent(to: target.hostAndPort, reason)
    case .untrustedListener(let user):
      throw RequestText.untrustedListener(at: target.hostAndPort, user)
    case .lost(.tooLarge):
      throw CommandError(.serverError, "the answer has more than 64 MiB")
    case .lost(let reason):
      throw CommandError(
        .unavailable,
        "no whole answer came from \(target.hostAndPort) (\(reason.rawValue)); the request may "
          + "have taken effect",
        hint: RequestText.hint(reason)
      )
    case .answered(let status, let length, let type, let location, _):
      let failure = RequestText.failure(status, location)
      // Without a success, the present contents of the file are kept.
      if let sink, failure == nil { try sink.write(answer) }
      if session.output.json {
        try session.output.data(
          RequestText.object(
            terms.account,
            target.text,
            status,
            type,
            length,
            sink?.path,
            answer,
            failure
          )
        )
      } else if sink == nil {
        try RequestText.print(answer, on: session.output)
      }
      guard let failure else { return }
      if session.output.json {
        throw CommandError(failure.code, failure.message, hint: failure.hint, isSaid: true)
      }
      throw failure
    }
  }

  private static func rule(_ error: ConfigurationError) -> String {
    if case .badValue(_, let rule) = error.problem { return rule }
    return "\(error)"
  }
}
