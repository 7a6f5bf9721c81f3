internal import Configuration
internal import HelperInterface
internal import JSON
internal import System
internal import VaultClient
internal import VaultInterface

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
      Verb.Option("-X", "METHOD", "the method; GET by default, or POST with -d"),
      Verb.Option(
        "-d",
        "DATA",
        offers: .files,
        "the body, byte for byte; @FILE sends a file, @- standard input"
      ),
      Verb.Option("-H", "HEADER", repeats: true, "a header, as \"Name: value\""),
      Verb.Option(
        "-o",
        "FILE",
        offers: .files,
        "write the answer to a file, completely or not at all, mode 0600"
      ),
      TokenVerbs.scope,
      TokenVerbs.audience,
      AuthorizationText.basic,
    ],
    summary: "make an HTTPS request with an access token",
    details: """
      The access token goes only to the issuer's own origin, and to the hosts that were in \
      api_hosts of the provider's file at login. Redirects are never followed. After a 401, the \
      token is refreshed and the request is repeated once, but not with a static secret. If \
      --scope may narrow the login, the command asks for consent, as token does.
      The account's certificates, pins and proxy apply to every host. With -d the content type is \
      application/x-www-form-urlencoded, unless -H sets it. A body may have 64 MiB, and a request \
      may take ten minutes. An error response is also printed on standard output; the exit status \
      is then 8.
      """
  ) { session throws(CommandError) in
    try RequestRun(session).run()
  }
}

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
      // A single word may be an account, with the URL missing, or a URL without its scheme.
      let isAccount =
        arguments.operands.count < 2
        && !(arguments.operands.last ?? "").contains { "/.:".contains($0) }
      throw .usage(
        isAccount ? "URL is missing" : "the URL must begin with https://",
        hint: "usage: thumblatch request [ACCOUNT] URL, such as https://api.example.com/path"
      )
    }
    do throws(ConfigurationError) {
      target = try RequestTarget(url)
    } catch {
      throw .usage("the URL must be \(Self.rule(error))")
    }
    let data = arguments.value("-d")
    method = arguments.value("-X") ?? (data == nil ? "GET" : "POST")
    guard (1...16).contains(method.utf8.count),
      method.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }),
      !["CONNECT", "TRACE"].contains(method)
    else { throw .usage("-X must be a method in upper case, such as PATCH") }
    guard method != "HEAD" || data == nil else { throw .usage("HEAD sends no body: leave -d out") }
    do throws(RequestHeaderError) {
      headers = try RequestHeaders.checked(arguments.allValues("-H"), hasBody: data != nil)
    } catch {
      throw .usage("-H \(error)")
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
    // Check whether the token may go to this host, before the person is asked for a finger.
    let terms = try session.call(within: Session.localLimit) { _ in
      RequestTermsCall(account: account)
    }
    try demandAllowed(terms)
    let answer: MemoryFile
    do { answer = try MemoryFile() } catch { throw CommandError(.bug, "\(error)") }
    let token = try self.token(of: terms.account, rejected: nil)
    var reply = try send(token, terms, answer)
    var refusal: CommandError?
    if case .answered(status: 401, _, _, _, _) = reply {
      if let newer = try newer(than: token, of: terms.account) {
        do { try answer.empty() } catch { throw CommandError(.bug, "\(error)") }
        reply = try send(newer, terms, answer)
      } else {
        let isBasic = arguments.has(AuthorizationText.basic.name)
        refusal = RequestText.refusedSecret(of: terms.account, isBasic: isBasic)
      }
    }
    try show(reply, answer, sink, terms, refusal)
  }

  private func demandAllowed(_ terms: RequestTermsReply) throws(CommandError) {
    let issuer: Issuer
    do throws(ConfigurationError) { issuer = try Issuer(terms.issuer) } catch {
      throw CommandError(.bug, "\(error)")
    }
    guard !target.mayGetToken(issuer: issuer, hosts: terms.hosts, resource: terms.resource)
    else { return }
    if let resource = terms.resource {
      throw ResourceBinding.refusal(of: terms.account, for: resource, to: target.text)
    }
    // A static secret has no provider file.
    let known = try SignInVerbs.knownAccount(session, terms.account)
    throw CommandError(
      .refused,
      "refusing to send \(terms.account)'s token to \(target.hostAndPort): it is neither the issuer, "
        + "\(terms.issuer), nor named in api_hosts",
      hint: known.map { account in
        account.isStatic
          ? "thumblatch store \(terms.account) --api-host \(target.hostAndPort); it asks for the secret"
          : "add \(target.hostAndPort) to api_hosts in the provider's file; then: "
            + AccountText.apply(account)
      }
    )
  }

  private func token(of account: String, rejected: String?) throws(CommandError) -> String {
    let reply = try session.accessToken(of: account, rejected: rejected)
    TokenVerbs.tellOfMissing(reply, session)
    return reply.accessToken
  }

  /// A newer token than the one that the host refused; `nil` for a static secret, which has none.
  private func newer(than token: String, of account: String) throws(CommandError) -> String? {
    // A call for a protected secret would ask for a second presence check.
    if let known = try SignInVerbs.knownAccount(session, account), known.isStatic { return nil }
    return try self.token(of: account, rejected: token)
  }

  private func send(
    _ token: String,
    _ terms: RequestTermsReply,
    _ answer: borrowing MemoryFile
  ) throws(CommandError) -> HelperRequestReply {
    let authorization = try AuthorizationText.value(token, of: terms.account, session)
    let call = HelperRequestCall(
      httpMethod: method,
      url: target.text,
      headers: headers + ["Authorization: \(authorization)"],
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
    do throws(VaultClientError) {
      return try session.transmit(call, body?.descriptor, answer.descriptor.number)
    } catch {
      throw CommandError(error)
    }
  }

  private func show(
    _ reply: HelperRequestReply,
    _ answer: borrowing MemoryFile,
    _ sink: ResultFile?,
    _ terms: RequestTermsReply,
    _ refusal: CommandError?
  ) throws(CommandError) {
    switch reply {
    case .notSent(let reason, let user):
      throw RequestText.notSent(
        to: target.hostAndPort,
        reason,
        user: user,
        // This machine is reached without the proxy.
        through: target.isLoopback ? nil : terms.proxy
      )
    case .lost(let reason):
      throw RequestText.lost(from: target.hostAndPort, reason)
    case .answered(let status, let length, let type, let location, let headers):
      let failure =
        refusal ?? RequestText.missingScope(status, headers, terms)
        ?? RequestText.failure(status, location)
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
